package snapshot

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/chordgit/chordgit/edit"
)

// permissions are the bits of a mode that belong to the file.
const permissions = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// seen is what a look at a name found, compared with what should be there.
type seen struct {
	there  bool
	stat   edit.Stat
	why    string // how it differs: vanished, kind, content or mode; empty: it does not
	writer bool   // a program can still write to it
}

// sameBytes: kind and bytes are as expected, if not the permissions.
func (s seen) sameBytes() bool { return s.why == "" || s.why == "mode" }

// at looks at a name and compares it with want, reading the content once.
func (w *Worktree) at(d *dir, name string, want *edit.File) (seen, error) {
	f, err := d.reach(name)
	if err != nil {
		return seen{}, err
	}
	if f == nil {
		return seen{why: "vanished"}, nil
	}
	s := seen{there: true, stat: f.Stat}
	switch {
	case want == nil || f.Mode.Type() != want.Mode.Type():
		s.why = "kind"
	case f.IsLink():
		same, err := w.same(bytes.NewReader(f.Data), int64(len(f.Data)), want)
		if err != nil {
			return s, err
		}
		if !same {
			s.why = "content"
		}
	case f.Regular():
		if err := w.read(d, name, want, &s); err != nil {
			return s, err
		}
	}
	if s.why == "" && !f.IsLink() && (f.Mode^want.Mode)&permissions != 0 {
		s.why = "mode"
	}
	return s, nil
}

// read compares a regular file's bytes and asks for writers.
func (w *Worktree) read(d *dir, name string, want *edit.File, s *seen) error {
	f, fi, err := d.open(name)
	switch {
	case errors.Is(err, errOther), errors.Is(err, fs.ErrNotExist):
		s.why = "kind"
		return nil
	case err != nil:
		return err
	}
	defer f.Close()
	// Asked before the bytes are read: who opens the file later is found by
	// the second look.
	s.writer = beingWritten(f)
	s.stat = statOf(fi)
	same := alike(s.stat, want.Stat)
	if want.Data != nil || want.ID != "" && w.opt.Store != nil {
		if same, err = w.same(f, s.stat.Size, want); err != nil {
			return err
		}
	}
	if fi, err = f.Stat(); err != nil {
		return err
	}
	if !same || statOf(fi) != s.stat {
		s.why = "content"
	}
	return nil
}

// alike compares what a write to a file would change. Its ctime and link count
// move with its names and say nothing of the bytes.
func alike(a, b edit.Stat) bool {
	return a.Ino == b.Ino && a.Dev == b.Dev && a.Size == b.Size && a.Mtime == b.Mtime
}

// same reports whether size bytes of r are the content of want.
func (w *Worktree) same(r io.Reader, size int64, want *edit.File) (bool, error) {
	switch {
	case want.Data != nil:
		if size != int64(len(want.Data)) {
			return false, nil
		}
		return equal(r, want.Data)
	case want.ID != "" && w.opt.Store != nil:
		id, err := w.opt.Store.ID(io.LimitReader(r, size), size)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil // it shrank while we read
		}
		return id == want.ID, err
	default:
		return false, errors.New("the plan has neither the bytes nor their id")
	}
}

// buffers are shared by everything that reads a file piece by piece.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// equal reports whether a stream holds data and ends there.
func equal(r io.Reader, data []byte) (bool, error) {
	buf := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buf)
	for {
		n, err := r.Read(buf[:])
		if n > len(data) || !bytes.Equal(buf[:n], data[:n]) {
			return false, nil
		}
		data = data[n:]
		if err == io.EOF {
			return len(data) == 0, nil
		} else if err != nil {
			return false, err
		}
	}
}

// atRest looks again at a file that was compared: it must be the one that was
// seen, and no program may be able to write to it.
func (w *Worktree) atRest(d *dir, name string, was edit.Stat) (why string, err error) {
	fi, err := d.root.Lstat(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "vanished", nil
		}
		return "", err
	}
	if !alike(statOf(fi), was) {
		return "content", nil
	}
	if !fi.Mode().IsRegular() {
		return "", nil
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if beingWritten(f) {
		return "writer", nil
	}
	return "", nil
}

// cause is the system's word in an error of package os, whose paths name
// handles and temporaries that the user never saw.
func cause(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	var se *os.SyscallError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	case errors.As(err, &se):
		return se.Err
	}
	return err
}
