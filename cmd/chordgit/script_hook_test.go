//go:build unix

package main

import (
	"bytes"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdSay lets an agent's hook hear one event: `say NAME FILE [ARG…]`, in the
// directory that the script is in. In the file $WORK stands for the script's
// directory, and lines that begin with # say where its form comes from. The output
// is the script's, and the exit status is asserted by a "! say" for a refusal.
func cmdSay(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: say NAME FILE [ARG...]")
	}
	var payload bytes.Buffer
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if !strings.HasPrefix(line, "#") {
			payload.WriteString(strings.ReplaceAll(line, "$WORK", ts.Getenv("WORK")))
		}
	}
	name := ts.MkAbs(args[1] + ".said")
	ts.Check(os.WriteFile(name, payload.Bytes(), 0o644))
	defer os.Remove(name)
	script := `exec chordgit hook "$@" < "$F"`
	ts.Setenv("F", name)
	err := ts.Exec("sh", append([]string{"-c", script, "sh", args[0]}, args[2:]...)...)
	if (err != nil) != neg {
		ts.Fatalf("the hook of %s: %v, for %s", args[0], err, payload.String())
	}
}
