// Package statcache remembers, from one scan of a worktree to the next, which
// object a file held and how its stat looked then, so that an unchanged file
// need not be read and an unchanged directory need not be listed.
//
// It holds the flat form of a scan ([Tree]), the file in which one is kept
// ([Write], [Open]) and the rules that say when it may be believed ([Rule]).
//
// What it refuses to do: believe in doubt. A cache that is odd in any way is
// the same as none ([ErrNone]), and a time that is not clearly older than the
// scan that saw it proves nothing. It looks at no file of the worktree; that is
// the job of package scan.
package statcache
