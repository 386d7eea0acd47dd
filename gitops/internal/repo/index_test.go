package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// indexRepo has one of everything that an index can hold.
func indexRepo(t testing.TB, format object.Format) *gittest.Repo {
	r := gittest.New(t, "--object-format="+format.String())
	for i := range 40 {
		r.Write(fmt.Sprintf("dir/sub%d/file%d", i%7, i), fmt.Sprint(i))
	}
	r.Write("deep/"+strings.Repeat("long-name/", 20)+"f", "x")
	r.Write("conflict", "1")
	r.Write("skipped", "s")
	r.Write("assumed", "s")
	r.Write("a/b", "1")
	r.Write("a.b", "1")
	r.Commit()
	r.Git("checkout", "-q", "-b", "x")
	r.Write("conflict", "2")
	r.Commit()
	r.Git("checkout", "-q", "main")
	r.Write("conflict", "3")
	r.Commit()
	r.Command("merge", "-q", "x").Run()
	r.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("12", format.Size())+",mod/sub")
	r.Write("intended", "x")
	r.Git("add", "-N", "intended")
	r.Git("update-index", "--skip-worktree", "skipped")
	r.Git("update-index", "--assume-unchanged", "assumed")
	return r
}

// listing is an index as `git ls-files -s -t` shows it, -v for the flag of
// assumed entries.
func listing(x *Index) string {
	var b strings.Builder
	for e := range x.All() {
		tag := "H"
		switch {
		case e.Stage > 0:
			tag = "M"
		case e.SkipWorktree:
			tag = "S"
		}
		if e.AssumeUnchanged {
			tag = strings.ToLower(tag)
		}
		fmt.Fprintf(&b, "%s %06o %s %d\t%s\x00", tag, e.Mode, e.ID, e.Stage, e.Path)
	}
	return b.String()
}

func TestIndexAgainstGit(t *testing.T) {
	for _, format := range []object.Format{object.SHA1, object.SHA256} {
		t.Run(format.String(), func(t *testing.T) { testIndexAgainstGit(t, format) })
	}
}

func testIndexAgainstGit(t *testing.T, format object.Format) {
	for _, c := range []struct {
		name string
		set  func(*gittest.Repo)
		flat bool
	}{
		{"version 3", func(r *gittest.Repo) {}, true},
		{"version 4", func(r *gittest.Repo) { r.Git("update-index", "--index-version", "4") }, true},
		{"version 2", func(r *gittest.Repo) {
			r.Git("update-index", "--no-skip-worktree", "skipped")
			r.Git("rm", "--cached", "-q", "intended")
			r.Git("update-index", "--index-version", "2")
		}, true},
		{"split", func(r *gittest.Repo) { r.Git("update-index", "--split-index") }, false},
		{"no checksum", func(r *gittest.Repo) {
			name := filepath.Join(r.GitDir(), "index") // as index.skipHash leaves it
			data, _ := os.ReadFile(name)
			clear(data[len(data)-format.Size():])
			os.WriteFile(name, data, 0o666)
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := indexRepo(t, format)
			c.set(r)
			x, err := find(t, r.Dir).Index()
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			if (x.data != nil) != c.flat {
				t.Errorf("read flat: %v", x.data != nil)
			}
			if want := r.Git("ls-files", "-z", "-s", "-v"); listing(x) != want {
				t.Errorf("ours\n%q\ngit's\n%q", listing(x), want)
			}
			var links []string
			for e := range x.All() {
				if e.Gitlink() {
					links = append(links, e.Path)
				}
				at := x.Lookup(e.Path)
				if at.Entry == nil || at.Entry.Path != e.Path || at.Unmerged != (e.Stage > 0) || (at.Gitlink != "") != e.Gitlink() {
					t.Errorf("%s: %+v", e.Path, at)
				}
				if e.IntentToAdd != (e.Path == "intended") {
					t.Errorf("%s: intent to add: %v", e.Path, e.IntentToAdd)
				}
			}
			if got, err := find(t, r.Dir).Gitlinks(); err != nil || !slices.Equal(got, links) || len(got) == 0 {
				t.Errorf("submodules %q, want %q, %v", got, links, err)
			}
			if table := x.Table(); c.flat {
				i := 0
				for e := range x.All() {
					got := table.Entry(i)
					if got.Path = string(table.Path(i)); got != e {
						t.Errorf("entry %d: %+v, want %+v", i, got, e)
					}
					i++
				}
				info, err := os.Stat(r.GitDir() + "/index")
				if err != nil || x.Mtime() != info.ModTime().UnixNano() || table.Len() != i || i == 0 {
					t.Errorf("%d of %d entries, mtime %d: %v", table.Len(), i, x.Mtime(), err)
				}
			} else if table.Len() != 0 || x.Mtime() != 0 {
				t.Error("what git listed has a table")
			}
			wanted := []string{"none", "mod/sub/deep/x", "mod/subx", "conflict", "a", "mod"}
			found := x.LookupAll(wanted)
			direct, err := find(t, r.Dir).IndexEntries(wanted)
			if err != nil || !reflect.DeepEqual(direct, found) {
				t.Errorf("IndexEntries = %+v, %v", direct, err)
			}
			if found[0] != (IndexAt{}) || found[2] != (IndexAt{}) || found[4] != (IndexAt{}) || found[5] != (IndexAt{}) {
				t.Errorf("%+v", found)
			}
			if found[1].Gitlink != "mod/sub" || found[1].Entry != nil || !found[3].Unmerged || found[3].Entry.Stage != 1 {
				t.Errorf("%+v", found)
			}
		})
	}
}

