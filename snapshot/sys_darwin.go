package snapshot

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

func exchange(a *dir, an string, b *dir, bn string) error {
	return renamex(a, an, b, bn, unix.RENAME_SWAP)
}

func renameNew(a *dir, an string, b *dir, bn string) error {
	return renamex(a, an, b, bn, unix.RENAME_EXCL)
}

func renamex(a *dir, an string, b *dir, bn string, flags uint32) error {
	afd, err := a.fd()
	if err != nil {
		return err
	}
	bfd, err := b.fd()
	if err != nil {
		return err
	}
	return retry(func() error { return unix.RenameatxNp(afd, an, bfd, bn, flags) })
}

func beingWritten(*os.File) bool { return false }

func startWriteback(*os.File) {}

func syncAll(*dir) error { return errors.ErrUnsupported }

func umask() fs.FileMode {
	n := unix.Umask(0o022)
	unix.Umask(n)
	return fs.FileMode(n) & fs.ModePerm
}
