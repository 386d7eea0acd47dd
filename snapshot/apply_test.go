package snapshot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

func apply(t testing.TB, top string, opt Options, m memory, x wish) (*Result, error) {
	t.Helper()
	opt.Store, opt.NoSync = m, true
	w := open(t, top, opt)
	plan := m.plan(t, w, x)
	if err := w.Check(plan); err != nil {
		t.Fatal(err)
	}
	return w.Apply(context.Background(), 7, plan, nil)
}

// Every kind of change lands, with and without durable writes, and the
// inverse plan brings everything back.
func TestApplyAndInvert(t *testing.T) {
	modes(t, func(t *testing.T, opt Options) {
		m, top := memory{}, t.TempDir()
		lay(t, top, everything)
		before := tree(t, top)
		opt.Store = m
		w := open(t, top, opt)
		plan := m.plan(t, w, m.everything())
		if err := w.Check(plan); err != nil {
			t.Fatal(err)
		}
		closed := 0
		res, err := w.Apply(t.Context(), 7, plan, func() error { closed++; return nil })
		if err != nil || len(res.Kept) > 0 || closed != 1 {
			t.Fatalf("%v %+v, closed %d times", err, res, closed)
		}
		sameTree(t, "applied", tree(t, top), changed)
		back := recorded(plan.Invert())
		if err := w.Check(back); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Apply(t.Context(), 8, back, nil); err != nil {
			t.Fatal(err)
		}
		sameTree(t, "inverted", tree(t, top), before)
	})
}

// A program that writes beside the transaction loses nothing, whenever it
// writes and by whatever way: its bytes are in some file afterwards. If the
// transaction reports a failure, every other path is as it was.
func TestForeignWriteAtEveryStep(t *testing.T) {
	write := func(flag int) func(name string) error {
		return func(name string) error {
			f, err := os.OpenFile(name, os.O_WRONLY|flag, 0o644)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("mine")
			return err
		}
	}
	replace := func(name string) error {
		return errors.Join(os.WriteFile(name+".new", []byte("mine"), 0o644), os.Rename(name+".new", name))
	}
	ways := map[string]func(name string) error{
		"in place": write(os.O_TRUNC | os.O_CREATE), "append": write(os.O_APPEND), "create": write(os.O_CREATE | os.O_EXCL), "by rename": replace,
	}
	modes(t, func(t *testing.T, opt Options) {
		for i, way := range slices.Sorted(maps.Keys(ways)) {
			act := ways[way]
			for j, path := range []string{"a.txt", "to.txt", "x", "z/in", "del/gone.txt"} {
				// Every seventh step; the others are met by other paths and ways.
				for at, more := (5*i+j)%7, true; more; at += 7 {
					m, top := memory{}, t.TempDir()
					lay(t, top, everything)
					before := tree(t, top)
					count, when, wrote := 0, "", false
					opt := opt
					opt.Step = func(step string) {
						if count++; count == at+1 {
							when = step
							wrote = act(filepath.Join(top, path)) == nil
						}
					}
					res, err := apply(t, top, opt, m, m.everything())
					if more = when != ""; !more {
						break
					}
					what := fmt.Sprintf("%s %s at %s (%v)", path, way, when, err)
					got := tree(t, top)
					if wrote && !slices.ContainsFunc(slices.Collect(maps.Values(got)), func(s string) bool { return strings.Contains(s, "mine") }) {
						// Without exchange one window is left open, and said to be.
						if opt.NoExchange && strings.HasPrefix(when, "over:") {
							continue
						}
						t.Errorf("%s: lost; %v", what, res.Kept)
					}
					if err != nil {
						if !errors.Is(err, &edit.Error{Code: edit.Stale}) || errors.Is(err, &edit.Error{Code: edit.RollbackFailed}) {
							t.Errorf("%s: %v", what, err)
						}
						for p, s := range before {
							if p != path && got[p] != s && !strings.HasPrefix(path, p+"/") {
								t.Errorf("%s: %s holds %q, was %q", what, p, got[p], s)
							}
						}
					}
					for p := range got {
						if edit.IsReserved(filepath.Base(p)) {
							t.Errorf("%s: %s is left", what, p)
						}
					}
				}
			}
		}
	})
}

