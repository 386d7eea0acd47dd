// Package gitops is the only user of the repository: it keeps turns in it and
// runs the transactions over them.
//
// A turn is what happened on disk between a beginning and an end. It is stored
// as an annotated tag of a tree that holds the worktree before and after, under
// refs/chordgit/turns/N. HEAD, branches, reflogs, index and stash are read at
// most; nothing here writes them, and no hook, filter or program that git's
// configuration names is ever run.
package gitops
