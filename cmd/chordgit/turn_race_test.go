//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// TestConcurrentTurns: eight sessions with eight turns each, all at once in one
// worktree: none fails, and no number is given twice. Without CHORDGIT_LONG there
// are three turns each.
func TestConcurrentTurns(t *testing.T) {
	sessions, turns := 8, 3
	if os.Getenv("CHORDGIT_LONG") != "" {
		turns = 8
	}
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"shared": "x\n"}))}
	number := regexp.MustCompile(`^\d+\n`)
	var mu sync.Mutex
	seen := map[string]string{}
	var wg sync.WaitGroup
	for s := range sessions {
		wg.Go(func() {
			session := fmt.Sprint("s", s)
			for k := range turns {
				cmd := v.command("begin", "--session", session)
				var complaint strings.Builder
				cmd.Stderr = &complaint
				out, err := cmd.Output()
				if err != nil || !number.Match(out) {
					t.Errorf("begin %d of %s: %v: %s%s", k, session, err, out, complaint.String())
					return
				}
				n := strings.TrimSpace(string(out))
				mu.Lock()
				if other, taken := seen[n]; taken {
					t.Errorf("turn %s is that of %s and of %s", n, other, session)
				}
				seen[n] = session
				mu.Unlock()
				text := fmt.Sprintf("%s, turn %d\n", session, k)
				if out, err := exec.Command("sh", "-c", `printf %s "$1" > "$2"`, "sh", text, v.dir+"/"+session).CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
				if out, err := v.command("end", "--session", session).CombinedOutput(); err != nil {
					t.Errorf("end %d of %s: %v: %s", k, session, err, out)
					return
				}
			}
		})
	}
	wg.Wait()
	closed, open := v.refs()
	if len(closed) != sessions*turns || len(open) > 0 {
		t.Errorf("%d turns, open %v", len(closed), open)
	}
	for _, n := range closed {
		session := seen[n]
		out, err := exec.Command("git", "-C", v.dir, "diff", "--no-ext-diff", "--name-only",
			"refs/chordgit/turns/"+n+":before", "refs/chordgit/turns/"+n+":after").CombinedOutput()
		if err != nil || !strings.Contains(string(out), session+"\n") {
			t.Errorf("turn %s of %s changed %q, %v", n, session, out, err)
		}
	}
	if out, err := exec.Command("git", "-C", v.dir, "fsck", "--strict", "--full", "--no-dangling").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("fsck: %v\n%s", err, out)
	}
}
