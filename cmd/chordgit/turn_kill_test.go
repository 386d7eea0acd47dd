//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A killed is a repository in which a begin or an end died.
type killed struct {
	victim
	at string // where it died
}

// check fails unless what is left is in order: no lock, no half object, a turn
// open or closed, and a cache that says what is on the disk, or none.
func (v killed) check() {
	v.t.Helper()
	out, err := exec.Command("git", "-C", v.dir, "fsck", "--strict", "--full", "--no-dangling").CombinedOutput()
	if err != nil {
		v.t.Fatalf("%s: git fsck: %v\n%s", v.at, err, out)
	}
	_, open := v.refs()
	session := "check"
	v.run(nil, "", "begin", "--session", session)
	// Nothing was written since, so a cache that knows another content shows.
	if out, _ := v.run(nil, "", "end", "--session", session, "--rehash"); !strings.Contains(out, "Nothing changed") {
		v.t.Errorf("%s: the cache was wrong:\n%s", v.at, out)
	}
	filepath.WalkDir(filepath.Join(v.dir, ".git", "refs"), func(p string, d os.DirEntry, err error) error {
		if strings.HasSuffix(p, ".lock") {
			v.t.Errorf("%s: %s is left", v.at, p)
		}
		return err
	})
	closed, now := v.refs()
	for _, mark := range open {
		if !slices.Contains(now, mark) && !slices.Contains(closed, path.Base(mark)) {
			v.t.Errorf("%s: %s is gone, and closed are %v", v.at, mark, closed)
		}
	}
}

func (v killed) write(name, text string) {
	v.t.Helper()
	if err := os.WriteFile(filepath.Join(v.dir, name), []byte(text), 0o644); err != nil {
		v.t.Fatal(err)
	}
}

// whole begins, or begins again, changes a file, ends and rewinds.
func (v killed) whole() {
	v.t.Helper()
	v.run(nil, "", "begin", "--session", "s")
	v.write("keep", "of the turn\n")
	v.run(nil, "", "end", "--session", "s")
	closed, open := v.refs()
	if len(closed) == 0 || len(open) > 0 {
		v.t.Fatalf("%s: closed %v, open %v", v.at, closed, open)
	}
	last := closed[len(closed)-1]
	if text, _ := os.ReadFile(filepath.Join(v.dir, "keep")); string(text) != "of the turn\n" {
		v.t.Fatalf("%s: keep holds %q", v.at, text)
	}
	out, _ := v.run(nil, "", "rewind", last)
	shown, _ := v.run(nil, "", "show", "--json", last)
	if text, _ := os.ReadFile(filepath.Join(v.dir, "keep")); string(text) != "kept\n" {
		v.t.Errorf("%s: after the rewind keep holds %q\n%s%s", v.at, text, out, shown)
	}
}

// ended finishes what an end began: the turn is closed once, with what it did.
func (v killed) ended() {
	v.t.Helper()
	v.run(nil, "", "end", "--session", "s")
	closed, open := v.refs()
	if len(closed) != 1 || len(open) > 0 {
		v.t.Fatalf("%s: closed %v, open %v", v.at, closed, open)
	}
	out, err := exec.Command("git", "-C", v.dir, "cat-file", "blob", "refs/chordgit/turns/1:after/update").Output()
	if err != nil || string(out) != "changed\n" {
		v.t.Errorf("%s: the turn holds %q, %v", v.at, out, err)
	}
	v.run(nil, "", "rewind", "1")
	if text, _ := os.ReadFile(filepath.Join(v.dir, "update")); string(text) != fiveBefore["update"] {
		v.t.Errorf("%s: after the rewind update holds %q", v.at, text)
	}
}

// TestKillTurn ends a begin and an end at every step and at any time, and lets
// the next commands go on.
func TestKillTurn(t *testing.T) {
	fresh := prepare(t, false)
	begun := clone(t, fresh)
	begun.run(nil, "", "begin", "--session", "s")
	killed{begun, ""}.write("update", "changed\n")
	for _, c := range []struct {
		name     string
		template string
		then     func(killed)
		steps    int
	}{
		{"begin", fresh, killed.whole, 6},
		{"end", begun.dir, killed.ended, 7},
	} {
		t.Run(c.name+" at every step", func(t *testing.T) {
			t.Parallel()
			k := 1
			for ; ; k++ {
				v := killed{clone(t, c.template), fmt.Sprint("step ", k)}
				_, died := v.run([]string{fmt.Sprintf("CHORDGIT_TEST_KILL=%d", k)}, "", c.name, "--session", "s")
				v.check()
				c.then(v)
				if t.Failed() {
					t.FailNow()
				}
				if died == 0 {
					break
				}
			}
			if k <= c.steps {
				t.Errorf("only %d steps", k-1)
			}
		})
		t.Run(c.name+" at any time", func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			v := killed{clone(t, c.template), "at all"}
			v.run(nil, "", c.name, "--session", "s")
			usual := time.Since(start)
			rounds := 4
			if os.Getenv("CHORDGIT_LONG") != "" {
				rounds = 200
			}
			died := 0
			for range rounds {
				v := killed{clone(t, c.template), ""}
				cmd := v.command(c.name, "--session", "s")
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				after := rand.N(usual)
				v.at = fmt.Sprint("after ", after)
				time.Sleep(after)
				cmd.Process.Kill()
				if cmd.Wait() != nil {
					died++
				}
				v.check()
				c.then(v)
				if t.Failed() {
					t.FailNow()
				}
			}
			t.Logf("%d of %d died", died, rounds)
		})
	}
}
