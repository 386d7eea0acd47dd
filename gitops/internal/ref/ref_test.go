package ref

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

func setup(t testing.TB) (*gittest.Repo, *Store, object.ID) {
	t.Helper()
	r := gittest.New(t)
	r.Write("a", "a")
	r.Commit()
	return r, &Store{GitDir: r.GitDir(), CommonDir: r.GitDir()}, id(t, r.Git("rev-parse", "HEAD"))
}

// A store is what Store and Program have in common.
type store interface {
	Head() (Head, error)
	Read(name string) (object.ID, error)
	List(prefix string) ([]Ref, error)
	Log(name string) ([]LogEntry, error)
	Create(name string, id object.ID) error
	Remove(name string, id object.ID) error
}

// A maker makes a store of one kind for the git directory of r, which may be
// that of a linked worktree.
type maker func(r *gittest.Repo, gitDir string) store

// stores runs a test over every kind of store, on repositories of both hashes.
// The repository has no commit yet.
func stores(t *testing.T, f func(t *testing.T, r *gittest.Repo, make maker)) {
	for _, format := range []object.Format{object.SHA1, object.SHA256} {
		for kind, make := range map[string]maker{
			"files": func(r *gittest.Repo, gitDir string) store {
				return &Store{Format: format, GitDir: gitDir, CommonDir: r.GitDir()}
			},
			"program": func(r *gittest.Repo, gitDir string) store {
				return &Program{Format: format, Command: func(args ...string) *exec.Cmd {
					cmd := r.Command(args...)
					cmd.Env = append(cmd.Env, "GIT_DIR="+gitDir, "GIT_COMMON_DIR="+r.GitDir())
					return cmd
				}}
			},
		} {
			t.Run(kind+" "+format.String(), func(t *testing.T) {
				f(t, gittest.New(t, "--object-format="+format.String()), make)
			})
		}
	}
}

// committed is stores for repositories with a commit.
func committed(t *testing.T, f func(t *testing.T, r *gittest.Repo, s store, head object.ID)) {
	stores(t, func(t *testing.T, r *gittest.Repo, make maker) {
		r.Write("a", "a")
		r.Commit()
		f(t, r, make(r, r.GitDir()), id(t, r.Git("rev-parse", "HEAD")))
	})
}

func id(t testing.TB, s string) object.ID {
	t.Helper()
	v, ok := object.ParseID(s)
	if !ok {
		t.Fatalf("%q is no id", s)
	}
	return v
}

