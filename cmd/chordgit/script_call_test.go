//go:build unix

package main

import (
	"time"

	"github.com/chordgit/chordgit/gitops"
	"github.com/rogpeppe/go-internal/testscript"
)

// cmdCall logs an event of an agent's session, as its hooks do: `call begin|end
// DIR SESSION KIND ID [PATH…]`. The clock of the file system goes on before and
// after it, so that what scripts do next to each other has times of its own.
func cmdCall(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 5 || args[0] != "begin" && args[0] != "end" {
		ts.Fatalf("usage: call begin|end DIR SESSION KIND ID [PATH...]")
	}
	repo, err := gitops.Open(ts.MkAbs(args[1]), gitops.Options{})
	ts.Check(err)
	defer repo.Close()
	const tick = 20 * time.Millisecond
	time.Sleep(tick)
	ts.Check(repo.LogCall(args[2], gitops.Call{ID: args[4], Kind: gitops.CallKind(args[3]), Paths: args[5:]}, args[0] == "end"))
	time.Sleep(tick)
}