func TestSparseIndex(t *testing.T) {
	r := gittest.New(t)
	for i := range 5 {
		r.Write(fmt.Sprintf("d%d/e/f", i), "x")
	}
	r.Commit()
	r.Git("sparse-checkout", "init", "--cone", "--sparse-index")
	r.Git("sparse-checkout", "set", "d1")
	x, err := find(t, r.Dir).Index()
	if err != nil {
		t.Fatal(err)
	}
	if x.data != nil {
		t.Error("read flat")
	}
	if want := r.Git("ls-files", "-z", "-s", "-v"); listing(x) != want {
		t.Errorf("ours\n%q\ngit's\n%q", listing(x), want)
	}
	if at := x.Lookup("d2/e/f"); at.Entry == nil || !at.Entry.SkipWorktree {
		t.Errorf("%+v", at)
	}
}

func TestNoIndex(t *testing.T) {
	r := gittest.New(t)
	at, err := find(t, r.Dir).IndexEntry("a")
	if err != nil || at != (IndexAt{}) {
		t.Errorf("%+v %v", at, err)
	}
	os.WriteFile(filepath.Join(r.GitDir(), "index"), []byte("junk"), 0o666)
	if _, err := find(t, r.Dir).IndexEntry("a"); err == nil {
		t.Error("junk was read")
	}
}

func FuzzIndex(f *testing.F) {
	// Seeds without git: every worker of the fuzzer makes them again.
	entry := "\x00\x00\x81\xa4" // mode, after 24 bytes of stat data
	for i := range byte(6) {
		version, format := 2+i%3, object.SHA1+object.Format(i/3)
		data := []byte("DIRC\x00\x00\x00" + string(version) + "\x00\x00\x00\x02")
		for _, path := range []string{"a/b", "a/c"} {
			data = append(append(data, make([]byte, 24)...), entry...)
			data = append(append(data, make([]byte, 12+format.Size())...), 0, byte(len(path)))
			if version == 4 {
				data = append(data, 0)
				path = strings.TrimPrefix(path, "a/c") // the second is the first and nothing
			}
			data = append(data, path...)
			if version == 4 {
				data = append(data, 'x', 0)
			} else {
				data = append(data, make([]byte, 8-(42+format.Size()+len(path))%8)...)
			}
		}
		data = append(data, "TREE\x00\x00\x00\x01x"...)
		data = append(data, make([]byte, format.Size())...)
		if _, err := parseIndex(data, format, nil); err != nil {
			f.Fatal(version, err)
		}
		f.Add(format == object.SHA256, data)
	}
	f.Fuzz(func(t *testing.T, long bool, data []byte) {
		format := object.SHA1
		if long {
			format = object.SHA256
		}
		x, err := parseIndex(data, format, nil)
		if err != nil {
			return
		}
		n := 0
		for e := range x.All() {
			if n++; e.Path == "" {
				t.Fatal("an entry without a path")
			}
		}
		table := x.Table()
		i := 0
		for e := range x.All() {
			if got := table.Entry(i); string(table.Path(i)) != e.Path || got.ID != e.ID || got.Stat != e.Stat || got.IntentToAdd != e.IntentToAdd {
				t.Fatalf("entry %d: %q %+v, want %+v", i, table.Path(i), got, e)
			}
			i++
		}
		if n != x.Len() || n != table.Len() {
			t.Fatalf("%d entries, header says %d", n, x.Len())
		}
		x.LookupAll([]string{"a/b", "zzz/y"})
	})
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("[core]\n\tbare = false # x\n[a \"b\"]c=\"d\\\n\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		eachSetting(data, func(_, _, _, _ string) {})
	})
}
