package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// keptFlags are the inode flags of chattr that a user may have set and that a
// new inode does not inherit: secrm, unrm, compr, sync, nodump, noatime, data
// journalling, nocow, project inheritance.
const keptFlags = 0x1 | 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x4000 | 0x800000 | 0x20000000

// copyAttributes makes the extended attributes of a new file, ACLs among them,
// equal to those of the one it replaces: what a directory's default ACL gave
// it is taken off. Attributes that only the system may set fail with a note.
func copyAttributes(to, from *os.File, sameBytes bool) (notes []string, err error) {
	tofd, fromfd := int(to.Fd()), int(from.Fd())
	have, err := attributeNames(tofd)
	if err != nil {
		return nil, err
	}
	want, err := attributeNames(fromfd)
	if err != nil {
		return nil, err
	}
	failed := func(name string, err error) error {
		if strings.HasPrefix(name, "security.") || strings.HasPrefix(name, "trusted.") {
			notes = append(notes, fmt.Sprintf("the attribute %s was not carried over: %v", name, err))
			return nil
		}
		return fmt.Errorf("attribute %s: %w", name, err)
	}
	for _, name := range have {
		if !slices.Contains(want, name) && name != "security.selinux" {
			if err := unix.Fremovexattr(tofd, name); err != nil {
				if err := failed(name, err); err != nil {
					return notes, err
				}
			}
		}
	}
	for _, name := range want {
		if name == "security.capability" && !sameBytes {
			// Granted to a program that this no longer is.
			notes = append(notes, "its capabilities were dropped with its old content")
			continue
		}
		value, err := attribute(fromfd, name)
		if err == nil {
			if old, e := attribute(tofd, name); e == nil && bytes.Equal(old, value) {
				continue
			}
			err = unix.Fsetxattr(tofd, name, value, 0)
		}
		if err != nil {
			if err := failed(name, err); err != nil {
				return notes, err
			}
		}
	}
	if flags, err := unix.IoctlGetUint32(fromfd, unix.FS_IOC_GETFLAGS); err == nil && flags&keptFlags != 0 {
		notes = append(notes, "flags set by chattr were not carried over")
	}
	return notes, nil
}

// attributeNames lists a file's attributes; a file system without any has none.
func attributeNames(fd int) ([]string, error) {
	list, err := grow(func(b []byte) (int, error) { return unix.Flistxattr(fd, b) })
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00"), nil
}

func attribute(fd int, name string) ([]byte, error) {
	return grow(func(b []byte) (int, error) { return unix.Fgetxattr(fd, name, b) })
}

// grow calls with a larger buffer until the answer fits.
func grow(call func([]byte) (int, error)) ([]byte, error) {
	for size := 256; ; size *= 4 {
		b := make([]byte, size)
		n, err := call(b)
		if err == nil {
			return b[:n], nil
		}
		if !errors.Is(err, unix.ERANGE) || size > 1<<20 {
			return nil, err
		}
	}
}
