// Package edit is the model of a change: what an agent wishes ([Op]), what a
// file is ([File]), and the [Plan] that says for every path what was there
// before and what shall be there after.
//
// Planning is pure. [NewPlan] asks a [Tree] what exists and returns a plan or
// the reasons why there is none; it opens no file, knows no clock and writes
// nothing. Carrying a plan out is the job of package snapshot, recording it
// that of package gitops.
package edit
