package snapshot

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// exchange makes two names change places in one step.
func exchange(a *dir, an string, b *dir, bn string) error {
	return renameat2(a, an, b, bn, unix.RENAME_EXCHANGE)
}

// renameNew renames, and refuses with EEXIST where the new name is taken.
func renameNew(a *dir, an string, b *dir, bn string) error {
	return renameat2(a, an, b, bn, unix.RENAME_NOREPLACE)
}

func renameat2(a *dir, an string, b *dir, bn string, flags uint) error {
	afd, err := a.fd()
	if err != nil {
		return err
	}
	bfd, err := b.fd()
	if err != nil {
		return err
	}
	return retry(func() error { return unix.Renameat2(afd, an, bfd, bn, flags) })
}

// beingWritten reports whether a descriptor or a shared mapping anywhere can
// still write to the file. The kernel refuses a read lease for exactly that
// reason with EAGAIN. Where the lease cannot be asked for (somebody else's
// file, a file system without leases) nothing is known and false returned.
func beingWritten(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		// Dropped at once: who opens it for writing would wait for us.
		unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return errors.Is(err, unix.EAGAIN)
}

// startWriteback lets the disk begin with a file that will be synced later.
func startWriteback(f *os.File) {
	unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}

// syncAll flushes the whole file system that d is on.
func syncAll(d *dir) error {
	fd, err := d.fd()
	if err != nil {
		return err
	}
	return retry(func() error { return unix.Syncfs(fd) })
}

// umask reads the process's umask without setting it, which other threads
// would notice.
func umask() fs.FileMode {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range bytes.Lines(status) {
		if v, ok := bytes.CutPrefix(line, []byte("Umask:")); ok {
			if n, err := strconv.ParseUint(string(bytes.TrimSpace(v)), 8, 32); err == nil {
				return fs.FileMode(n) & fs.ModePerm
			}
		}
	}
	n := unix.Umask(0o022)
	unix.Umask(n)
	return fs.FileMode(n) & fs.ModePerm
}
