//go:build linux

package seed

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

func statOf(t testing.TB, name string) Stat {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	st := info.Sys().(*syscall.Stat_t)
	return Stat{
		Mode: info.Mode(), Mtime: info.ModTime().UnixNano(), Size: info.Size(), Ino: st.Ino,
		Ctime: syscall.TimespecToNsec(st.Ctim),
	}
}

// opened is a repository with its seeds.
type opened struct {
	*gittest.Repo
	seeds *Seeds
}

func open(t testing.TB, r *gittest.Repo) opened {
	t.Helper()
	l := layout(t, r)
	x, err := l.Index()
	if err != nil {
		t.Fatal(err)
	}
	db, err := object.Open(l.CommonDir, object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close(); db.Close() })
	s := &repo.Settings{AutoCRLF: r.Git("config", "--default=false", "core.autocrlf") != "false"}
	for _, line := range strings.Fields(r.Git("config", "--list", "--name-only")) {
		if rest, ok := strings.CutPrefix(line, "filter."); ok {
			s.Filters = append(s.Filters, rest[:strings.LastIndexByte(rest, '.')])
		}
	}
	return opened{r, Open(l, x, s, db.Size)}
}

// check asks about each path, in two orders, and compares with what git makes
// of the bytes on the disk. It returns the paths that have an id.
func (o opened) check() string {
	o.TB.Helper()
	var names, known []string
	err := filepath.WalkDir(o.Dir, func(name string, d os.DirEntry, err error) error {
		switch rel, _ := filepath.Rel(o.Dir, name); {
		case err != nil:
			return err
		case rel == ".git":
			return filepath.SkipDir
		case !d.IsDir():
			names = append(names, rel)
		}
		return nil
	})
	if err != nil {
		o.TB.Fatal(err)
	}
	for i := len(names) - 1; i >= -len(names); i-- {
		rel := names[(i+len(names))%len(names)]
		st := statOf(o.TB, filepath.Join(o.Dir, rel))
		id, ok := o.seeds.ID([]byte(rel), st)
		if !ok {
			continue
		}
		if i >= 0 {
			known = append([]string{rel}, known...)
		}
		data, _ := os.ReadFile(filepath.Join(o.Dir, rel))
		if st.Mode.Type() == os.ModeSymlink {
			target, _ := os.Readlink(filepath.Join(o.Dir, rel))
			data = []byte(target)
		}
		if want := o.GitIn(string(data), "hash-object", "--no-filters", "--stdin"); id.String() != want {
			o.TB.Errorf("%s: seeded %s, the disk holds %s", rel, id, want)
		}
	}
	return strings.Join(known, " ")
}

// settled lets the clock of the file system go on, so that what was written is
// older than the index that is written next.
func settled(r *gittest.Repo) {
	time.Sleep(30 * time.Millisecond)
	r.Git("update-index", "--force-write-index")
}

// cleanForGit fails the test if git sees that a file is not what the index
// has, or if d.txt is: the case would show nothing.
func cleanForGit(r *gittest.Repo) {
	r.TB.Helper()
	if out := r.Git("diff-files", "--name-only"); out != "" || r.Git("hash-object", "--no-filters", "d.txt") == r.Git("rev-parse", ":d.txt") {
		r.TB.Errorf("changed for git: %q", out)
	}
}

// aSecondLater makes files clean for a git that compares whole seconds: it
// looks into those that are not older than its index.
func aSecondLater(r *gittest.Repo) {
	time.Sleep(1100 * time.Millisecond)
	settled(r)
}

