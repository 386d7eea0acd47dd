//go:build unix

package mmap

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Map maps all of an open file, which may be closed afterwards. unmap gives
// the memory back; the data must not be touched after it. An empty file has no
// data. The error matches [errors.ErrUnsupported] where files cannot be mapped, or not
// one of this length.
func Map(f *os.File) (data []byte, unmap func(), err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	switch size := info.Size(); {
	case size == 0:
		return nil, func() {}, nil
	case size > math.MaxInt:
		return nil, nil, errors.ErrUnsupported
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	return data, func() { _ = unix.Munmap(data) }, nil
}
