//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestKillGit ends a rewind with --git at every step. The next command repairs the
// files and names the parts that are missing, and the same rewind does them.
func TestKillGit(t *testing.T) {
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"a": "a\n", "b": "b\n"}))}
	git := func(v victim, args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", v.dir, "-c", "user.name=a", "-c", "user.email=a@x"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git(v, "add", "-A")
	git(v, "commit", "-q", "--allow-empty", "-m", "start")
	stash := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(v.dir, "a"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git(v, "stash", "push", "-q", "-m", text)
	}
	for _, text := range []string{"one", "two", "three"} {
		stash(text)
	}
	state := func(v victim) string {
		t.Helper()
		return git(v, "for-each-ref", "refs/heads", "refs/tags") + git(v, "symbolic-ref", "HEAD") + git(v, "ls-files", "-s") + git(v, "log", "-g", "--format=%H %gs", "refs/stash") + fmt.Sprint(v.files())
	}
	start := state(v)
	v.run(nil, "", "begin")
	git(v, "checkout", "-q", "-b", "o")
	if err := os.WriteFile(filepath.Join(v.dir, "b"), []byte("other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(v, "commit", "-qam", "o")
	git(v, "reset", "-q", "--hard", "HEAD")
	git(v, "tag", "t")
	git(v, "stash", "drop", "-q")
	git(v, "stash", "drop", "-q")
	stash("agent's")
	v.run(nil, "", "end")
	ended := state(v)
	if start == ended {
		t.Fatal("the turn changed nothing")
	}
	named := map[string]bool{}
	steps := 0
	for k := 1; ; k += killStride() {
		w := clone(t, v.dir)
		_, died := w.run([]string{fmt.Sprintf("CHORDGIT_TEST_KILL=%d", k)}, "", "rewind", "1", "--git")
		if died == 0 {
			steps = k - 1
			if state(w) != start {
				t.Fatalf("not as at the start:\n%s", state(w))
			}
			break
		}
		// The next command says what is missing, if the files are back.
		out, _ := w.run(nil, "", "rewind", "1", "--git", "--dry-run")
		out2, _ := w.run(nil, "", "verify")
		out += out2
		now := state(w)
		for _, part := range []string{"o, ", "tags/t", "the stashes", "HEAD", "the index"} {
			if strings.Contains(out2, "but not") && strings.Contains(out2, part) {
				named[part] = true
			}
		}
		if now != ended && now != start && !strings.Contains(out2, "chordgit rewind 1 --git does") {
			t.Fatalf("step %d: half is done, and nobody says so:\n%s\n%s", k, now, out)
		}
		if strings.Contains(out2, "but not") && now == start {
			t.Fatalf("step %d: all is done, and something is said to be missing:\n%s", k, out)
		}
		out, _ = w.run(nil, "", "rewind", "1", "--git")
		if now = state(w); now != start {
			t.Fatalf("step %d: the same command did not do it:\n%s\n%s", k, now, out)
		}
		if out, _ := w.run(nil, "", "verify"); strings.Contains(out, "but not") {
			t.Fatalf("step %d: still named:\n%s", k, out)
		}
		if _, open := w.refs(); len(open) > 0 && !strings.HasPrefix(open[0], "refs/chordgit/keep/") {
			t.Fatalf("step %d: %v are left", k, open)
		}
	}
	if steps < 20 || len(named) < 5 {
		t.Errorf("%d steps, missing parts named: %v", steps, named)
	}
}
