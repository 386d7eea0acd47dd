//go:build linux && (amd64 || arm64)

package scan

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// fstatat does not copy the name, as package unix would: that and the garbage
// cost a tenth of a scan. It tells the scheduler (no RawSyscall): a file system
// that hangs must not keep a processor from the timer that ends the scan.
func fstatat(dir int, name []byte, st *unix.Stat_t) error {
	for {
		_, _, errno := unix.Syscall6(sysFstatat, uintptr(dir), uintptr(unsafe.Pointer(&name[0])),
			uintptr(unsafe.Pointer(st)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
		switch errno {
		case 0:
			return nil
		case unix.EINTR:
		default:
			return errno
		}
	}
}