func TestID(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(r *gittest.Repo) // before the index is written
		after  func(r *gittest.Repo)
		want   string
	}{
		{"all", nil, nil, "a b/c b/l d.txt e l"},
		{"packed", func(r *gittest.Repo) { r.Git("repack", "-adq") }, nil, "a b/c b/l d.txt e l"},
		{"version 4", func(r *gittest.Repo) { r.Git("update-index", "--index-version=4") }, nil, "a b/c b/l d.txt e l"},
		{"text", func(r *gittest.Repo) { r.Write(".gitattributes", "*.txt text\n") }, nil, "a b/c b/l e l"},
		{"text below", func(r *gittest.Repo) { r.Write("b/.gitattributes", "* text=auto\n") }, nil, "a d.txt e l"},
		{"not text", func(r *gittest.Repo) { r.Write(".gitattributes", "* text\n*.txt binary\nb/* -text\n") }, nil, "b/c b/l d.txt"},
		{"autocrlf", func(r *gittest.Repo) { r.Git("config", "core.autocrlf", "input") }, nil, ""},
		{"filter", func(r *gittest.Repo) { r.Git("config", "filter.x.clean", "tr a b") }, nil, ""},
		{"lfs", func(r *gittest.Repo) { r.Git("config", "filter.lfs.clean", "git-lfs clean") }, nil, "a b/c b/l d.txt e l"},
		{"split", nil, func(r *gittest.Repo) { r.Git("update-index", "--split-index") }, ""},
		{"changed", nil, func(r *gittest.Repo) { r.Write("a", "changed") }, "b/c b/l d.txt e l"},
		{"same size, mtime put back", nil, func(r *gittest.Repo) {
			info, _ := os.Stat(r.Dir + "/a")
			r.Write("a", "b\n")
			os.Chtimes(r.Dir+"/a", info.ModTime(), info.ModTime())
		}, "b/c b/l d.txt e l"},
		{"replaced", nil, func(r *gittest.Repo) {
			r.Write("new", "b\n")
			os.Rename(r.Dir+"/new", r.Dir+"/a")
		}, "b/c b/l d.txt e l"},
		{"mode", nil, func(r *gittest.Repo) { os.Chmod(r.Dir+"/a", 0o755) }, "b/c b/l d.txt e l"},
		{"kind", nil, func(r *gittest.Repo) { os.Remove(r.Dir + "/a"); os.Symlink("a", r.Dir+"/a") }, "b/c b/l d.txt e l"},
		{"index as old as the files", nil, func(r *gittest.Repo) {
			at := time.Unix(0, statOf(r.TB, r.Dir+"/a").Mtime)
			os.Chtimes(r.GitDir()+"/index", at, at)
		}, ""},
		{"intended", func(r *gittest.Repo) { r.Write("i", "i"); r.Git("add", "-N", "i") }, nil, "a b/c b/l d.txt e l"},
		{"object gone", nil, func(r *gittest.Repo) {
			id := r.Git("rev-parse", ":a")
			os.Remove(r.GitDir() + "/objects/" + id[:2] + "/" + id[2:])
		}, "b/c b/l d.txt e l"},
		{"unmerged", func(r *gittest.Repo) {
			id := r.Git("rev-parse", ":a")
			r.GitIn(fmt.Sprintf("0 %040d\ta\n100644 %s 1\ta\n100644 %s 2\ta\n", 0, id, id), "update-index", "--index-info")
		}, nil, "b/c b/l d.txt e l"},
		{"attribute gone", func(r *gittest.Repo) {
			r.Write(".gitattributes", "d.txt eol=crlf\n")
			os.Remove(r.Dir + "/d.txt")
			r.Git("checkout-index", "-q", "-u", "d.txt") // ten bytes for eight
			aSecondLater(r)
			os.Remove(r.Dir + "/.gitattributes")
		}, cleanForGit, "a b/c b/l e l"},
		{"filter kept length, attribute gone", func(r *gittest.Repo) {
			r.Write(".gitattributes", "d.txt filter=x\n")
			r.Git("config", "filter.x.smudge", "tr a-z A-Z")
			r.Git("config", "filter.x.clean", "tr A-Z a-z")
			os.Remove(r.Dir + "/d.txt")
			r.Git("checkout-index", "-q", "-u", "d.txt")
			aSecondLater(r)
			os.Remove(r.Dir + "/.gitattributes")
		}, cleanForGit, ""},
		{"lfs pointer as long as its file, attribute gone", func(r *gittest.Repo) {
			r.Write("d.txt", strings.Repeat("x", 128))
			r.Git("config", "filter.lfs.clean", "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 128\\n' 1")
			r.Git("config", "filter.lfs.smudge", "true")
			r.Write(".gitattributes", "d.txt filter=lfs\n")
			r.Git("add", "d.txt")
			if size := r.Git("cat-file", "-s", ":d.txt"); size != "128" {
				r.TB.Fatal("the pointer has the length ", size)
			}
			aSecondLater(r)
			os.Remove(r.Dir + "/.gitattributes")
		}, cleanForGit, "a b/c b/l e l"},
		{"not UTF-8", func(r *gittest.Repo) { r.Write("\xff\xfe", "x"); r.Git("add", "\xff\xfe") }, nil, "a b/c b/l d.txt e l \xff\xfe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := gittest.New(t)
			r.Write("a", "a\n")
			r.Write("b/c", "c\n")
			r.Write("d.txt", "one\ntwo\n")
			r.Write("e", "")
			for name, target := range map[string]string{"l": "a", "b/l": "no where"} {
				if err := os.Symlink(target, filepath.Join(r.Dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			r.Commit()
			if c.before != nil {
				c.before(r)
			}
			settled(r)
			if c.after != nil {
				c.after(r)
			}
			if got := open(t, r).check(); got != c.want {
				t.Errorf("seeded: %q, want %q", got, c.want)
			}
		})
	}
}

// An edit of the same size within the step of the clock is never missed.
func TestRacyEdits(t *testing.T) {
	r := gittest.New(t)
	for i := range 60 {
		name := fmt.Sprint("f", i)
		r.Write(name, "1")
		r.Git("add", name)
		r.Write(name, "2")
		open(t, r).check()
	}
}

// A file on another file system than the index has another clock.
func TestOtherFileSystem(t *testing.T) {
	r := gittest.New(t)
	r.Write("a", "a")
	r.Commit()
	settled(r)
	o := open(t, r)
	if got := o.check(); got != "a" {
		t.Fatalf("%q", got)
	}
	o.seeds.dev++
	if got := o.check(); got != "" {
		t.Errorf("seeded: %q", got)
	}
	o.seeds.mtime += coarse + int64(time.Second)
	if got := o.check(); got != "a" {
		t.Errorf("older by two seconds: %q", got)
	}
}

// manyEntries writes an index of n files that nobody made, with stats.
func manyEntries(b *testing.B, r *gittest.Repo, n int) (paths [][]byte, stats []Stat) {
	dev, ok := device(r.GitDir())
	if !ok {
		b.Skip("no devices")
	}
	data := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), uint32(n))
	for i := range n {
		path := fmt.Sprintf("dir%05d/a-file-with-a-name%02d.go", i/17, i%17)
		st := Stat{Mode: 0o644, Mtime: 1e18 + int64(i), Ctime: 1e18 + int64(i), Ino: uint64(i + 1), Size: 100}
		u := func(v int64) { data = binary.BigEndian.AppendUint32(data, uint32(v)) }
		start := len(data)
		u(st.Ctime / 1e9)
		u(st.Ctime % 1e9)
		u(st.Mtime / 1e9)
		u(st.Mtime % 1e9)
		u(int64(dev))
		u(int64(st.Ino))
		u(0o100644)
		u(0)
		u(0)
		u(st.Size)
		data = binary.BigEndian.AppendUint64(data, uint64(i))
		data = append(data, make([]byte, 12)...)
		data = binary.BigEndian.AppendUint16(data, uint16(len(path)))
		data = append(data, path...)
		data = append(data, make([]byte, 8-(len(data)-start)%8)...)
		paths, stats = append(paths, []byte(path)), append(stats, st)
	}
	data = append(data, make([]byte, 20)...)
	if err := os.WriteFile(r.GitDir()+"/index", data, 0o666); err != nil {
		b.Fatal(err)
	}
	return paths, stats
}

// What 100,000 files in 6,000 directories cost, apart from their objects:
// object.BenchmarkSize.
func BenchmarkID(b *testing.B) {
	for _, attributes := range []string{"", "*.png binary\n*.jpg binary\n*.sh text eol=lf\n/docs/** text\n*.[ch] text\n"} {
		b.Run(fmt.Sprintf("attributes=%d", strings.Count(attributes, "\n")), func(b *testing.B) {
			r := gittest.New(b)
			r.Write(".gitattributes", attributes)
			paths, stats := manyEntries(b, r, 100_000)
			for _, p := range paths {
				os.Mkdir(filepath.Join(r.Dir, filepath.Dir(string(p))), 0o777)
			}
			l := layout(b, r)
			b.ReportAllocs()
			for b.Loop() {
				x, err := l.Index()
				if err != nil {
					b.Fatal(err)
				}
				s := Open(l, x, &repo.Settings{}, func(object.ID) (int64, bool) { return 100, true })
				for i, p := range paths {
					if _, ok := s.ID(p, stats[i]); !ok {
						b.Fatalf("%s is not seeded", p)
					}
				}
				x.Close()
			}
		})
	}
}