// same compares our list with git's.
func same(t *testing.T, r *gittest.Repo, s store) {
	t.Helper()
	refs, err := s.List("refs/")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ref := range refs {
		got = append(got, ref.ID.String()+" "+ref.Name)
	}
	want := strings.Split(r.Git("for-each-ref", "--format=%(objectname) %(refname)"), "\n")
	if !slices.Equal(got, want) {
		t.Errorf("ours:\n%s\ngit's:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestHead(t *testing.T) { stores(t, testHead) }

func testHead(t *testing.T, r *gittest.Repo, make maker) {
	s := make(r, r.GitDir())
	if h, err := s.Head(); err != nil || h.Ref != "refs/heads/main" || !h.Unborn() || h.Detached() {
		t.Fatalf("unborn: %+v %v", h, err)
	}
	r.Write("a", "a")
	r.Commit()
	head := id(t, r.Git("rev-parse", "HEAD"))
	for _, step := range []string{"loose", "packed"} {
		if h, err := s.Head(); err != nil || h.Ref != "refs/heads/main" || h.ID != head || h.Unborn() {
			t.Fatalf("%s: %+v %v", step, h, err)
		}
		r.Git("pack-refs", "--all")
	}
	r.Git("checkout", "-q", "--detach")
	if h, err := s.Head(); err != nil || !h.Detached() || h.ID != head {
		t.Fatalf("detached: %+v %v", h, err)
	}
	wt := filepath.Join(t.TempDir(), "wt")
	r.Git("worktree", "add", "-q", "-b", "topic", wt)
	linked := make(r, filepath.Join(r.GitDir(), "worktrees/wt"))
	if h, err := linked.Head(); err != nil || h.Ref != "refs/heads/topic" || h.ID != head {
		t.Fatalf("linked: %+v %v", h, err)
	}
	if err := linked.Create("refs/chordgit/turns/1", head); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read("refs/chordgit/turns/1"); err != nil || got != head {
		t.Fatal(got, err)
	}
}

// The life of a ref, with `git pack-refs --all` between any two steps.
func TestLifeWithPackRefsAtEveryPoint(t *testing.T) {
	committed(t, func(t *testing.T, r *gittest.Repo, s store, head object.ID) {
		other := id(t, r.Git("rev-parse", "HEAD^{tree}"))
		r.Git("tag", "-a", "-m", "m", "v1")
		for at := range 8 {
			life(t, r, s, head, other, at)
		}
		if refs, err := s.List("refs/chordgit/turns/"); err != nil || len(refs) != 8 || refs[0] != (Ref{"refs/chordgit/turns/0", head}) {
			t.Errorf("%v %v", refs, err)
		}
		if refs, err := s.List("refs/chordgit/tur"); err != nil || len(refs) != 8 {
			t.Errorf("%v %v", refs, err)
		}
		if refs, err := s.List("refs/none/"); err != nil || len(refs) != 0 {
			t.Errorf("%v %v", refs, err)
		}
	})
}

func life(t *testing.T, r *gittest.Repo, s store, head, other object.ID, at int) {
	n := 0
	step := func(err error, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Fatalf("pack-refs after step %d, step %d: %v, want %v", at, n, err, want)
		}
		if n++; n == at {
			r.Git("pack-refs", "--all")
		}
		same(t, r, s)
	}
	open, turn := fmt.Sprint("refs/chordgit/open/", at), fmt.Sprint("refs/chordgit/turns/", at)
	step(s.Create(open, head), nil)
	step(s.Create(open, other), ErrExists)
	step(s.Create(turn, head), nil)
	step(s.Remove(open, other), ErrChanged)
	step(s.Remove(open, head), nil)
	step(s.Remove(open, head), ErrNotFound)
	step(s.Create(open, other), nil)
	if got, err := s.Read(open); err != nil || got != other {
		t.Fatal(got, err)
	}
	if _, err := s.Read(turn + "0"); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	r.Fsck()
	for _, name := range []string{open + ".lock", turn + ".lock", "packed-refs.lock", "packed-refs.new", "logs/" + open} {
		if _, err := os.Lstat(filepath.Join(r.GitDir(), name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

func TestNamesThatAreDirectories(t *testing.T) {
	committed(t, func(t *testing.T, r *gittest.Repo, s store, head object.ID) {
		for i, pack := range []bool{false, true} {
			top := fmt.Sprintf("refs/x%d/", i)
			if err := s.Create(top+"a/b", head); err != nil {
				t.Fatal(err)
			}
			if pack {
				r.Git("pack-refs", "--all")
			}
			for _, name := range []string{"a", "a/b/c"} {
				if err := s.Create(top+name, head); err == nil {
					t.Errorf("packed %v: %s was made", pack, name)
				}
			}
			if err := s.Create(top+"a", head); !errors.Is(err, ErrExists) {
				t.Errorf("packed %v: %v", pack, err)
			}
			if err := s.Create(top+"a/bc", head); err != nil {
				t.Error(err)
			}
			if err := s.Remove(top+"a/bc", head); err != nil {
				t.Error(err)
			}
			if err := s.Remove(top+"a/b", head); err != nil {
				t.Error(err)
			}
			// An empty directory is no ref.
			if err := s.Create(top+"a", head); err != nil {
				t.Error(err)
			}
			same(t, r, s)
		}
	})
}

// A name of the other hash becomes no ref.
func TestOtherFormat(t *testing.T) {
	committed(t, func(t *testing.T, r *gittest.Repo, s store, head object.ID) {
		foreign := (object.SHA1 + object.SHA256 - head.Format()).EmptyTree()
		if err := s.Create("refs/x/y", foreign); !errors.Is(err, object.ErrFormat) {
			t.Error(err)
		}
		if _, err := s.Read("refs/x/y"); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
	})
}

func TestHeldLocks(t *testing.T) {
	r, s, head := setup(t)
	if err := s.Create("refs/chordgit/open/1", head); err != nil {
		t.Fatal(err)
	}
	r.Git("pack-refs", "--all")
	p := &Program{Command: r.Command}
	for _, c := range []struct {
		lock string
		call func() error
	}{
		{"refs/chordgit/open/2.lock", func() error { return p.Create("refs/chordgit/open/2", head) }},
		{"refs/chordgit/open/2.lock", func() error { return p.Remove("refs/chordgit/open/2", head) }},
		{"refs/chordgit/open/2.lock", func() error { return s.Create("refs/chordgit/open/2", head) }},
		{"refs/chordgit/open/1.lock", func() error { return s.Remove("refs/chordgit/open/1", head) }},
		{"packed-refs.lock", func() error { return s.Remove("refs/chordgit/open/1", head) }},
	} {
		s.Create("refs/chordgit/open/1", head) // again
		r.Git("pack-refs", "--all")
		file := filepath.Join(r.GitDir(), c.lock)
		os.MkdirAll(filepath.Dir(file), 0o777)
		os.WriteFile(file, nil, 0o666)
		start := time.Now()
		if err := c.call(); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), c.lock) {
			t.Errorf("%s: %v", c.lock, err)
		}
		if took := time.Since(start); took < 900*time.Millisecond || took > 3*time.Second {
			t.Errorf("%s: waited %v", c.lock, took)
		}
		if _, err := os.Stat(file); err != nil {
			t.Error("the lock of somebody else was removed")
		}
		time.AfterFunc(200*time.Millisecond, func() { os.Remove(file) })
		if err := c.call(); err != nil {
			t.Errorf("%s, released: %v", c.lock, err)
		}
	}
	same(t, r, s)
}

// Packed refs keep what we do not know of: header, peeled lines, order.
func TestRemovePackedIsFaithful(t *testing.T) {
	r, s, head := setup(t)
	for i := range 3 {
		r.Git("tag", "-a", "-m", "m", fmt.Sprint("v", i))
	}
	s.Create("refs/chordgit/turns/1", head)
	r.Git("pack-refs", "--all")
	before, _ := os.ReadFile(s.packedPath())
	v1 := r.Git("rev-parse", "v1")
	if err := s.Remove("refs/tags/v1", id(t, v1)); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(s.packedPath())
	if want := strings.Replace(string(before), v1+" refs/tags/v1\n^"+head.String()+"\n", "", 1); string(after) != want {
		t.Errorf("%s\nwant\n%s", after, want)
	}
	same(t, r, s)
	r.Fsck()
}

func TestManyPackedRefs(t *testing.T) {
	r, s, head := setup(t)
	var in strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&in, "create refs/many/%d/%s %s\n", i, strings.Repeat("long", i%50), head)
	}
	in.WriteString("create refs/zz " + head.String() + "\n")
	r.GitIn(strings.ReplaceAll(in.String(), "/ ", " "), "update-ref", "--stdin")
	r.Git("pack-refs", "--all")
	same(t, r, s)
	for _, name := range []string{"refs/heads/main", "refs/many/1/long", "refs/many/4999/" + strings.Repeat("long", 49), "refs/zz"} {
		if got, err := s.Read(name); err != nil || got != head {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	for _, name := range []string{"refs/a", "refs/many/1/lon", "refs/zzz", "refs/many/777"} {
		if got, err := s.Read(name); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	if refs, err := s.List("refs/many/77/"); err != nil || len(refs) != 1 {
		t.Errorf("%v %v", refs, err)
	}
	// Without the header it is searched from the front.
	data, _ := os.ReadFile(s.packedPath())
	_, rest, _ := strings.Cut(string(data), "\n")
	os.WriteFile(s.packedPath(), []byte(rest), 0o666)
	same(t, r, s)
}

func TestNames(t *testing.T) { committed(t, testNames) }

func testNames(t *testing.T, r *gittest.Repo, s store, head object.ID) {
	for _, name := range []string{
		"refs/x", "refs/chordgit/turns/1", "refs/a..b", "refs/.a", "refs/a.lock", "refs/a.lock/b", "refs/a/", "refs//a",
		"refs/a b", "refs/a~", "refs/a^", "refs/a:", "refs/a?", "refs/a*", "refs/a[", "refs/a\\", "refs/a\x7f", "refs/a@{b",
		"refs/@", "refs/a.", "refs/é", "refs/../config", "refs/a/.b", "refs/-x",
	} {
		want := r.Command("check-ref-format", name).Run() == nil
		if got := ValidName(name); got != want {
			t.Errorf("ValidName(%q) = %v, git says %v", name, got, want)
		}
	}
	for _, name := range []string{"HEAD", "config", "objects/x", "", "../x"} {
		if err := s.Create(name, head); !errors.Is(err, ErrName) {
			t.Errorf("Create(%q) = %v", name, err)
		}
		if err := s.Remove(name, head); !errors.Is(err, ErrName) {
			t.Errorf("Remove(%q) = %v", name, err)
		}
	}
	if _, err := s.Read("config"); !errors.Is(err, ErrName) {
		t.Error(err)
	}
}

func TestBrokenAndSymbolic(t *testing.T) { committed(t, testBrokenAndSymbolic) }

func testBrokenAndSymbolic(t *testing.T, r *gittest.Repo, s store, head object.ID) {
	r.Git("symbolic-ref", "refs/remotes/o/HEAD", "refs/heads/main")
	if got, err := s.Read("refs/remotes/o/HEAD"); err != nil || got != head {
		t.Error(got, err)
	}
	same(t, r, s)
	if err := s.Remove("refs/remotes/o/HEAD", head); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	os.WriteFile(filepath.Join(r.GitDir(), "refs/heads/empty"), nil, 0o666)
	if _, err := s.Read("refs/heads/empty"); !errors.Is(err, ErrBroken) {
		t.Error(err)
	}
	if err := s.Create("refs/heads/empty", head); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	r.Git("symbolic-ref", "refs/heads/loop", "refs/heads/loop")
	if _, err := s.Read("refs/heads/loop"); !errors.Is(err, ErrBroken) && !errors.Is(err, ErrNotFound) { // git does not list it
		t.Error(err)
	}
	if err := s.Create("refs/heads/loop", head); err == nil {
		t.Error("a ref was made over a symbolic one")
	}
}

// Births and removals while git packs refs all the time: no error, none lost.
func TestAgainstPackRefs(t *testing.T) {
	r, s, head := setup(t)
	s.NoSync = true
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				r.Command("pack-refs", "--all").Run() // may find a lock held
			}
		}
	})
	for i := range 60 {
		open, turn := fmt.Sprint("refs/chordgit/open/", i), fmt.Sprint("refs/chordgit/turns/", i)
		for _, err := range []error{s.Create(open, head), s.Create(turn, head), s.Remove(open, head)} {
			if err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
	}
	close(stop)
	wg.Wait()
	if refs, err := s.List("refs/chordgit/"); err != nil || len(refs) != 60 {
		t.Errorf("%d refs, %v", len(refs), err)
	}
	same(t, r, s)
}

func BenchmarkCreate(b *testing.B) {
	for _, noSync := range []bool{false, true} {
		b.Run(fmt.Sprintf("nosync=%v", noSync), func(b *testing.B) {
			_, s, head := setup(b)
			s.NoSync = noSync
			i := 0
			for b.Loop() {
				i++
				if err := s.Create(fmt.Sprint("refs/chordgit/turns/", i), head); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestLogOfRef(t *testing.T) { committed(t, testLogOfRef) }

func testLogOfRef(t *testing.T, r *gittest.Repo, s store, head object.ID) {
	read := func() (said []string) {
		t.Helper()
		log, err := s.Log("refs/stash")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range log {
			said = append(said, e.New.String()+" "+e.Message)
		}
		return said
	}
	if got := read(); got != nil {
		t.Errorf("no ref: %q", got)
	}
	var want []string
	for _, message := range []string{"On main: one", "caf\xe9", ""} {
		r.Write("a", message+"changed")
		commit := r.Git("stash", "create")
		r.Git("stash", "store", "-q", "-m", message, commit)
		want = append(want, commit+" "+message)
	}
	if got := read(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// A ref without a reflog.
	r.Git("update-ref", "-d", "refs/stash")
	r.Git("-c", "core.logAllRefUpdates=false", "update-ref", "refs/stash", head.String())
	if got := read(); got != nil {
		t.Errorf("no reflog: %q", got)
	}
}

// TestReadBesideACreation: a ref that comes while it is read was absent or is
// there, and is no trouble.
func TestReadBesideACreation(t *testing.T) {
	_, s, id := setup(t)
	const name = "refs/heads/comes"
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for file := s.path(name); ; {
			select {
			case <-stop:
				return
			default:
			}
			os.WriteFile(file+".new", []byte(id.String()+"\n"), 0o666)
			os.Rename(file+".new", file)
			os.Remove(file)
		}
	})
	there := 0
	for range 20_000 {
		switch got, err := s.Read(name); {
		case err == nil && got == id:
			there++
		case !errors.Is(err, ErrNotFound):
			t.Fatalf("%v, %v", got, err)
		}
	}
	close(stop)
	wg.Wait()
	if there == 0 {
		t.Error("it was never there: nothing was tried")
	}
}
