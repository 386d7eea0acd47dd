//go:build unix

package scan

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// globs is a rule set for tests: patterns of path.Match for names, one a line;
// one with a trailing slash is for directories. It stands for package ignore.
type globs []string

// Every scan with a cache uses a room, which groups and names can outgrow.
func init() { manyEntries = 0 }

func (g globs) with(own []byte) Rules {
	return append(slices.Clip(g), strings.Fields(string(own))...)
}

func (g globs) Enter(_ string, own []byte) Rules { return g.with(own) }

func (g globs) Ignored(name string, isDir bool) bool {
	for _, p := range g {
		p, dirOnly := strings.CutSuffix(p, "/")
		if ok, _ := path.Match(p, name); ok && (isDir || !dirOnly) {
			return true
		}
	}
	return false
}

func scan(t testing.TB, top string, opt *Options) *Result {
	t.Helper()
	r, err := Scan(t.Context(), top, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines is a result as text: path, kind, whether trusted, why.
func lines(r *Result) []string {
	var out []string
	r.Walk(func(p []byte, i int) bool {
		e := &r.Entries[i]
		s := string(p)
		if e.Mode.IsDir() {
			s += "/"
			if e.Link >= 0 {
				s += flagWords(r.Dirs[e.Link].Flags &^ statcache.Clean)
			}
		}
		if e.Flags&statcache.Ignored != 0 {
			s += " ignored"
		}
		if e.Why != statcache.Stored {
			s += " not:" + e.Why.String()
		}
		out = append(out, s)
		return true
	})
	return out
}

func flagWords(f statcache.DirFlags) (s string) {
	for i, word := range []string{"empty", "nested", "partial", "incomplete", "linkedrule"} {
		if f&(1<<i) != 0 {
			s += " " + word
		}
	}
	return s
}

func want(t *testing.T, r *Result, want ...string) {
	t.Helper()
	if got := lines(r); !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func write(t testing.TB, top string, files ...string) {
	t.Helper()
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		full := filepath.Join(top, name)
		dir := filepath.Dir(full)
		if strings.HasSuffix(name, "/") {
			dir = full
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if dir == full {
			continue
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A capture keeps a cache as package snapshot will: ids of all that was read.
type capture struct {
	top, cache string
	opt        Options
	local      bool // trust directories too
}

func newCapture(t testing.TB) *capture {
	return &capture{top: t.TempDir(), cache: filepath.Join(t.TempDir(), "cache"), local: true}
}

func (c *capture) run(t testing.TB) *Result {
	t.Helper()
	mark, err := statcache.Stamp(filepath.Dir(c.cache), false)
	if err != nil {
		t.Fatal(err)
	}
	var st syscall.Stat_t
	if err := syscall.Stat(c.top, &st); err != nil {
		t.Fatal(err)
	}
	opt := c.opt
	if old, err := statcache.Open(c.cache, 20, uint64(st.Dev), st.Ino); err == nil {
		defer old.Close()
		opt.Cache = old
		opt.Rule = statcache.NewRule(&old.Header, statcache.Scene{Stamp: mark.Time, Boot: "b", Local: c.local, SameFS: true, OwnCtime: true})
	}
	r := scan(t, c.top, &opt)
	h := &statcache.Header{IDLen: 20, Stamp: mark.Time, Boot: "b", Dev: r.Dev, Ino: r.Entries[0].Ino, Rules: opt.RulesKey}
	id := func(i int) []byte {
		if !r.Candidate(i) {
			return nil
		}
		return bytes.Repeat([]byte{1}, 20)
	}
	if err := statcache.Write(c.cache, h, &r.Tree, id); err != nil {
		t.Fatal(err)
	}
	return r
}

// settle waits until the file system's clock has gone on.
func settle() { time.Sleep(25 * time.Millisecond) }

func (r *Result) untrusted() (out []string) {
	r.Walk(func(p []byte, i int) bool {
		if r.Candidate(i) && !r.Trusted(i) {
			out = append(out, string(p))
		}
		return true
	})
	return out
}

func TestAgainstWalkDir(t *testing.T) {
	for seed := range uint64(12) {
		top := t.TempDir()
		grow(t, rand.New(rand.NewPCG(seed, 1)), top, 0)
		var got, expect []string
		r := scan(t, top, &Options{})
		r.Walk(func(p []byte, i int) bool {
			e := r.Entries[i]
			got = append(got, fmt.Sprintf("%q %v", p, e.Mode))
			fi, err := os.Lstat(filepath.Join(top, string(p)))
			if err != nil {
				t.Fatal(err)
			}
			if fi.ModTime().UnixNano() != e.Mtime || !e.Mode.IsDir() && fi.Size() != e.Size || fi.Sys().(*syscall.Stat_t).Ino != e.Ino {
				t.Errorf("%q: stat %+v, want %v", p, e, fi)
			}
			return true
		})
		err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
			if err != nil || p == top {
				return err
			}
			if d.Name() == ".git" {
				if d.IsDir() {
					return filepath.SkipDir
				}
				return nil
			}
			rel, _ := filepath.Rel(top, p)
			fi, err := d.Info()
			if err != nil {
				return err
			}
			expect = append(expect, fmt.Sprintf("%q %v", rel, fi.Mode()))
			if d.IsDir() && (edit.IsGitDir(d.Name()) || d.Name() == ".gitmodules") {
				return filepath.SkipDir
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(expect)
		if !slices.Equal(got, expect) {
			t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, strings.Join(got, "\n"), strings.Join(expect, "\n"))
		}
		if c := r.Dirs[0]; c.Flags&statcache.Incomplete != 0 {
			t.Error("incomplete")
		}
	}
}

var oddNames = []string{"a", "b.txt", "a-b", "a.b", "A", " ", "x\ny", "\xff\xfe", "-rf", ":(glob)*", "caf\u00e9", "cafe\u0301",
	"\"q\"", "*?[", ".git", ".GIT", "git~1", ".gitignore", ".gitmodules", strings.Repeat("n", 255), "..x", "...", "\\", "a\tb"}

func grow(t *testing.T, rnd *rand.Rand, dir string, depth int) {
	for _, name := range oddNames {
		full := filepath.Join(dir, name)
		var err error
		switch k := rnd.IntN(14); {
		case k < 4:
			err = os.WriteFile(full, []byte(name), fs.FileMode(0o600|rnd.IntN(0o200)))
		case k == 4:
			err = os.Symlink([]string{"..", "/", "absent", "a"}[rnd.IntN(4)], full)
		case k == 5:
			err = syscall.Mkfifo(full, 0o600)
		case k == 6 && len(full) < 100:
			var l net.Listener
			if l, err = net.Listen("unix", full); err == nil {
				t.Cleanup(func() { l.Close() })
			}
		case k < 9 && depth < 4:
			if err = os.Mkdir(full, 0o755); err == nil && k == 7 {
				grow(t, rnd, full, depth+1)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Deeper than PATH_MAX and than the handles that are kept open.
func TestDeep(t *testing.T) {
	top := t.TempDir()
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	const depth = 600
	for range depth {
		for _, d := range []string{"a-long-name-of-a-directory", "b", "c"} {
			if err := root.Mkdir(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		next, err := root.OpenRoot("a-long-name-of-a-directory")
		if err != nil {
			t.Fatal(err)
		}
		root.Close()
		root = next
	}
	root.Close()
	if r := scan(t, top, &Options{}); len(r.Dirs) != 3*depth+1 || len(r.Entries) != 3*depth+1 {
		t.Errorf("%d directories, %d entries", len(r.Dirs), len(r.Entries))
	}
}
