//go:build unix

package scan

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

func TestKinds(t *testing.T) {
	top := t.TempDir()
	write(t, top, "f=1", "big=1234567", "empty/", ".git/config=x", "sub/.git/HEAD=x", "sub/f=1", ".GIT/x=1", "onlygit/.git=gitdir",
		".chordgit-1-2.tmp=x", "git~1=x", "sub/.gitmodules=x", "d/.gitmodules/x=1", "d/GITMOD~1/x=1", "d/.gitattributes. /x=1",
		"d/.gitignore/x=1")
	for _, err := range []error{
		os.Symlink("empty", filepath.Join(top, "link")), os.Symlink("f", filepath.Join(top, ".gitmodules")),
		os.Symlink("f", filepath.Join(top, "d", ".GitModules")), os.Symlink("f", filepath.Join(top, "d", ".gitattributes")),
		syscall.Mkfifo(filepath.Join(top, "fifo"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if l, err := net.Listen("unix", filepath.Join(top, "sock")); err == nil {
		defer l.Close()
	}
	want(t, scan(t, top, &Options{MaxFile: 6}),
		".GIT/ not:name", ".gitmodules not:name", "big not:size",
		"d/", "d/.GitModules not:name", "d/.gitattributes", "d/.gitattributes. / not:name", "d/.gitignore/", "d/.gitignore/x", "d/.gitmodules/ not:name", "d/GITMOD~1/ not:name",
		"empty/ empty", "f", "fifo not:special", "git~1 not:name",
		"link", "onlygit/ nested", "sock not:special", "sub/ nested", "sub/.gitmodules", "sub/f")
}

func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	top := t.TempDir()
	write(t, top, "a/x=1", "b=1", "c/y=1")
	for name, mode := range map[string]os.FileMode{"a": 0o100, "c": 0o400} {
		if err := os.Chmod(filepath.Join(top, name), mode); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(top, name), 0o755)
	}
	want(t, scan(t, top, &Options{}), "a/ incomplete not:unreadable", "b", "c/ incomplete", "c/y not:unreadable")
}

func TestIgnored(t *testing.T) {
	c := newCapture(t)
	write(t, c.top, ".gitignore=*.log\nnode/\nmod", "a.log=1", "big.log=1234567", "t.log=123456789", "node/x=1", "node/in/y=1", "node/in/z=1",
		"sub/.gitignore=*.o", "sub/b.o=1", "sub/node/k=1", "c.o=1", "mod/f=1", "mod/g/h.log=1")
	c.opt = Options{Rules: globs(nil).with, MaxIgnored: 4, Tracked: Sorted{"c.o", "mod/", "node/gone", "node/in/y", "t.log"}}
	expect := []string{".gitignore", "a.log ignored", "big.log ignored not:ignored", "c.o", "mod/", "mod/f", "mod/g/", "mod/g/h.log",
		"node/ partial ignored", "node/in/ partial ignored", "node/in/y", "sub/", "sub/.gitignore", "sub/b.o ignored",
		"sub/node/ ignored not:ignored", "t.log"}
	want(t, c.run(t), expect...)
	settle()
	c.run(t) // all was racy
	r := c.run(t)
	want(t, r, expect...)
	if u := r.untrusted(); u != nil {
		t.Errorf("untrusted: %q", u)
	}
	if r.Dirs[0].Flags&statcache.Clean == 0 {
		t.Error("the top is not clean")
	}

	// A file in place of a FIFO is judged, though no rule changed.
	if err := syscall.Mkfifo(filepath.Join(c.top, "sub", "p.o"), 0o600); err != nil {
		t.Fatal(err)
	}
	settle()
	c.run(t)
	os.Remove(filepath.Join(c.top, "sub", "p.o"))
	write(t, c.top, "sub/p.o=1")
	if got := lines(c.run(t)); !slices.Contains(got, "sub/p.o ignored") {
		t.Errorf("got %q", got)
	}
	os.Remove(filepath.Join(c.top, "sub", "p.o"))

	// A changed rule reaches directories that did not change, and those only below it.
	settle()
	write(t, c.top, ".gitignore=node/\nmod")
	write(t, c.top, "sub/.gitignore=*.x")
	want(t, c.run(t), ".gitignore", "a.log", "big.log", "c.o", "mod/", "mod/f", "mod/g/", "mod/g/h.log",
		"node/ partial ignored", "node/in/ partial ignored", "node/in/y", "sub/", "sub/.gitignore", "sub/b.o",
		"sub/node/ ignored not:ignored", "t.log")
	// So do rules from elsewhere, and the index.
	settle()
	c.opt.RulesKey[0]++
	c.opt.Rules = globs{"a*"}.with
	c.opt.Tracked = nil
	want(t, c.run(t), ".gitignore", "a.log ignored", "big.log", "c.o", "mod/ ignored not:ignored", "node/ ignored not:ignored", "sub/",
		"sub/.gitignore", "sub/b.o", "sub/node/ ignored not:ignored", "t.log")
	// A .gitignore that goes.
	settle()
	os.Remove(filepath.Join(c.top, ".gitignore"))
	want(t, c.run(t), "a.log ignored", "big.log", "c.o", "mod/", "mod/f", "mod/g/", "mod/g/h.log", "node/", "node/in/",
		"node/in/y", "node/in/z", "node/x", "sub/", "sub/.gitignore", "sub/b.o", "sub/node/", "sub/node/k", "t.log")
}

func TestLinkedAndSparseRules(t *testing.T) {
	top := t.TempDir()
	write(t, top, "rules=f", "f=1", "d/f=1", "d/g=1")
	if err := os.Symlink("rules", filepath.Join(top, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	r := scan(t, top, &Options{Rules: globs(nil).with, Sparse: map[string][]byte{"d/.gitignore": []byte("g")}})
	want(t, r, ".gitignore", "d/", "d/f", "d/g ignored", "f", "rules")
	if r.Dirs[0].Flags&statcache.LinkedRule == 0 {
		t.Error("the link is not reported")
	}
}

func TestNested(t *testing.T) {
	top := t.TempDir()
	write(t, top, ".gitignore=*.o", "n/.git/x=1", "n/a.o=1", "n/b.x=1", "n/c.x=1", "n/d/e.x=1", "n/d/f.x=1", "p/.git=x", "p/c.o=1")
	r := scan(t, top, &Options{Rules: globs(nil).with, MaxIgnored: -1, Tracked: Sorted{"n/d/f.x"},
		Nested: func(p string, own []byte) (Rules, Tracked, bool) {
			return globs{"*.x"}, Sorted{"b.x"}, p == "n"
		}})
	want(t, r, ".gitignore", "n/ nested", "n/a.o", "n/b.x", "n/c.x ignored not:ignored", "n/d/", "n/d/e.x ignored not:ignored", "n/d/f.x",
		"p/ nested", "p/c.o ignored not:ignored")
}

// What the options hid in one scan is judged by the rules in the next.
func TestHiddenByOptionsOnce(t *testing.T) {
	c := newCapture(t)
	write(t, c.top, ".gitignore=*.o\nd", "d/in=1", "d/out=1", "e.o=1")
	c.opt = Options{Rules: globs(nil).with, MaxIgnored: -1, Tracked: Sorted{"d/in"},
		Hidden: func(dir string) map[string]bool {
			return map[string]map[string]bool{"": {"d/": true, "e.o": true}}[dir]
		}}
	for i := range 4 {
		if i == 2 {
			c.opt.Hidden = nil
		}
		want(t, c.run(t), ".gitignore", "d/ partial ignored", "d/in", "e.o ignored not:ignored")
		settle()
	}
}

// Every kind of change between two scans is noticed, with and without trusted
// directories.
func TestChangesAreNoticed(t *testing.T) {
	at := func(c *capture, p string) string { return filepath.Join(c.top, p) }
	for _, x := range []struct {
		name   string
		change func(c *capture) error
		reread []string
		files  int
	}{
		{"nothing", func(c *capture) error { return nil }, nil, 3},
		{"same size", func(c *capture) error { return os.WriteFile(at(c, "d/f"), []byte("2"), 0o644) }, []string{"d/f"}, 3},
		{"same size, mtime put back", func(c *capture) error {
			fi, err := os.Stat(at(c, "d/f"))
			if err != nil {
				return err
			}
			if err := os.WriteFile(at(c, "d/f"), []byte("2"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(at(c, "d/f"), fi.ModTime(), fi.ModTime())
		}, []string{"d/f"}, 3},
		{"mode", func(c *capture) error { return os.Chmod(at(c, "d/f"), 0o755) }, []string{"d/f"}, 3},
		{"new", func(c *capture) error { return os.WriteFile(at(c, "d/e/new"), nil, 0o644) }, []string{"d/e/new"}, 4},
		{"gone", func(c *capture) error { return os.Remove(at(c, "d/f")) }, nil, 2},
		{"swap", func(c *capture) error {
			os.Rename(at(c, "d/f"), at(c, "d/x"))
			os.Rename(at(c, "g"), at(c, "d/f"))
			return os.Rename(at(c, "d/x"), at(c, "g"))
		}, []string{"d/f", "g"}, 3},
		{"link for file", func(c *capture) error { os.Remove(at(c, "g")); return os.Symlink("d", at(c, "g")) }, []string{"g"}, 3},
		{"directory for file", func(c *capture) error { os.Remove(at(c, "g")); return os.Mkdir(at(c, "g"), 0o755) }, nil, 2},
		{"file for directory", func(c *capture) error { os.RemoveAll(at(c, "d")); return os.WriteFile(at(c, "d"), nil, 0o644) }, []string{"d"}, 2},
		{"directory renamed", func(c *capture) error { return os.Rename(at(c, "d"), at(c, "e")) }, []string{"e/e/h", "e/f"}, 3},
		{"fifo for file", func(c *capture) error { os.Remove(at(c, "g")); return syscall.Mkfifo(at(c, "g"), 0o644) }, nil, 2},
		{"git init", func(c *capture) error { return os.Mkdir(at(c, "d/.git"), 0o755) }, nil, 3},
	} {
		for _, local := range []bool{true, false} {
			c := newCapture(t)
			c.local = local
			write(t, c.top, "d/f=1", "d/e/h=1", "g=2", "empty/")
			settle()
			c.run(t)
			if r := c.run(t); r.untrusted() != nil || r.Dirs[0].Flags&statcache.Clean == 0 {
				t.Fatalf("%s: untrusted at the start: %q", x.name, r.untrusted())
			}
			if err := x.change(c); err != nil {
				t.Fatal(err)
			}
			r := c.run(t)
			n := 0
			for i := range r.Entries {
				if r.Candidate(i) {
					n++
				}
			}
			if u := r.untrusted(); !slices.Equal(u, x.reread) || n != x.files {
				t.Errorf("%s (local %v): to be read %q, want %q; %d files, want %d", x.name, local, u, x.reread, n, x.files)
			}
			clean := r.Dirs[0].Flags&statcache.Clean != 0
			if clean != (x.name == "nothing" || x.name == "git init") {
				t.Errorf("%s (local %v): clean is %v", x.name, local, clean)
			}
			cold := scan(t, c.top, &Options{})
			if got, all := lines(r), lines(cold); !slices.Equal(got, all) {
				t.Errorf("%s: warm %q, cold %q", x.name, got, all)
			}
		}
	}
}

// An edit in the tick of the scan is racy and noticed, however fast it is.
func TestRacyEdits(t *testing.T) {
	c := newCapture(t)
	for i := range 60 {
		write(t, c.top, fmt.Sprintf("f=%d", i%10))
		c.run(t)
		write(t, c.top, fmt.Sprintf("f=%d", (i+1)%10))
		if u := c.run(t).untrusted(); len(u) != 1 {
			t.Fatalf("edit %d was not noticed", i)
		}
	}
}

func TestDeadline(t *testing.T) {
	top := t.TempDir()
	write(t, top, "a/x=1", "b/y=1", "c=1")
	ctx, cancel := context.WithCancel(t.Context())
	opt := &Options{Workers: 1, step: func(p string) {
		if p == "a" {
			cancel()
		}
	}}
	r, err := Scan(ctx, top, opt)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Stopped {
		t.Error("not stopped")
	}
	want(t, r, "a/", "a/x", "b/ incomplete not:deadline", "c")
	many := t.TempDir()
	for i := range 3 * often {
		write(t, many, fmt.Sprintf("f%d=", i))
	}
	ctx, cancel = context.WithCancel(t.Context())
	r, err = Scan(ctx, many, &Options{step: func(string) { cancel() }})
	if err != nil {
		t.Fatal(err)
	}
	late := 0 // in the order of the listing, which is not ours
	for i := range r.Entries {
		if r.Entries[i].Why == statcache.Deadline {
			late++
		}
	}
	if r.Dirs[0].Flags&statcache.Incomplete == 0 || len(r.Entries) != 3*often+1 || late < often {
		t.Errorf("%d entries, %d of them late, flags %b", len(r.Entries), late, r.Dirs[0].Flags)
	}
}

func TestBudget(t *testing.T) {
	top := t.TempDir()
	write(t, top, "a=12", "b=12345678", "c=1234", "d=123")
	r := scan(t, top, &Options{})
	if n := r.Budget(9, nil); n != 1 {
		t.Errorf("%d skipped", n)
	}
	want(t, r, "a", "b not:budget", "c", "d")
	if n := scan(t, top, &Options{}).Budget(9, func(i int) bool { return i == 2 }); n != 0 {
		t.Errorf("%d skipped although known", n)
	}
}

// What vanishes, grows or is replaced while we look never fails a scan, and is
// noticed by the next.
func TestChangesDuringTheScan(t *testing.T) {
	c := newCapture(t)
	write(t, c.top, "a/x=1", "b/y=1", "c=1", "d=1")
	c.opt.step = func(p string) {
		if p == "" {
			os.Remove(filepath.Join(c.top, "c"))
			os.RemoveAll(filepath.Join(c.top, "a"))
			write(t, c.top, "d=123")
		} else if p == "b" {
			write(t, c.top, "b/y=12", "b/z=1")
		}
	}
	want(t, c.run(t), "b/", "b/y", "d")
	c.opt.step = nil
	r := c.run(t)
	want(t, r, "b/", "b/y", "b/z", "d")
	if u := r.untrusted(); len(u) != 3 {
		t.Errorf("trusted although racy: to be read %q", u)
	}
	// A directory replaced by a link, between its lstat and its opening.
	out := t.TempDir()
	write(t, out, "secret=1")
	c.cache += "2"
	c.opt.Workers = 1
	c.opt.step = func(p string) {
		if p == "" {
			write(t, c.top, "e/f=1")
		}
	}
	c.run(t)
	c.opt.step = func(p string) {
		if p == "b" {
			os.RemoveAll(filepath.Join(c.top, "e"))
			os.Symlink(out, filepath.Join(c.top, "e"))
		}
	}
	c.cache += "3"
	want(t, c.run(t), "b/", "b/y", "b/z", "d", "e/ incomplete not:unreadable")
}

// Writers at work all the time: no panic, no error, and a scan at rest agrees
// with a cold one.
func TestStorm(t *testing.T) {
	c := newCapture(t)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			d := filepath.Join(c.top, fmt.Sprint("d", i%7))
			switch i % 5 {
			case 0:
				os.MkdirAll(filepath.Join(d, "e"), 0o755)
			case 1:
				os.WriteFile(filepath.Join(d, "e", "f"), []byte(fmt.Sprint(i)), 0o644)
			case 2:
				os.Rename(d, filepath.Join(c.top, fmt.Sprint("d", (i+3)%7)))
			case 3:
				os.RemoveAll(d)
			case 4:
				os.WriteFile(d, nil, 0o644)
			}
		}
	}()
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
		c.run(t)
	}
	close(stop)
	<-done
	if got, all := lines(c.run(t)), lines(scan(t, c.top, &Options{})); !slices.Equal(got, all) {
		t.Errorf("warm %q, cold %q", got, all)
	}
}

func TestTopMustBeADirectory(t *testing.T) {
	top := t.TempDir()
	write(t, top, "f=1")
	for _, name := range []string{"f", "absent"} {
		if _, err := Scan(t.Context(), filepath.Join(top, name), &Options{}); err == nil {
			t.Errorf("%s was scanned", name)
		}
	}
}
