// Package scan finds out what is in a worktree: it walks it from one directory
// handle and looks at every name with lstat.
//
// What it refuses to do: follow a symbolic link in any component; enter or list
// anything called .git, in any disguise; open a file (other than a .gitignore),
// a FIFO, a socket or a device; fail because of one path. It neither hashes nor
// writes: what is stored of what it found is the caller's job, and so is
// reading the rules, which come through the interface [Rules].
//
// The result is not a point in time.
package scan
