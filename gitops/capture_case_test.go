//go:build unix

package gitops

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCaptureIgnoreCase compares what is stored under core.ignoreCase with what git
// says: names of the index stand for what differs in case alone, in ignored
// directories, too.
func TestCaptureIgnoreCase(t *testing.T) {
	rounds := 60
	if os.Getenv("CHORDGIT_LONG") != "" {
		rounds = 1500
	}
	found := 0 // tracked in another case, and hidden by a rule
	for i := range rounds {
		found += caseWorld(t, newDice([]byte(fmt.Sprint("case ", i))), i)
		if t.Failed() {
			return
		}
	}
	if found < rounds/4 {
		t.Errorf("%d files only are tracked in another case and hidden", found)
	}
}

func caseWorld(t *testing.T, d *dice, round int) (found int) {
	t.Helper()
	dir := t.TempDir()
	for name, value := range map[string]string{
		"HOME": dir, "XDG_CONFIG_HOME": dir, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@x", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@x", "LC_ALL": "C",
	} {
		t.Setenv(name, value)
	}
	w := &world{dice: d, t: t, dir: filepath.Join(dir, "work")}
	w.must(os.Mkdir(w.dir, 0o777))
	w.git("", "", "init", "-q")
	name := func() string { return w.one("a", "b", "readme", "b.log", "é", "d", "e") }
	other := func(p string) string {
		switch w.n(4) {
		case 0:
			return strings.ToUpper(p) // É, too, which is another name than é for git
		case 1:
			return strings.ToUpper(p[:1]) + p[1:]
		}
		return p
	}
	file := func() string {
		p := name()
		for range w.n(3) {
			p = w.one("dir", "out", "sub") + "/" + p
		}
		return p
	}
	write := func(p string) {
		if os.MkdirAll(filepath.Dir(w.path(p)), 0o777) == nil {
			_ = os.WriteFile(w.path(p), []byte(p), 0o666) // where a directory stands there is no file
		}
	}
	for range 6 + w.n(6) {
		write(file())
	}
	w.git("", "", "add", "-A")
	// The disk has other names than the index.
	var moved []string
	w.must(filepath.WalkDir(w.dir, func(p string, e os.DirEntry, err error) error {
		if e.Name() == ".git" {
			return filepath.SkipDir
		}
		if p != w.dir {
			moved = append(moved, p)
		}
		return err
	}))
	for _, p := range slices.Backward(moved) {
		to := filepath.Join(filepath.Dir(p), other(filepath.Base(p)))
		if _, err := os.Lstat(to); err != nil {
			w.must(os.Rename(p, to))
		}
	}
	for range w.n(6) {
		write(other(file()))
	}
	rules := ""
	for range 1 + w.n(3) {
		rules += w.one("dir/", "OUT", "/sub/*", "*", "readme", "B*", "!b.log", "a", "/Dir/a", "É") + "\n"
	}
	w.must(os.WriteFile(w.path(w.one(".gitignore", ".git/info/exclude")), []byte(rules), 0o666))
	w.git("", "", "config", "core.ignoreCase", "true")

	r, err := Open(w.dir, Options{NoSync: true})
	w.must(err)
	defer r.Close()
	got := w.look(r, nil).files

	dirs, files := w.in("")
	list := func(args ...string) map[string]bool {
		set := map[string]bool{}
		for p := range strings.SplitSeq(string(w.git("", "", append([]string{"ls-files", "-z"}, args...)...)), "\x00") {
			set[p] = true
		}
		return set
	}
	untracked, visible, index := list("-o"), list("-o", "--exclude-standard"), list("-c")
	stdin := ""
	for _, p := range dirs {
		if p != "" {
			stdin += "./" + p + "\x00"
		}
	}
	hidden := map[string]bool{}
	for _, p := range w.ignored("", stdin) {
		hidden[strings.TrimPrefix(p, "./")] = true
	}
	want := map[string]bool{}
	for _, p := range files {
		tracked := !untracked[p]
		if tracked || visible[p] || !hidden[path.Dir(p)] {
			want[p] = true
		}
		if tracked && !index[p] && hidden[path.Dir(p)] {
			found++
		}
	}
	for _, p := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[p]; !ok {
			t.Errorf("round %d: %q is not stored; on disk are %q, in the index %q, ignored by %q", round, p, files, slices.Sorted(maps.Keys(index)), rules)
		}
	}
	for p := range got {
		if !want[p] {
			t.Errorf("round %d: %q is stored; on disk are %q, in the index %q, ignored by %q", round, p, files, slices.Sorted(maps.Keys(index)), rules)
		}
	}
	return found
}
