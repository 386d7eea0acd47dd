package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

// newTestRepo opens an empty repository.
func newTestRepo(t *testing.T) *Repo {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{".git/objects", ".git/refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeTestFile(t, filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	r, err := Open(dir, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func writeTestFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustLog(t *testing.T, r *Repo, session string, c Call, ended bool) {
	t.Helper()
	if err := r.LogCall(session, c, ended); err != nil {
		t.Fatal(err)
	}
}

// TestLogCall keeps paths of any bytes, and goes on after a line that a process
// left torn.
func TestLogCall(t *testing.T) {
	r := newTestRepo(t)
	c := Call{ID: "1", Tool: "Edit", Kind: CallEdit, Paths: []string{"caf\xe9 %41\n"}}
	mustLog(t, r, "s", c, false)
	f, err := os.OpenFile(r.callsFile("s"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"kind":"shell","sta`)
	f.Close()
	mustLog(t, r, "s", c, true)
	log, err := r.callsOf("s")
	if err != nil || len(log.calls) != 1 {
		t.Fatalf("%v, %+v", err, log)
	}
	got := log.calls[0]
	if !slices.Equal(got.Paths, c.Paths) || got.Tool != "Edit" || got.start == 0 || got.end < got.start || got.end == never {
		t.Errorf("%+v", got)
	}
	if log.lines[0].Clock == 0 {
		if _, ok := sinceBoot(); ok {
			t.Error("the clock was not noted")
		}
	}
	if log, err := r.callsOf("another"); err != nil || len(log.lines) != 0 {
		t.Errorf("another session: %v, %+v", err, log)
	}
}

// TestLogCallParallel loses nothing of hooks that append at the same time.
func TestLogCallParallel(t *testing.T) {
	r := newTestRepo(t)
	const writers, each = 8, 50
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if err := r.LogCall("s", Call{Kind: CallShell, Tool: "Bash"}, false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if log, err := r.callsOf("s"); err != nil || len(log.lines) != writers*each {
		t.Errorf("%v, %d lines of %d", err, len(log.lines), writers*each)
	}
}

// TestLogCallRefuses writes through no link and says what is in the way.
func TestLogCallRefuses(t *testing.T) {
	r := newTestRepo(t)
	mustLog(t, r, "s", Call{Kind: CallNone}, false)
	name, mine := r.callsFile("s"), filepath.Join(t.TempDir(), "mine")
	writeTestFile(t, mine, "mine\n")
	if err := errors.Join(os.Remove(name), os.Symlink(mine, name)); err != nil {
		t.Skip(err)
	}
	if err := r.LogCall("s", Call{Kind: CallNone}, false); !errors.Is(err, &edit.Error{Code: edit.CommitFailed}) {
		t.Errorf("a link: %v", err)
	}
	if data, _ := os.ReadFile(mine); string(data) != "mine\n" {
		t.Errorf("written through a link: %q", data)
	}
	if log, err := r.callsOf("s"); err != nil || len(log.lines) != 0 {
		t.Errorf("read through a link: %v, %+v", err, log)
	}
	dir := filepath.Dir(name)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	writeTestFile(t, dir, "")
	if err := r.LogCall("s", Call{Kind: CallNone}, false); !errors.Is(err, &edit.Error{Code: edit.CommitFailed}) {
		t.Errorf("no directory: %v", err)
	}
}
