package ref

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// A lock file of git's has nothing by which it could be told whose it is, and one
// that its process left blocks everybody for ever. Ours are therefore second names
// of a file in a directory of our own, where they stand first: whoever holds the
// lock under which we write refs, and finds a file there, knows that its process
// died, and which lock it has left. A lock that is another file is somebody
// else's, and is never touched.

// A held file is one that a death would leave in the way of others.
type held struct {
	*os.File        // under its public name
	own      string // its name in our directory; empty: none
}

// begin takes the lock under which refs are written and removes what a process
// that died under it has left.
func (s *Store) begin() (end func(), err error) {
	if s.Lock == nil {
		return func() {}, nil
	}
	if end, err = s.Lock(); err != nil {
		return nil, err
	}
	if _, err = s.removeDead(); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// RemoveLocks removes lock files that a process of ours has left that died, and
// returns their names below the git directory.
func (s *Store) RemoveLocks() (removed []string, err error) {
	if dead, err := os.ReadDir(s.Held); s.Lock == nil || errors.Is(err, fs.ErrNotExist) || err == nil && len(dead) == 0 {
		return nil, nil
	}
	end, err := s.Lock()
	if err != nil {
		return nil, err
	}
	defer end()
	return s.removeDead()
}

// removeDead is RemoveLocks for who holds the lock.
func (s *Store) removeDead() (removed []string, err error) {
	list, err := os.ReadDir(s.Held)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, d := range list {
		own := filepath.Join(s.Held, d.Name())
		if name, ok := heldName(d.Name()); ok {
			file := filepath.Join(s.CommonDir, name)
			if name == packedNew || name == packedLock {
				file = s.packedFile() + strings.TrimPrefix(name, "packed-refs")
			}
			a, err1 := os.Lstat(own)
			b, err2 := os.Lstat(file)
			if err1 == nil && err2 == nil && os.SameFile(a, b) {
				if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return removed, err
				}
				removed = append(removed, name)
			}
		}
		if err := os.Remove(own); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return removed, err
		}
	}
	return removed, err
}

const (
	packedLock = "packed-refs.lock"
	packedNew  = "packed-refs.new"
)

// heldName is the public name, below the git directory, of a file in our own
// directory.
func heldName(own string) (name string, ok bool) {
	name, err := url.PathUnescape(own)
	if err != nil {
		return "", false
	}
	ref, isLock := strings.CutSuffix(name, ".lock")
	return name, name == packedNew || name == packedLock || isLock && ValidName(ref)
}

// create makes a file that must not be there, so that a death cannot leave it for
// ever.
func (s *Store) create(file string) (h *held, err error) {
	const flags = os.O_RDWR | os.O_CREATE | os.O_EXCL
	name, err := filepath.Rel(s.CommonDir, file)
	if suffix, ok := strings.CutPrefix(file, s.packedFile()+"."); ok {
		name, err = "packed-refs."+suffix, nil // where a link leads to
	}
	if s.Lock == nil || err != nil {
		f, err := os.OpenFile(file, flags, 0o666)
		return &held{File: f}, err
	}
	if err := s.Perm.MkdirAll(s.Held, true); err != nil {
		return nil, err
	}
	own := filepath.Join(s.Held, url.PathEscape(filepath.ToSlash(name)))
	f, err := os.OpenFile(own, flags, 0o666)
	if err != nil {
		return nil, err
	}
	f.Close()
	s.step("ref held")
	if err := os.Link(own, file); err != nil {
		os.Remove(own)
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		// A file system without second names: as git does it.
		f, err := os.OpenFile(file, flags, 0o666)
		return &held{File: f}, err
	}
	s.step("ref locked")
	if f, err = os.OpenFile(file, os.O_RDWR, 0); err != nil {
		os.Remove(file)
		os.Remove(own)
		return nil, err
	}
	return &held{f, own}, nil
}

// remove takes the file away under both names, the public one first.
func (h *held) remove() {
	h.Close()
	os.Remove(h.Name())
	h.forget()
}

// become gives the file another public name, at which it stays.
func (h *held) become(file string) error {
	if err := h.Close(); err != nil {
		return err
	}
	if err := os.Rename(h.Name(), file); err != nil {
		return err
	}
	h.forget()
	return nil
}

func (h *held) forget() {
	if h.own != "" {
		os.Remove(h.own)
	}
}

func (s *Store) step(name string) {
	if s.Step != nil {
		s.Step(name)
	}
}
