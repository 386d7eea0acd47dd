package snapshot

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/chordgit/chordgit/edit"
)

// A Store is where the bytes behind ids come from. Ids are opaque here.
type Store interface {
	// Blob opens the content of an id.
	Blob(id string) (io.ReadCloser, error)
	// Blobs calls f once for each id, in any order, with its position and its
	// content, or why there is none. An error of f ends it and is returned.
	Blobs(ids []string, f func(i int, r io.Reader, err error) error) error
	// Has reports whether the content of an id is durably stored now.
	Has(id string) bool
	// ID returns the id that size bytes read from r have, without storing them.
	ID(r io.Reader, size int64) (string, error)
}

// Options say how a worktree is used. The zero value works without a store:
// then every File of a plan needs its Data, and old content goes when the
// transaction is done.
type Options struct {
	Store Store
	// Step is called before every step of a transaction, with the step's name:
	// "exchange:3" is the third entry (counted from 0) of the plan's Changes.
	// Tests kill, race or fail the transaction there. Nil: nothing.
	Step func(step string)
	// Force lets a plan replace a file that another program has open for
	// writing. What it writes to is then kept under a name of its own.
	Force bool
	// Fold: the file system takes names that differ in case for one.
	Fold       bool
	NoExchange bool // behave as on a file system that cannot exchange two names
	NoSync     bool // keep the order of writes, but wait for none
}

// A Worktree is a directory tree whose files are read and changed. It may be
// used by several goroutines for reading, by one for Apply, Recover and Clear.
type Worktree struct {
	top   *dir
	opt   Options
	umask fs.FileMode
	// Times from this moment on (nanoseconds) do not prove that a file is the
	// one that was looked at: the file system's clock may not have ticked since.
	racy int64
}

// granularity is the coarsest clock of a file system still in use (FAT).
const granularity = 2 * time.Second

// Open opens the worktree at top, an absolute path. Everything is reached from
// this one handle: a worktree that is moved away meanwhile stays itself.
func Open(top string, opt Options) (*Worktree, error) {
	if !filepath.IsAbs(top) {
		return nil, fmt.Errorf("%s: not an absolute path", edit.Quote(top))
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	if opt.Step == nil {
		opt.Step = func(string) {}
	}
	return &Worktree{
		top:   &dir{path: ".", root: root, fold: opt.Fold},
		opt:   opt,
		umask: umask(),
		racy:  time.Now().Add(-granularity).UnixNano(),
	}, nil
}

// Close gives the handle back.
func (w *Worktree) Close() error { return w.top.close() }

// Umask returns the bits that new files do not get, as of Open.
func (w *Worktree) Umask() fs.FileMode { return w.umask }

// Folds is [Options.Fold].
func (w *Worktree) Folds() bool { return w.top.fold }

// Lookup tells what stands at a clean, slash-separated path, as
// [edit.Tree].Lookup: no link is followed in any component, a link's target is
// in Data, a regular file is not opened. Nothing there, and a path below a file
// or link, is (nil, nil). With [Options.Fold] a name in another case than that of
// its directory is nothing, which takes reading the directory.
func (w *Worktree) Lookup(p string) (*edit.File, error) {
	ds := w.exactDirs()
	defer ds.close()
	return ds.lookup(p)
}

// Reach is Lookup for whatever the file system finds under the path.
func (w *Worktree) Reach(p string) (*edit.File, error) {
	ds := w.dirs()
	defer ds.close()
	d, err := ds.get(path.Dir(p))
	if gone(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return d.reach(path.Base(p))
}

// Load fills the Data of a regular file that Lookup returned. A file that is
// not, or no longer, the one of f.Stat is an error with code Stale.
func (w *Worktree) Load(p string, f *edit.File) error {
	in, err := w.Open(p, f)
	if err != nil {
		return err
	}
	defer in.Close()
	data := bytes.NewBuffer(make([]byte, 0, f.Stat.Size+bytes.MinRead))
	if _, err := data.ReadFrom(in); err != nil {
		return err
	}
	f.Data = data.Bytes()
	return nil
}

// stale is the refusal because of a foreign change.
func stale(p, why string) *edit.Error {
	return &edit.Error{Code: edit.Stale, Path: p, Why: why, Msg: "changed after planning: " + why}
}
