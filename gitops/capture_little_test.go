//go:build unix

package gitops

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLittle: captures of a few changes among many files leave the stat cache as
// it is, and miss nothing for it, whether the changes are new or older ones; with
// many, or without the turn that keeps what the cache knows, it is written.
func TestLittle(t *testing.T) {
	const dirs, files = 100, 130
	g, _ := testRepo(t)
	name := func(i int) string { return fmt.Sprintf("d%d/f%d", i%dirs, i/dirs) }
	for i := range dirs * files {
		g.Write(name(i), "0\n")
	}
	g.Git("add", "-A")
	cache := func() os.FileInfo {
		t.Helper()
		fi, err := os.Stat(filepath.Join(g.GitDir(), "chordgit", "cache"))
		if err != nil {
			t.Fatal(err)
		}
		return fi
	}
	other := filepath.Join(t.TempDir(), "index")
	worktree := func() string { // what git makes of it
		t.Helper()
		for _, args := range [][]string{{"add", "-A"}, {"write-tree"}} {
			cmd := g.Command(args...)
			cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+other)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("git %q: %v: %s", args, err, out)
			}
			if args[0] == "write-tree" {
				return string(out[:len(out)-1])
			}
		}
		return ""
	}
	turn := func(change func()) *Turn {
		t.Helper()
		r := reopen(t, g, Options{NoSync: true})
		open, err := r.Begin(t.Context(), Turn{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := g.Git("rev-parse", openRef(open.N)+":before"), worktree(); got != want {
			t.Fatalf("the start of turn %d is %s, not %s", open.N, got, want)
		}
		change()
		closed, err := r.End(t.Context(), "", EndOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if closed != nil {
			if got, want := g.Git("rev-parse", turnRef(closed.N)+":after"), worktree(); got != want {
				t.Fatalf("the end of turn %d is %s, not %s", open.N, got, want)
			}
		}
		return closed
	}
	nothing := func() {}
	time.Sleep(20 * time.Millisecond)        // what was written just before a capture is not trusted
	turn(func() { g.Write(name(0), "1\n") }) // what keeps the rest
	turn(nothing)
	first := cache()
	for i := range 5 {
		g.Write(name(1), fmt.Sprintln(i+10)) // by a person
		change := func() { g.Write(name(2), fmt.Sprintln(i+10)) }
		if i == 2 {
			change = nothing
		}
		if closed := turn(change); (closed == nil) != (i == 2) {
			t.Fatalf("turn %d: %v", i, closed)
		}
		if !os.SameFile(cache(), first) {
			t.Fatalf("written by turn %d", i)
		}
	}
	turn(func() {
		for i := range 50 {
			g.Write(name(100+i), "1\n")
		}
	})
	if os.SameFile(cache(), first) {
		t.Error("not written where much is new")
	}
	time.Sleep(20 * time.Millisecond)
	turn(nothing)
	turn(func() { g.Write(name(3), "1\n") }) // keeps them
	second := cache()
	turn(func() { g.Write(name(4), "1\n") })
	if !os.SameFile(cache(), second) {
		t.Error("written where little is new")
	}

	// What no closed turn keeps is looked for by every capture, until one keeps it.
	for i := range 50 {
		g.Write(fmt.Sprint("new", i), fmt.Sprint("new ", i, "\n"))
	}
	time.Sleep(20 * time.Millisecond)
	turn(nothing)
	third := cache()
	if os.SameFile(third, second) {
		t.Error("not written where many files are new")
	}
	turn(nothing)
	if !os.SameFile(cache(), third) {
		t.Error("written where no turn came to keep what is new")
	}
	turn(func() { g.Write(name(3), "2\n") })
	fourth := cache()
	if os.SameFile(fourth, third) {
		t.Error("not written where a turn keeps what was looked for")
	}
	turn(func() { g.Write(name(3), "3\n") })
	if !os.SameFile(cache(), fourth) {
		t.Error("written where little is new and all is kept")
	}

	g.Write(".git/info/exclude", "none\n")
	turn(func() { g.Write(name(3), "4\n") })
	fifth := cache()
	if os.SameFile(fifth, fourth) {
		t.Error("not written where other rules hold, by which all is judged anew each time")
	}

	r := reopen(t, g, Options{NoSync: true})
	if _, err := r.Prune(t.Context(), PruneOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	turn(func() { g.Write(name(3), "5\n") })
	if os.SameFile(cache(), fifth) {
		t.Error("not written where no turn keeps what it knows")
	}
}
