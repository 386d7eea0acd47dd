//go:build unix

package main

import (
	"github.com/rogpeppe/go-internal/testscript"
)

// cmdTurn makes a turn of what a shell does in a worktree: `turn DIR SHELL [FLAG…]`.
// The tree before it is kept as "start". It asserts that neither begin nor end
// changes anything of git's or of the worktree, and leaves what end said on
// standard output. The flags are those of end.
func cmdTurn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: turn DIR SHELL [FLAG...]")
	}
	dir, shell, flags := args[0], args[1], args[2:]
	cmdTree(ts, false, []string{"save", dir, "start"})
	cmdGitState(ts, false, []string{"save", dir, "turn"})
	ts.Check(ts.Exec("chordgit", "-C", dir, "begin"))
	cmdTree(ts, false, []string{"same", dir, "start"})
	cmdGitState(ts, false, []string{"same", dir, "turn"})
	shellIn(ts, dir, shell)
	cmdTree(ts, false, []string{"save", dir, "end"})
	cmdGitState(ts, false, []string{"save", dir, "turn"})
	ts.Check(ts.Exec("chordgit", append([]string{"-C", dir, "end"}, flags...)...))
	cmdTree(ts, false, []string{"same", dir, "end"})
	cmdGitState(ts, false, []string{"same", dir, "turn"})
	cmdClean(ts, false, []string{dir})
}

// cmdBack takes a turn back and asserts that all is as `turn` found it, and
// nothing of git's changed: `back DIR [ARG…]`. The arguments are those of rewind.
func cmdBack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: back DIR [ARG...]")
	}
	dir := args[0]
	cmdGitState(ts, false, []string{"save", dir, "turn"})
	ts.Check(ts.Exec("chordgit", append([]string{"-C", dir, "rewind"}, args[1:]...)...))
	cmdTree(ts, false, []string{"bytes", dir, "start"})
	cmdGitState(ts, false, []string{"same", dir, "turn"})
	cmdClean(ts, false, []string{dir})
}

// shellIn runs shell text in a directory.
func shellIn(ts *testscript.TestScript, dir, text string) {
	ts.Check(ts.Exec("sh", "-ec", `cd "$1"; eval "$2"`, "sh", dir, text))
}
