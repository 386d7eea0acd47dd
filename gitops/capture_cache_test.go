//go:build unix

package gitops

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chordgit/chordgit/edit"
)

// TestOddCache: whatever became of the cache file, the next capture is what one
// without a cache is.
func TestOddCache(t *testing.T) {
	w := newWorld(t, &dice{rnd: rand.New(rand.NewPCG(7, 7))})
	r, err := Open(w.dir, Options{NoSync: true})
	w.must(err)
	defer r.Close()
	time.Sleep(12 * time.Millisecond)
	want := w.look(r, nil)
	name := w.path(".git/chordgit/cache")
	sound, err := os.ReadFile(name)
	w.must(err)
	for what, spoil := range map[string]func() error{
		"empty":   func() error { return os.WriteFile(name, nil, 0o644) },
		"halved":  func() error { return os.WriteFile(name, sound[:len(sound)/2], 0o644) },
		"longer":  func() error { return os.WriteFile(name, append(sound[:len(sound):len(sound)], 0), 0o644) },
		"version": func() error { return os.WriteFile(name, flipped(sound, 8, 0xff), 0o644) },
		"directory": func() error {
			return errors.Join(os.Remove(name), os.MkdirAll(filepath.Join(name, "d"), 0o755))
		},
		"link to nowhere": func() error { return errors.Join(os.Remove(name), os.Symlink("nowhere", name)) },
	} {
		w.must(spoil())
		w.same(w.look(r, nil), want)
		if t.Failed() {
			t.Fatalf("with a cache that is %s", what)
		}
		w.must(os.RemoveAll(name))
		w.must(os.WriteFile(name, sound, 0o644))
	}
	for range 60 {
		at, bit := w.n(len(sound)), byte(1)<<w.n(8)
		w.must(os.WriteFile(name, flipped(sound, at, bit), 0o644))
		w.same(w.look(r, nil), want)
		if t.Failed() {
			t.Fatalf("with byte %d of the cache changed by %x", at, bit)
		}
	}
}

func flipped(data []byte, at int, by byte) []byte {
	data = append([]byte(nil), data...)
	data[at] ^= by
	return data
}

// TestDamagedStart: the objects of a start are gone or rotten. The end says
// which turn that is and touches nothing; a begin of another session goes on,
// and stores again what the store lost.
func TestDamagedStart(t *testing.T) {
	for what, spoil := range map[string]func(name string) error{
		"gone": os.Remove,
		"rotten": func(name string) error {
			return errors.Join(os.Chmod(name, 0o644), os.WriteFile(name, []byte("rot"), 0o644))
		},
	} {
		t.Run(what, func(t *testing.T) {
			g, _ := testRepo(t)
			for i := range 200 { // enough for a pack
				g.Write(fmt.Sprintf("d%d/f", i), strings.Repeat(fmt.Sprint(i, "\n"), 50))
			}
			r := reopen(t, g, Options{NoSync: true})
			if _, err := r.Begin(t.Context(), Turn{Session: "s"}); err != nil {
				t.Fatal(err)
			}
			packs, err := filepath.Glob(filepath.Join(g.GitDir(), "objects", "pack", "*.pack"))
			if err != nil || len(packs) != 1 {
				t.Fatalf("packs %v, %v", packs, err)
			}
			if err := spoil(packs[0]); err != nil {
				t.Fatal(err)
			}
			g.Write("a", "1\n")
			r = reopen(t, g, Options{NoSync: true})
			_, err = r.End(t.Context(), "s", EndOptions{})
			if err == nil {
				t.Fatal("the turn was closed")
			}
			t.Log(err)
			if !errors.Is(err, &edit.Error{Code: edit.Damaged}) || what == "rotten" && !strings.Contains(err.Error(), filepath.Base(packs[0])) {
				t.Errorf("error %v", err)
			}
			if open, err := r.refs.List(openPrefix); err != nil || len(open) != 1 {
				t.Errorf("open %v, %v", open, err)
			}
			r = reopen(t, g, Options{NoSync: true})
			other, err := r.Begin(t.Context(), Turn{Session: "other"})
			if err != nil {
				t.Fatal(err)
			}
			if out, err := g.Command("rev-list", "--objects", openRef(other.N)).CombinedOutput(); err != nil {
				t.Errorf("the new start is not stored: %s", out)
			}
		})
	}
}

// TestProcesses counts the programs that captures start: a cold one asks git
// for its settings, a warm one starts none.
func TestProcesses(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git program")
	}
	g, _ := testRepo(t)
	g.Write(".gitignore", "*.log\nbuild/\n")
	g.Write("x.log", "x\n")
	g.Write("build/out", "x\n")
	old := time.Now().Add(-time.Minute) // settings that were changed just now are not remembered
	bin := t.TempDir()
	calls := filepath.Join(t.TempDir(), "calls")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\nexec '%s' \"$@\"\n", calls, git)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	if err := os.Chtimes(filepath.Join(g.GitDir(), "config"), old, old); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2100 * time.Millisecond) // its ctime, too
	count := func() int {
		out, err := os.ReadFile(calls)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		os.Remove(calls)
		if len(out) > 0 {
			t.Logf("started: %s", out)
		}
		return strings.Count(string(out), "\n")
	}
	count()
	ctx := context.Background()
	for i, most := range []int{1, 0, 0} {
		r := reopen(t, g, Options{NoSync: true})
		if _, err := r.Begin(ctx, Turn{Session: "s"}); err != nil {
			t.Fatal(err)
		}
		if n := count(); n > most {
			t.Errorf("begin %d started %d programs", i+1, n)
		}
		g.Write("a", fmt.Sprint(i+1, "\n"))
		r = reopen(t, g, Options{NoSync: true})
		if turn, err := r.End(ctx, "s", EndOptions{}); err != nil || turn == nil {
			t.Fatalf("%v, %v", turn, err)
		}
		if n := count(); n > 0 {
			t.Errorf("end %d started %d programs", i+1, n)
		}
	}
}

// TestLostLoose: what turns without a change stored is kept by no ref. If a gc
// takes it, the next begin stores it again, although an earlier turn keeps all
// else that the cache knows.
func TestLostLoose(t *testing.T) {
	g, _ := testRepo(t)
	g.Write("d/known", "1\n")
	turn := func(change string) {
		t.Helper()
		r := reopen(t, g, Options{NoSync: true})
		if _, err := r.Begin(t.Context(), Turn{}); err != nil {
			t.Fatal(err)
		}
		if change != "" {
			g.Write("d/known", change)
		}
		if _, err := r.End(t.Context(), "", EndOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	turn("2\n")
	g.Write("d/more", "a person's\n")
	time.Sleep(12 * time.Millisecond) // so that the cache trusts it
	turn("")
	turn("")
	lost := g.Git("hash-object", "d/more")
	for range 2 {
		name := filepath.Join(g.GitDir(), "objects", lost[:2], lost[2:])
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		r := reopen(t, g, Options{NoSync: true})
		open, err := r.Begin(t.Context(), Turn{})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := g.Command("rev-list", "--objects", openRef(open.N)).CombinedOutput(); err != nil {
			t.Errorf("the start is not stored: %s", out)
		}
		if got := g.Git("rev-parse", openRef(open.N)+":before/d/more"); got != lost {
			t.Errorf("stored %s", got)
		}
		if _, err := r.End(t.Context(), "", EndOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}
