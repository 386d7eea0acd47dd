//go:build linux || darwin

package scan

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// A handle is an open directory. The zero handle is none.
type handle struct{ fd1 int } // the descriptor and 1

func (h handle) isOpen() bool { return h.fd1 > 0 }
func (h handle) fd() int      { return h.fd1 - 1 }

func (h handle) close() {
	if h.isOpen() {
		_ = unix.Close(h.fd())
	}
}

func openTop(top string) (handle, error) {
	fd, err := openat(unix.AT_FDCWD, top, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC)
	if err != nil {
		return handle{}, &fs.PathError{Op: "open", Path: top, Err: err}
	}
	return handle{fd + 1}, nil
}

func openat(dir int, name string, flags int) (fd int, err error) {
	for {
		if fd, err = unix.Openat(dir, name, flags, 0); !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// enter opens a directory in h, to list it or only to look at what is in it.
// What is a link, or no directory, is an error. With leave h is closed.
func (h handle) enter(name []byte, list, leave bool) (handle, error) {
	flags := unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	if list {
		flags |= unix.O_RDONLY
	} else {
		flags |= openToPass
	}
	fd, err := openat(h.fd(), string(name), flags)
	if leave {
		h.close()
	}
	if err != nil {
		return handle{}, err
	}
	return handle{fd + 1}, nil
}

// self is lstat of the directory itself.
func (h handle) self(e *statcache.Entry) (dev uint64, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(h.fd(), &st); err != nil {
		return 0, err
	}
	fill(e, &st)
	return uint64(st.Dev), nil
}

// lstat fills in the stat of a name in h, which has a NUL behind its end. Quick
// says that the answer needs no network.
func (h handle) lstat(name []byte, e *statcache.Entry, quick bool) (dev uint64, err error) {
	return lstatAt(h.fd(), name, e, quick)
}

func fill(e *statcache.Entry, st *unix.Stat_t) {
	e.Mtime = int64(st.Mtim.Sec)*1e9 + int64(st.Mtim.Nsec)
	e.Ctime = int64(st.Ctim.Sec)*1e9 + int64(st.Ctim.Nsec)
	e.Ino = st.Ino
	e.Size = st.Size
	e.Mode = fileMode(uint32(st.Mode))
}

// fileMode is the system's mode as package fs has it.
func fileMode(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	switch bits & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	default:
		mode |= fs.ModeIrregular
	}
	if bits&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if bits&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if bits&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// read returns what a small regular file in h holds.
func (h handle) read(name []byte) ([]byte, error) {
	fd, err := openat(h.fd(), string(name), unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), string(name))
	defer f.Close()
	if fi, err := f.Stat(); err != nil {
		return nil, err
	} else if !fi.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	return io.ReadAll(io.LimitReader(f, maxRules))
}