// While a plan is taken back because of one file, somebody writes to another
// that already has its new content: that write stands, wherever it falls.
func TestForeignWriteDuringRollback(t *testing.T) {
	ways := map[string]func(name string) error{
		"in place": func(name string) error {
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
			if err == nil {
				_, err = f.WriteString("mine")
				f.Close()
			}
			return err
		},
		"by rename": func(name string) error {
			return errors.Join(os.WriteFile(name+".new", []byte("mine"), 0o644), os.Rename(name+".new", name))
		},
	}
	modes(t, func(t *testing.T, opt Options) {
		for i, way := range slices.Sorted(maps.Keys(ways)) {
			act := ways[way]
			for j, path := range []string{"a.txt", "new/deep/n.txt"} {
				for at, more := (i+j)%2, true; more; at += 2 {
					m, top := memory{}, t.TempDir()
					lay(t, top, everything)
					before := tree(t, top)
					count, when, wrote := 0, "", false
					opt := opt
					opt.Step = func(step string) {
						if step == "staged" {
							os.WriteFile(filepath.Join(top, "run.sh"), []byte("theirs"), 0o644)
						}
						if count++; count == at+1 {
							when = step
							wrote = act(filepath.Join(top, path)) == nil
						}
					}
					_, err := apply(t, top, opt, m, m.everything())
					if more = when != ""; !more {
						break
					}
					what := fmt.Sprintf("%s %s at %s (%v)", path, way, when, err)
					if !errors.Is(err, &edit.Error{Code: edit.Stale}) || errors.Is(err, &edit.Error{Code: edit.RollbackFailed}) {
						t.Error(what)
					}
					got := tree(t, top)
					if s := got[path]; wrote && !strings.Contains(s, "mine") && !(opt.NoExchange && strings.HasPrefix(when, "over:")) {
						t.Errorf("%s: lost, it holds %q", what, s)
					}
					before["run.sh"] = "0644 theirs"
					for p, s := range before {
						if p != path && got[p] != s {
							t.Errorf("%s: %s holds %q, was %q", what, p, got[p], s)
						}
					}
					for p := range got {
						if edit.IsReserved(filepath.Base(p)) {
							t.Errorf("%s: %s is left", what, p)
						}
					}
				}
			}
		}
	})
}

// Somebody removes a file that is about to be replaced.
func TestForeignRemoval(t *testing.T) {
	m, top := memory{}, t.TempDir()
	lay(t, top, everything)
	before := tree(t, top)
	_, err := apply(t, top, Options{Step: func(step string) {
		if step == "exchange:7" {
			os.Remove(filepath.Join(top, "to.txt"))
			os.Remove(filepath.Join(top, "run.sh"))
		}
	}}, m, m.everything())
	if !errors.Is(err, &edit.Error{Code: edit.Stale}) {
		t.Fatal(err)
	}
	delete(before, "run.sh")
	got := tree(t, top)
	delete(got, "run.sh")
	sameTree(t, "rolled back", got, before)
}

