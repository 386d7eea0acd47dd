package ref

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/gofrs/flock"
)

// locking makes a store that writes under a lock which ends with its process.
func locking(s *Store) *Store {
	dir := filepath.Join(s.CommonDir, "chordgit")
	s.Held = filepath.Join(dir, "held")
	s.Lock = func() (func(), error) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		l := flock.New(filepath.Join(dir, "refs.lock"))
		return func() { l.Unlock() }, l.Lock()
	}
	return s
}

// TestDie is what the process does that dies: it makes or removes a ref, and ends
// itself at a step.
func TestDie(t *testing.T) {
	var what, name, digits, at string
	if n, _ := fmt.Sscan(os.Getenv("REF_TEST_DIE"), &what, &name, &digits, &at); n < 4 {
		t.Skip("for TestDeath")
	}
	gitDir := os.Getenv("REF_TEST_DIR")
	s := locking(&Store{Format: id(t, digits).Format(), GitDir: gitDir, CommonDir: gitDir})
	count := 0
	s.Step = func(string) {
		if count++; fmt.Sprint(count) == at {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
	}
	do := s.Create
	if what == "remove" {
		do = s.Remove
	}
	if err := do(name, id(t, digits)); err != nil {
		t.Fatal(err)
	}
}

// die lets a process of its own die at a step, and reports whether it got there.
func die(t *testing.T, r *gittest.Repo, what, name string, id object.ID, at int) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestDie$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("REF_TEST_DIE=%s %s %s %d", what, name, id, at), "REF_TEST_DIR="+r.GitDir())
	out, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(string(out), "FAIL") {
		t.Fatalf("%s", out)
	}
	return err != nil
}

// A process that dies at any step of making or removing a ref blocks nobody: the
// next one of ours takes its locks away, and git works again.
func TestDeath(t *testing.T) {
	// The directory of the ref is gone, so that its lock is tried for twice.
	for _, what := range []string{"create", "remove"} {
		for _, next := range []string{"ours", "RemoveLocks"} {
			steps := 0
			for at := 1; ; at++ {
				r, s, head := setup(t)
				locking(s)
				const name = "refs/chordgit/keep/1/1"
				if err := s.Create("refs/chordgit/turns/1", head); err != nil {
					t.Fatal(err)
				}
				if what == "remove" {
					if err := s.Create(name, head); err != nil {
						t.Fatal(err)
					}
				}
				r.Git("pack-refs", "--all")
				if !die(t, r, what, name, head, at) {
					break
				}
				steps++
				if next == "ours" {
					if err := s.Remove("refs/chordgit/turns/1", head); err != nil {
						t.Errorf("%s, step %d: %v", what, at, err)
					}
				} else if _, err := s.RemoveLocks(); err != nil {
					t.Errorf("%s, step %d: %v", what, at, err)
				}
				filepath.WalkDir(r.GitDir(), func(p string, d os.DirEntry, err error) error {
					if strings.HasSuffix(p, ".lock") && filepath.Base(p) != "refs.lock" || strings.HasSuffix(p, ".new") {
						t.Errorf("%s, step %d: %s is left", what, at, p)
					}
					return err
				})
				r.Git("pack-refs", "--all")
				r.Git("update-ref", "-d", name)
				same(t, r, s)
				r.Fsck()
			}
			if want := map[string]int{"create": 3, "remove": 8}[what]; steps != want {
				t.Errorf("%s: %d steps, want %d", what, steps, want)
			}
		}
	}
}

// The locks of others stay, whatever stands in our directory, and while ours are
// taken away.
func TestLocksOfOthersStay(t *testing.T) {
	r, s, head := setup(t)
	locking(s)
	if err := s.Create("refs/chordgit/turns/1", head); err != nil {
		t.Fatal(err)
	}
	var theirs []string
	for _, f := range []string{"packed-refs.lock", "packed-refs.new", "refs/chordgit/turns/2.lock", "refs/heads/main.lock", "config.lock", "HEAD"} {
		theirs = append(theirs, filepath.Join(r.GitDir(), f))
		if f != "HEAD" {
			os.WriteFile(theirs[len(theirs)-1], nil, 0o666)
		}
		os.WriteFile(filepath.Join(s.Held, strings.ReplaceAll(f, "/", "%2F")), nil, 0o666)
	}
	// Names that lead elsewhere, of the very file.
	os.Link(filepath.Join(r.GitDir(), "config"), filepath.Join(s.Held, "config"))
	os.Link(filepath.Join(r.GitDir(), "config.lock"), filepath.Join(s.Held, "refs%2F..%2Fconfig.lock"))
	os.Link(filepath.Join(r.GitDir(), "refs/chordgit/turns/1"), filepath.Join(s.Held, "refs%2Fchordgit%2Fturns%2F1"))
	ours := filepath.Join(r.GitDir(), "refs/chordgit/turns/3.lock")
	os.WriteFile(ours, nil, 0o666)
	os.Link(ours, filepath.Join(s.Held, "refs%2Fchordgit%2Fturns%2F3.lock"))
	removed, err := s.RemoveLocks()
	if err != nil || !slices.Equal(removed, []string{"refs/chordgit/turns/3.lock"}) {
		t.Errorf("%q %v", removed, err)
	}
	for _, f := range append(theirs, filepath.Join(r.GitDir(), "config"), filepath.Join(r.GitDir(), "refs/chordgit/turns/1")) {
		if _, err := os.Lstat(f); err != nil {
			t.Error(err)
		}
	}
	if list, err := os.ReadDir(s.Held); err != nil || len(list) > 0 {
		t.Errorf("%v %v", list, err)
	}
	if err := s.Create("refs/chordgit/turns/2", head); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
}

func FuzzHeldName(f *testing.F) {
	for _, name := range []string{"packed-refs.lock", "packed-refs.new", "refs%2Fchordgit%2Fturns%2F3.lock", "refs%2F..%2Fconfig.lock", "config", "%"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, own string) {
		name, ok := heldName(own)
		if ok && name != packedLock && name != packedNew && (!strings.HasPrefix(name, "refs/") || !filepath.IsLocal(filepath.FromSlash(name)) || filepath.Clean(name) != name) {
			t.Errorf("%q is %q", own, name)
		}
	})
}
