//go:build linux || darwin

package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/chordgit/chordgit/edit"
)

// openFlags keep open from waiting for the other end of a FIFO. That the last
// component is no link is proved by comparing what was opened; os.Root would
// follow it all the same.
const openFlags = unix.O_NONBLOCK | unix.O_NOCTTY

// openLimit is how many descriptors the system lets us have.
func openLimit() int {
	const enough = 16 << 10
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil || l.Cur > enough {
		return enough
	}
	return int(l.Cur)
}

func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// rename renames and replaces what stands at the new name.
func rename(a *dir, an string, b *dir, bn string) error {
	afd, err := a.fd()
	if err != nil {
		return err
	}
	bfd, err := b.fd()
	if err != nil {
		return err
	}
	return retry(func() error { return unix.Renameat(afd, an, bfd, bn) })
}

// link gives a file a second name. A symbolic link is linked itself.
func link(a *dir, an string, b *dir, bn string) error {
	afd, err := a.fd()
	if err != nil {
		return err
	}
	bfd, err := b.fd()
	if err != nil {
		return err
	}
	return retry(func() error { return unix.Linkat(afd, an, bfd, bn, 0) })
}

// unlink removes a name, but never a directory.
func unlink(d *dir, name string) error {
	fd, err := d.fd()
	if err != nil {
		return err
	}
	return retry(func() error { return unix.Unlinkat(fd, name, 0) })
}

// rmdir removes an empty directory, but never a file.
func rmdir(d *dir, name string) error {
	fd, err := d.fd()
	if err != nil {
		return err
	}
	return retry(func() error { return unix.Unlinkat(fd, name, unix.AT_REMOVEDIR) })
}

// syncDir makes the names in a directory durable.
func syncDir(d *dir) error {
	if _, err := d.fd(); err != nil {
		return err
	}
	return fsync(d.file)
}

// owner returns user and group of a file.
func owner(fi fs.FileInfo) (uid, gid int, ok bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

func isRoot() bool { return os.Geteuid() == 0 }

func statOf(fi fs.FileInfo) edit.Stat {
	st := fi.Sys().(*syscall.Stat_t)
	mtime, ctime := times(st)
	return edit.Stat{
		Size: st.Size, Mtime: mtime, Ctime: ctime,
		Dev: uint64(st.Dev), Ino: st.Ino, Nlink: uint64(st.Nlink),
	}
}
