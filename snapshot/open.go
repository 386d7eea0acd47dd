package snapshot

import (
	"errors"
	"io"
	"os"
	"path"
	"slices"

	"github.com/chordgit/chordgit/edit"
)

// Open opens a regular file that Lookup returned, as a stream. A file that is
// not, or no longer, the one of f.Stat is an error with code Stale, here or, if
// somebody writes to it meanwhile, in place of io.EOF.
func (w *Worktree) Open(p string, f *edit.File) (io.ReadCloser, error) {
	ds := w.dirs()
	defer ds.close()
	return ds.openSteady(p, f)
}

func (ds *dirs) openSteady(p string, f *edit.File) (*steadyFile, error) {
	d, err := ds.get(path.Dir(p))
	if gone(err) {
		return nil, stale(p, "vanished")
	} else if err != nil {
		return nil, err
	}
	file, fi, err := d.open(path.Base(p))
	switch {
	case gone(err):
		return nil, stale(p, "vanished")
	case errors.Is(err, errOther):
		return nil, stale(p, "kind")
	case err != nil:
		return nil, err
	case statOf(fi) != f.Stat:
		file.Close()
		return nil, stale(p, "content")
	}
	return &steadyFile{file, p, f.Stat}, nil
}

// A steadyFile is an open file that must not change while it is read. It has no
// other way of reading than Read: an io.Copy would take the file's own, which
// does not look at the end.
type steadyFile struct {
	file *os.File
	path string
	stat edit.Stat
}

func (s *steadyFile) Close() error { return s.file.Close() }

func (s *steadyFile) Read(b []byte) (int, error) {
	n, err := s.file.Read(b)
	if errors.Is(err, io.EOF) {
		// The same stat before and after: nobody wrote while we read.
		if fi, e := s.file.Stat(); e != nil {
			err = e
		} else if statOf(fi) != s.stat {
			err = stale(s.path, "content")
		}
	}
	return n, err
}

// InUse tells whether a program can still write to a regular file that Lookup
// returned, and which, where the system says so. False where it cannot be known.
func (w *Worktree) InUse(p string, f *edit.File) (who string, yes bool) {
	ds := w.dirs()
	defer ds.close()
	in, err := ds.openSteady(p, f)
	if err != nil {
		return "", false
	}
	defer in.Close()
	if !beingWritten(in.file) {
		return "", false
	}
	return writers(f.Stat.Dev, f.Stat.Ino), true
}

// List returns the names in a directory, sorted, nil if it is none.
func (w *Worktree) List(p string) ([]string, error) {
	ds := w.dirs()
	defer ds.close()
	d, err := ds.get(p)
	if gone(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}
