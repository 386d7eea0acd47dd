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
	"syscall"
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
			for ; ; k += killStride() {
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

// TestKillEndJudged ends an end of a turn with a denied change at every step. The
// change is found all the same, and put right, once, by the next end or begin.
func TestKillEndJudged(t *testing.T) {
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{
		"keep": "kept\n", ".chordgit.yaml": "policy:\n  deny:\n    - keep\n",
	}))}
	v.run(nil, "", "begin", "--session", "s")
	killed{v, ""}.write("keep", "denied\n")
	for _, next := range []string{"end", "begin"} {
		t.Run(next, func(t *testing.T) {
			t.Parallel()
			for k := 1; ; k += killStride() {
				d := clone(t, v.dir)
				_, died := d.attempt(fmt.Sprintf("CHORDGIT_TEST_KILL=%d", k), "end", "--session", "s")
				if !died {
					if k <= 7 {
						t.Errorf("only %d steps", k-1)
					}
					return
				}
				_, out := d.try("", next, "--session", "s")
				if text := d.files()["keep"]; !strings.Contains(out, "policy.deny") || text != "kept\n" {
					t.Fatalf("step %d: keep holds %q\n%s", k, text, out)
				}
				if _, out := d.try("", next, "--session", "s"); strings.Contains(out, "policy.deny") {
					t.Fatalf("step %d: judged twice:\n%s", k, out)
				}
			}
		})
	}
}

// attempt runs a command that may die, or fail.
func (v victim) attempt(env string, args ...string) (out string, died bool) {
	v.t.Helper()
	cmd := v.command(args...)
	cmd.Env = append(cmd.Env, env)
	text, _ := cmd.CombinedOutput()
	s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return string(text), ok && s.Signaled()
}

// try runs a command that may fail.
func (v victim) try(stdin string, args ...string) (code int, out string) {
	v.t.Helper()
	cmd := v.command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		v.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// TestKillLeavesTemporaries kills a begin while its session's file has a temporary
// name. That name goes once nobody can be at work on it any more; another's file of
// such a name, a young one and a directory stay.
func TestKillLeavesTemporaries(t *testing.T) {
	template := prepare(t, false)
	for _, next := range [][]string{{"begin", "--session", "s"}, {"apply"}} {
		t.Run(next[0], func(t *testing.T) {
			t.Parallel()
			var v victim
			var left []string
			for k := 1; len(left) == 0; k++ {
				v = clone(t, template)
				if _, died := v.attempt(fmt.Sprintf("CHORDGIT_TEST_KILL=%d", k), "begin", "--session", "s"); !died {
					t.Fatal("no begin died with a temporary file")
				}
				left, _ = filepath.Glob(filepath.Join(v.dir, ".git", "chordgit", "sessions", "tmp_*"))
			}
			git := filepath.Join(v.dir, ".git")
			for _, name := range []string{"chordgit/tmp_settings_0", "chordgit/sessions/tmp_index_0", "chordgit/tmp_0", "info/tmp_chordgit_0"} {
				name = filepath.Join(git, name)
				if err := os.WriteFile(name, nil, 0o644); err != nil {
					t.Fatal(err)
				}
				left = append(left, name)
			}
			stay := []string{filepath.Join(git, "info", "tmp_of_another"), filepath.Join(git, "chordgit", "tmp_dir"), filepath.Join(git, "chordgit", "tmp_young")}
			os.WriteFile(stay[0], nil, 0o644)
			os.Mkdir(stay[1], 0o755)
			there := func(names []string) (n int) {
				for _, name := range names {
					if _, err := os.Lstat(name); err == nil {
						n++
					}
				}
				return n
			}
			v.run(nil, probePatch, next...)
			if there(left) != len(left) {
				t.Fatalf("young ones are gone: %d of %d are left", there(left), len(left))
			}
			old := time.Now().Add(-2 * time.Hour)
			for _, name := range append(stay[:2:2], left...) {
				if err := os.Chtimes(name, old, old); err != nil {
					t.Fatal(err)
				}
			}
			os.WriteFile(stay[2], nil, 0o644)
			if next[0] == "apply" {
				v.run(nil, strings.ReplaceAll(probePatch, "probe", "probe2"), next...)
			} else {
				killed{v, ""}.write("keep", "changed\n")
				v.run(nil, "", next...)
			}
			if there(left) > 0 || there(stay) != len(stay) {
				t.Errorf("left are %d of %q, and %d of %q", there(left), left, there(stay), stay)
			}
		})
	}
}
