//go:build !linux && !darwin

package scan

import (
	"io"
	"io/fs"
	"os"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// A handle is an open directory. The zero handle is none. There is neither a
// ctime nor an inode here, so that nothing that it shows is ever trusted.
type handle struct{ root *os.Root }

func (h handle) isOpen() bool { return h.root != nil }

func (h handle) close() {
	if h.isOpen() {
		_ = h.root.Close()
	}
}

func openTop(top string) (handle, error) {
	root, err := os.OpenRoot(top)
	return handle{root}, err
}

// enter opens a directory in h. What is a link, or no directory, is an error.
// With leave h is closed.
func (h handle) enter(name []byte, _, leave bool) (handle, error) {
	if leave {
		defer h.close()
	}
	before, err := h.root.Lstat(string(name))
	if err != nil {
		return handle{}, err
	}
	if !before.IsDir() {
		return handle{}, errNotDir
	}
	root, err := h.root.OpenRoot(string(name))
	if err != nil {
		return handle{}, err
	}
	// A Root follows a link: what was opened must be what was there.
	if after, err := root.Stat("."); err != nil || !os.SameFile(before, after) {
		_ = root.Close()
		return handle{}, errNotDir
	}
	return handle{root}, nil
}

// self is lstat of the directory itself.
func (h handle) self(e *statcache.Entry) (dev uint64, err error) {
	fi, err := h.root.Stat(".")
	if err != nil {
		return 0, err
	}
	fill(e, fi)
	return 0, nil
}

// lstat fills in the stat of a name in h.
func (h handle) lstat(name []byte, e *statcache.Entry, _ bool) (dev uint64, err error) {
	fi, err := h.root.Lstat(string(name))
	if err != nil {
		return 0, err
	}
	fill(e, fi)
	return 0, nil
}

func fill(e *statcache.Entry, fi fs.FileInfo) {
	e.Mtime, e.Size, e.Mode = fi.ModTime().UnixNano(), fi.Size(), fi.Mode()
}

// read returns what a small regular file in h holds.
func (h handle) read(name []byte) ([]byte, error) {
	fi, err := h.root.Lstat(string(name))
	if err != nil {
		return nil, err
	}
	f, err := h.root.Open(string(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() || !os.SameFile(fi, now) {
		return nil, fs.ErrInvalid
	}
	return io.ReadAll(io.LimitReader(f, maxRules))
}

// list appends the names in h, each with a byte for its type before it and a
// NUL behind it. What was read before an error is returned with it.
func (h handle) list(to []byte) ([]byte, error) {
	f, err := h.root.Open(".")
	if err != nil {
		return to, err
	}
	defer f.Close()
	found, err := f.ReadDir(-1)
	for _, e := range found {
		to = append(append(append(to, letter(e.Type())), e.Name()...), 0)
	}
	return to, err
}
