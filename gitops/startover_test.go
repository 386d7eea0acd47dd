//go:build unix

package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

// TestStartOverDies: a rewind of the open turn dies at any step. Once the files
// were taken back, no later end of the session's turn records what the rewind
// wrote. Between the two turns there is none for a moment: then the end says so.
func TestStartOverDies(t *testing.T) {
	died := 0
	for step := 1; ; step += 2 {
		g, _ := testRepo(t)
		steps := 0
		r := reopen(t, g, Options{NoSync: true, Step: func(string) {
			if steps--; steps == 0 {
				panic(crash{})
			}
		}})
		begin := func(session string) {
			t.Helper()
			if _, err := r.Begin(t.Context(), Turn{Session: session}); err != nil {
				t.Fatal(err)
			}
		}
		begin("s")
		g.Write("a", "agent\n")
		steps = step
		dead := func() (dead bool) {
			defer func() {
				if p := recover(); p != nil {
					_ = p.(crash)
					dead = true
				}
			}()
			if _, err := r.Rewind(t.Context(), 0, RewindOptions{}); err != nil {
				t.Fatal(err)
			}
			return false
		}()
		steps = 0
		if !dead {
			break
		}
		died++
		r = reopen(t, g, Options{NoSync: true})
		if err := r.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(g.Dir, "a"))
		if err != nil {
			t.Fatal(err)
		}
		if back := string(data) != "agent\n"; back {
			turn, err := r.End(t.Context(), "s", EndOptions{})
			if turn != nil || err != nil && !errors.Is(err, &edit.Error{Code: edit.NoTurn}) {
				t.Errorf("step %d: %+v, %v", step, turn, err)
			}
		}
	}
	if died < 20 {
		t.Errorf("%d steps", died)
	}
}