// A program that has the file open for writing would write into nothing.
func TestOpenForWriting(t *testing.T) {
	for _, path := range []string{"a.txt", "mv/from.txt", "z/in"} {
		m, top := memory{}, t.TempDir()
		lay(t, top, everything)
		before := tree(t, top)
		f, err := os.OpenFile(filepath.Join(top, path), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err = apply(t, top, Options{}, m, m.everything()); !errors.Is(err, &edit.Error{Code: edit.Stale, Path: path}) {
			t.Fatalf("%s: %v", path, err)
		}
		sameTree(t, path, tree(t, top), before)
		// With Force the change lands, and what it writes to is kept.
		res, err := apply(t, top, Options{Force: true}, m, m.everything())
		if err != nil || len(res.Kept) != 1 {
			t.Fatalf("%s: %v %+v", path, err, res)
		}
		f.WriteString(" and more")
		if s := tree(t, top)[res.Kept[0]]; !strings.HasSuffix(s, "and more") {
			t.Errorf("%s: %s holds %q", path, res.Kept[0], s)
		}
	}
}

// What finish could not do does not take the change back.
func TestFinishFails(t *testing.T) {
	m, top := memory{}, t.TempDir()
	lay(t, top, everything)
	w := open(t, top, Options{Store: m, NoSync: true})
	plan := m.plan(t, w, m.everything())
	res, err := w.Apply(t.Context(), 7, plan, func() error { return errors.New("no room for the ref") })
	if err != nil || res.Unfinished == nil {
		t.Fatal(err, res)
	}
	r, err := w.Recover(7, recorded(plan), true)
	if err != nil || r.Outcome != Completed {
		t.Fatal(err, r)
	}
	if _, err := w.Clear(7, recorded(plan)); err != nil {
		t.Fatal(err)
	}
	sameTree(t, "completed", tree(t, top), changed)
}

// Old bytes that the store lost meanwhile are not unlinked.
func TestStoreLostTheOldBytes(t *testing.T) {
	m, top := memory{}, t.TempDir()
	lay(t, top, everything)
	res, err := apply(t, top, Options{Step: func(step string) {
		if step == "finish" {
			id, _ := m.ID(strings.NewReader("old a"), 5)
			delete(m, id)
		}
	}}, m, m.everything())
	if err != nil || !slices.Equal(res.Kept, []string{"a.txt.chordgit-kept-7"}) {
		t.Fatal(err, res)
	}
	if s := tree(t, top)["a.txt.chordgit-kept-7"]; s != "0644 old a" {
		t.Errorf("kept %q", s)
	}
}

// A cancelled context leaves everything as it is.
func TestCancelled(t *testing.T) {
	m, top := memory{}, t.TempDir()
	lay(t, top, everything)
	before := tree(t, top)
	ctx, cancel := context.WithCancel(t.Context())
	w := open(t, top, Options{Store: m, NoSync: true, Step: func(step string) {
		if step == "staged" {
			cancel()
		}
	}})
	if _, err := w.Apply(ctx, 7, m.plan(t, w, m.everything()), nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	sameTree(t, "cancelled", tree(t, top), before)
}

// Links in the path of a plan lead nowhere, whenever they are put there.
func TestDirectoryBecomesLink(t *testing.T) {
	for _, at := range []string{"stage", "exchange:1", "look"} {
		m, top, out := memory{}, t.TempDir(), t.TempDir()
		lay(t, top, map[string]string{"a": "1", "d/f": "old"})
		lay(t, out, map[string]string{"f": "old"})
		_, err := apply(t, top, Options{Step: func(step string) {
			if step == at {
				os.Rename(filepath.Join(top, "d"), filepath.Join(top, "e"))
				os.Symlink(out, filepath.Join(top, "d"))
			}
		}}, m, wish{after: map[string]*edit.File{"a": m.file("2", 0o644), "d/f": m.file("new", 0o644)}})
		if !errors.Is(err, &edit.Error{Code: edit.Stale}) {
			t.Errorf("%s: %v", at, err)
		}
		sameTree(t, at, tree(t, out), map[string]string{"f": "0644 old"})
		sameTree(t, at, tree(t, top), map[string]string{"a": "0644 1", "d": "-> " + out, "e": "d", "e/f": "0644 old"})
	}
}

// What a transaction must never touch is refused before it begins.
func TestUnfit(t *testing.T) {
	m, top := memory{}, t.TempDir()
	w := open(t, top, Options{Store: m})
	for _, p := range []string{".git/config", "a/.GIT/x", "../out", "/abs", "a//b", ""} {
		plan := &edit.Plan{Changes: []edit.Change{{Path: p, After: m.file("x", 0o644)}}}
		if _, err := w.Apply(t.Context(), 7, plan, nil); !errors.Is(err, &edit.Error{Code: edit.Internal}) {
			t.Errorf("%q: %v", p, err)
		}
	}
}

// Five hundred files in five directories cost five directory handles.
func TestHandles(t *testing.T) {
	m, top := memory{}, t.TempDir()
	files, after := map[string]string{}, map[string]*edit.File{}
	for i := range 500 {
		p := fmt.Sprintf("d%d/f%d", i%5, i)
		files[p], after[p] = "old", m.file("new "+p, 0o644)
	}
	lay(t, top, files)
	fds := func() int {
		e, _ := os.ReadDir("/proc/self/fd")
		return len(e)
	}
	if fds() == 0 {
		t.Skip("no /proc")
	}
	most, start := 0, fds()
	w := open(t, top, Options{Store: m, NoSync: true, Step: func(step string) {
		if step == "look" {
			most = fds()
		}
	}})
	if _, err := w.Apply(t.Context(), 7, m.plan(t, w, wish{after: after}), nil); err != nil {
		t.Fatal(err)
	}
	if most-start > 2*6+2 {
		t.Errorf("%d descriptors for five directories", most-start)
	}
	if now := fds(); now > start+2 {
		t.Errorf("%d descriptors were left open", now-start)
	}
}

// A transaction in more directories than may be open at once opens them again.
func TestFewHandles(t *testing.T) {
	defer func(f func() int) { maxDirs = f }(maxDirs)
	maxDirs = func() int { return leastDirs }
	TestManyDirectories(t)
	t.Run("replaced", func(t *testing.T) {
		m, top := memory{}, t.TempDir()
		files, after := map[string]string{}, map[string]*edit.File{}
		for i := range 2 * syncDirsFrom {
			p := fmt.Sprintf("d%03d/f", i)
			files[p], after[p] = "old", m.file("new", 0o644)
		}
		lay(t, top, files)
		first := filepath.Join(top, "d000")
		w := open(t, top, Options{Store: m, NoSync: true, Step: func(step string) {
			if step == "staged" { // d000 was closed long ago
				if err := errors.Join(os.Rename(first, first+"-moved"), os.Mkdir(first, 0o755), os.WriteFile(first+"/f", []byte("old"), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
		}})
		before := tree(t, top)
		if _, err := w.Apply(t.Context(), 7, m.plan(t, w, wish{after: after}), nil); !errors.Is(err, &edit.Error{Code: edit.Stale}) {
			t.Fatalf("another directory was taken for the one that was checked: %v", err)
		}
		for p, text := range tree(t, top) {
			if was, ok := before[p]; ok && text != was {
				t.Errorf("%s is %q, it was %q", p, text, was)
			}
		}
	})
}

// Names in so many directories are made durable by one sync of the file system.
func TestManyDirectories(t *testing.T) {
	m, top := memory{}, t.TempDir()
	files, after, want := map[string]string{}, map[string]*edit.File{}, map[string]string{}
	for i := range 2 * syncDirsFrom {
		d := fmt.Sprintf("d%d", i)
		files[d+"/f"], after[d+"/f"] = "old", m.file("new "+d, 0o644)
		after[d+"/g"] = m.file("added", 0o644)
		want[d], want[d+"/f"], want[d+"/g"] = "d", "0644 new "+d, "0644 added"
	}
	lay(t, top, files)
	w := open(t, top, Options{Store: m})
	if _, err := w.Apply(t.Context(), 7, m.plan(t, w, wish{after: after}), nil); err != nil {
		t.Fatal(err)
	}
	sameTree(t, "applied", tree(t, top), want)
}

// Without a store the plan's own bytes are what is compared, and a file that
// nobody read is known by its stat.
func TestWithoutStore(t *testing.T) {
	top := t.TempDir()
	lay(t, top, map[string]string{"a": "1", "b": "2", "c": "3"})
	w := open(t, top, Options{NoSync: true})
	look := func(p string) *edit.File {
		f, err := w.Lookup(p)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	plan := &edit.Plan{Changes: []edit.Change{
		{Path: "a", Before: look("a"), After: &edit.File{Mode: 0o644, Data: []byte("new")}},
		{Path: "b", Before: look("b")},
		{Path: "c", Before: look("c")},
		{Path: "d", From: "c", After: &edit.File{Mode: 0o644}},
	}}
	if err := w.Check(plan); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Apply(t.Context(), 7, plan, nil); err != nil {
		t.Fatal(err)
	}
	sameTree(t, "applied", tree(t, top), map[string]string{"a": "0644 new", "d": "0644 3"})
}

func BenchmarkApply500(b *testing.B) {
	m, top := memory{}, b.TempDir()
	files := map[string]string{}
	for i := range 500 {
		files[fmt.Sprintf("d%d/f%d", i%5, i)] = strings.Repeat("a line of text\n", 200)
	}
	lay(b, top, files)
	w := open(b, top, Options{Store: m})
	for n := 0; b.Loop(); n++ {
		after := map[string]*edit.File{}
		for p := range files {
			after[p] = m.file(fmt.Sprint(n, files[p]), 0o644)
		}
		plan := m.plan(b, w, wish{after: after})
		if _, err := w.Apply(b.Context(), n+1, plan, nil); err != nil {
			b.Fatal(err)
		}
	}
}
