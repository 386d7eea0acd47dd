//go:build unix

package statcache

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file into memory, for reading. Caches are replaced, never cut,
// so that the pages stay.
func mapFile(name string) (data []byte, unmap func(), err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < fixed || info.Size() > maxFile {
		return nil, nil, ErrNone
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE|populate)
	if err != nil {
		return nil, nil, &os.PathError{Op: "mmap", Path: name, Err: err}
	}
	return data, func() { _ = unix.Munmap(data) }, nil
}
