// Package snapshot is the only reader and writer of a worktree.
//
// A [Worktree] answers what stands at a path ([Worktree.Lookup],
// [Worktree.Load]), proves that a plan still fits ([Worktree.Check]), carries
// it out so that all of it lands or none ([Worktree.Apply]), and judges what a
// killed transaction left behind ([Worktree.Recover], [Worktree.Clear]).
//
// What it refuses to do: follow a symbolic link in any component of a path;
// touch anything called .git; replace or remove bytes without having compared
// them, after they left their name, with what the plan says was there; unlink
// bytes that the [Store] does not have or that a program can still write to
// (they are kept under a name of their own, and named); remove a directory
// that is not empty; open a FIFO, socket or device. It knows neither git nor
// its objects, takes no lock and reads no configuration: that one transaction
// at a time runs in a worktree is the caller's care.
package snapshot
