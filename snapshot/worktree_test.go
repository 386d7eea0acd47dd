package snapshot

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chordgit/chordgit/edit"
)

func TestLookup(t *testing.T) {
	top := t.TempDir()
	lay(t, top, map[string]string{"d/f": "12345", "l": "-> d", "dangling": "-> nowhere", "caf\xe9": "x"})
	w := open(t, top, Options{})
	for p, want := range map[string]string{
		"d": "a directory", "d/f": "a file", "l": "a symbolic link", "dangling": "a symbolic link", "caf\xe9": "a file",
		"l/f": "nothing", "d/f/below": "nothing", "none": "nothing", "none/below": "nothing",
	} {
		f, err := w.Lookup(p)
		if err != nil || f.KindName() != want {
			t.Errorf("%s is %s (%v), want %s", p, f.KindName(), err, want)
		}
	}
	if f, _ := w.Lookup("l"); string(f.Data) != "d" {
		t.Errorf("link to %q", f.Data)
	}
	if f, _ := w.Lookup("d/f"); f.Data != nil || f.Stat.Size != 5 || f.Mode != 0o644 {
		t.Errorf("%+v", f)
	}
}

func TestLoadIsOfTheSameFile(t *testing.T) {
	top := t.TempDir()
	name := filepath.Join(top, "f")
	w := open(t, top, Options{})
	for why, act := range map[string]func(){
		"":         func() {},
		"content":  func() { os.WriteFile(name, []byte("longer"), 0o644) },
		"vanished": func() { os.Remove(name) },
		"kind":     func() { os.Remove(name); os.Symlink("g", name) },
	} {
		os.Remove(name)
		lay(t, top, map[string]string{"f": "12345", "g": "12345"})
		f, err := w.Lookup("f")
		if err != nil {
			t.Fatal(err)
		}
		act()
		err = w.Load("f", f)
		var e *edit.Error
		switch {
		case why == "" && (err != nil || string(f.Data) != "12345"):
			t.Errorf("%v, %q", err, f.Data)
		case why != "" && (!errors.As(err, &e) || e.Code != edit.Stale || e.Why != why):
			t.Errorf("%s: %v", why, err)
		}
		os.Remove(filepath.Join(top, "g"))
	}
}

// Check reports every difference at once, and none where only times differ.
func TestCheck(t *testing.T) {
	m, top := memory{}, t.TempDir()
	files := map[string]string{"same": "1", "touched": "1", "content": "1", "size": "1", "mode": "1", "kind": "1", "vanished": "1", "link": "-> a", "dir/f": "1"}
	lay(t, top, files)
	at := func(p string) string { return filepath.Join(top, p) }
	old := time.Now().Add(-time.Hour)
	for p := range files {
		if p != "link" {
			os.Chtimes(at(p), old, old)
		}
	}
	w := open(t, top, Options{Store: m})
	x := wish{after: map[string]*edit.File{"appeared": m.file("2", 0o644), "far/new": m.file("2", 0o644)}}
	for p := range files {
		x.after[p] = m.file("2", 0o644)
	}
	plan := m.plan(t, w, x)
	if err := w.Check(plan); err != nil {
		t.Fatal(err)
	}
	os.Chtimes(at("touched"), time.Now(), time.Now())
	os.WriteFile(at("content"), []byte("x"), 0o644)
	os.Chtimes(at("content"), old, old)
	os.WriteFile(at("size"), []byte("12"), 0o644)
	os.Chmod(at("mode"), 0o600)
	os.Remove(at("kind"))
	os.Symlink("same", at("kind"))
	os.Remove(at("vanished"))
	os.Remove(at("link"))
	os.Symlink("b", at("link"))
	os.WriteFile(at("appeared"), nil, 0o644)
	os.Rename(at("dir"), at("moved"))
	os.Symlink("moved", at("dir"))
	os.Symlink("moved", at("far"))
	var all edit.Errors
	if !errors.As(w.Check(plan), &all) {
		t.Fatal("no difference")
	}
	got := map[string]string{}
	for _, e := range all {
		if e.Code != edit.Stale {
			t.Error(e)
		}
		got[e.Path] += e.Why
	}
	want := map[string]string{
		"content": "content", "size": "content", "mode": "mode", "kind": "kind", "vanished": "vanished", "link": "content",
		"appeared": "appeared", "dir/f": "kind", "far/new": "kind", "far": "appeared",
	}
	sameTree(t, "differences", got, want)
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open("relative", Options{}); err == nil {
		t.Error("a relative path was taken")
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What is written to a file while it is read ends the reading, also that of an
// io.Copy, which prefers other ways than Read.
func TestOpenIsSteady(t *testing.T) {
	top := t.TempDir()
	lay(t, top, map[string]string{"d/f": "old"})
	w := open(t, top, Options{})
	f, err := w.Lookup("d/f")
	if err != nil {
		t.Fatal(err)
	}
	in, err := w.Open("d/f", f)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := os.WriteFile(filepath.Join(top, "d/f"), []byte("newer"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, in); !errors.Is(err, &edit.Error{Code: edit.Stale}) {
		t.Errorf("a file that changed while it was read: %v", err)
	}
}

// A directory that was closed for want of handles is opened again only if it is
// the same: another one in its place is none.
func TestReopenedDirectory(t *testing.T) {
	top := t.TempDir()
	lay(t, top, map[string]string{"d/f": "1", "e/f": "1", "g/f": "1"})
	ds := open(t, top, Options{}).dirs()
	defer ds.close()
	for _, p := range []string{"d", "e", "g"} {
		if _, err := ds.get(p); err != nil {
			t.Fatal(err)
		}
	}
	ds.closeOldest()
	if ds.all["d"].root != nil || ds.all["g"].root == nil || ds.open != 2 {
		t.Fatalf("not the oldest was closed, %d are open", ds.open)
	}
	if d, err := ds.get("d"); err != nil || d != ds.all["d"] || ds.open != 3 {
		t.Fatalf("%v, %d are open", err, ds.open)
	}
	ds.closeOldest()
	if err := errors.Join(os.Rename(filepath.Join(top, "e"), filepath.Join(top, "x")), os.Mkdir(filepath.Join(top, "e"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := ds.get("e"); !gone(err) {
		t.Errorf("another directory was taken for the one that was open: %v", err)
	}
}
