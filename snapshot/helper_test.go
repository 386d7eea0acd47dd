package snapshot

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

// memory is a store in memory.
type memory map[string][]byte

func (m memory) Blob(id string) (io.ReadCloser, error) {
	data, ok := m[id]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (m memory) Blobs(ids []string, f func(i int, r io.Reader, err error) error) error {
	for i, id := range slices.Backward(ids) {
		r, err := m.Blob(id)
		if err := f(i, r, err); err != nil {
			return err
		}
	}
	return nil
}

func (m memory) Has(id string) bool { _, ok := m[id]; return ok }

func (m memory) ID(r io.Reader, size int64) (string, error) {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", size)
	n, err := io.Copy(h, r)
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

func (m memory) put(data string) string {
	id, _ := m.ID(strings.NewReader(data), int64(len(data)))
	m[id] = []byte(data)
	return id
}

// file makes the new state of a path: "-> target" is a link, all else content.
func (m memory) file(s string, mode fs.FileMode) *edit.File {
	if target, ok := strings.CutPrefix(s, "-> "); ok {
		return &edit.File{Mode: fs.ModeSymlink | 0o777, Data: []byte(target), ID: m.put(target)}
	}
	return &edit.File{Mode: mode, Data: []byte(s), ID: m.put(s)}
}

// lay writes files below top.
func lay(t testing.TB, top string, files map[string]string) {
	t.Helper()
	for p, s := range files {
		full := filepath.Join(top, p)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(s, "-> "); ok {
			err = os.Symlink(target, full)
		} else if strings.HasSuffix(p, "/") {
			err = os.MkdirAll(full, 0o755)
		} else {
			err = os.WriteFile(full, []byte(s), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// tree reads everything below top: "d" for a directory, permissions and
// content for a file.
func tree(t testing.TB, top string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(top, func(p string, e fs.DirEntry, err error) error {
		if err != nil || p == top {
			return err
		}
		rel, _ := filepath.Rel(top, p)
		fi, err := e.Info()
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			out[rel] = "d"
		case fi.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(p)
			out[rel] = "-> " + target
		case !fi.Mode().IsRegular():
			out[rel] = fi.Mode().Type().String()
		default:
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			out[rel] = fmt.Sprintf("%04o %s", modeBits(fi.Mode()), data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func modeBits(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	for i, b := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if m&b != 0 {
			bits |= 0o1000 << i
		}
	}
	return bits
}

func open(t testing.TB, top string, opt Options) *Worktree {
	t.Helper()
	w, err := Open(top, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// wish is a plan in short: after says what a path shall hold, nil that it shall
// go; moves say where a path's content came from.
type wish struct {
	after map[string]*edit.File
	moves map[string]string
	rmdir []string
}

// plan looks everything up as a planner would.
func (m memory) plan(t testing.TB, w *Worktree, x wish) *edit.Plan {
	t.Helper()
	p := &edit.Plan{Rmdir: x.rmdir}
	mkdir := map[string]bool{}
	for name, after := range x.after {
		before, err := w.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if before.IsDir() {
			before = nil
		}
		if before.Regular() {
			if err := w.Load(name, before); err != nil {
				t.Fatal(err)
			}
		}
		if before != nil && before.Data != nil {
			before.ID = m.put(string(before.Data))
		}
		p.Changes = append(p.Changes, edit.Change{Path: name, From: x.moves[name], Before: before, After: after})
		for d := path.Dir(name); after != nil && d != "."; d = path.Dir(d) {
			if f, err := w.Lookup(d); err != nil {
				t.Fatal(err)
			} else if !f.IsDir() {
				mkdir[d] = true
			}
		}
	}
	slices.SortFunc(p.Changes, func(a, b edit.Change) int { return strings.Compare(a.Path, b.Path) })
	for d := range mkdir {
		p.Mkdir = append(p.Mkdir, d)
	}
	slices.Sort(p.Mkdir)
	return p
}

// recorded is the plan as a record gives it back.
func recorded(p *edit.Plan) *edit.Plan {
	q := &edit.Plan{Mkdir: p.Mkdir, Rmdir: p.Rmdir}
	bare := func(f *edit.File) *edit.File {
		if f == nil {
			return nil
		}
		return &edit.File{Mode: f.Mode, ID: f.ID}
	}
	for _, c := range p.Changes {
		q.Changes = append(q.Changes, edit.Change{Path: c.Path, From: c.From, Before: bare(c.Before), After: bare(c.After)})
	}
	return q
}

// everything has every kind of change at once.
var everything = map[string]string{
	"a.txt": "old a", "del/gone.txt": "to be deleted", "mv/from.txt": "moved", "x": "a file",
	"z/in": "in a directory", "z/sub/deep": "deeper", "link": "-> a.txt", "run.sh": "echo", "keep/stays": "untouched",
}

func (m memory) everything() wish {
	return wish{
		after: map[string]*edit.File{
			"a.txt":          m.file("new a", 0o644),
			"new/deep/n.txt": m.file("added", 0o644),
			"del/gone.txt":   nil,
			"mv/from.txt":    nil,
			"to.txt":         m.file("moved", 0o644),
			"x":              nil,
			"x/y":            m.file("below x", 0o600),
			"z":              m.file("was a directory", 0o644),
			"z/in":           nil,
			"z/sub/deep":     nil,
			"link":           m.file("-> run.sh", 0),
			"run.sh":         m.file("echo", 0o755),
		},
		moves: map[string]string{"to.txt": "mv/from.txt"},
		rmdir: []string{"del", "mv", "z/sub", "z"},
	}
}

var changed = map[string]string{
	"a.txt": "0644 new a", "new": "d", "new/deep": "d", "new/deep/n.txt": "0644 added", "to.txt": "0644 moved",
	"x": "d", "x/y": "0600 below x", "z": "0644 was a directory", "link": "-> run.sh", "run.sh": "0755 echo",
	"keep": "d", "keep/stays": "0644 untouched",
}

// errDied is what a test panics with in place of a killed process.
var errDied = errors.New("errDied")

// applyUntil carries a plan out and dies at the given step, counted from 0. It
// returns the step's name, empty if there are not so many.
func applyUntil(t testing.TB, top string, opt Options, m memory, x wish, at int) (plan *edit.Plan, name string, closed bool) {
	t.Helper()
	count := 0
	opt.Store, opt.NoSync = m, true
	opt.Step = func(step string) {
		if count++; count > at {
			name = step
			panic(errDied)
		}
	}
	w := open(t, top, opt)
	plan = m.plan(t, w, x)
	defer func() {
		if r := recover(); r != nil && r != any(errDied) {
			panic(r)
		}
	}()
	_, err := w.Apply(context.Background(), 7, plan, func() error { closed = true; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return plan, name, closed
}
