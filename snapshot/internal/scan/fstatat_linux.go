//go:build linux && (amd64 || arm64)

package scan

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// noStatx: the kernel, or what guards it, does not know statx.
var noStatx atomic.Bool

// lstatAt asks by statx, which takes a fifth less than newfstatat: here lstat is
// three quarters of a scan. It does not copy the name, as package unix would:
// that and the garbage cost a tenth. Quick says that the file system is a local
// one: then the scheduler is not told, which costs a sixth. One that hangs must
// not keep a processor from the timer that ends the scan.
func lstatAt(dir int, name []byte, e *statcache.Entry, quick bool) (dev uint64, err error) {
	if noStatx.Load() {
		return fstatAt(dir, name, e)
	}
	var st unix.Statx_t
	const wanted = unix.STATX_TYPE | unix.STATX_MODE | unix.STATX_MTIME | unix.STATX_CTIME | unix.STATX_INO | unix.STATX_SIZE
	for {
		var errno unix.Errno
		if quick {
			_, _, errno = unix.RawSyscall6(unix.SYS_STATX, uintptr(dir), uintptr(unsafe.Pointer(&name[0])),
				unix.AT_SYMLINK_NOFOLLOW, wanted, uintptr(unsafe.Pointer(&st)), 0)
		} else {
			_, _, errno = unix.Syscall6(unix.SYS_STATX, uintptr(dir), uintptr(unsafe.Pointer(&name[0])),
				unix.AT_SYMLINK_NOFOLLOW, wanted, uintptr(unsafe.Pointer(&st)), 0)
		}
		switch {
		case errno == unix.EINTR:
			continue
		case errno == unix.ENOSYS || errno == unix.EPERM:
			// A sandbox that forbids statx says EPERM; a directory says EACCES.
			noStatx.Store(true)
			return fstatAt(dir, name, e)
		case errno != 0:
			return 0, errno
		case st.Mask&wanted != wanted:
			return fstatAt(dir, name, e) // the file system does not know all of it
		}
		e.Mtime = st.Mtime.Sec*1e9 + int64(st.Mtime.Nsec)
		e.Ctime = st.Ctime.Sec*1e9 + int64(st.Ctime.Nsec)
		e.Ino, e.Size, e.Mode = st.Ino, int64(st.Size), fileMode(uint32(st.Mode))
		return unix.Mkdev(st.Dev_major, st.Dev_minor), nil
	}
}

func fstatAt(dir int, name []byte, e *statcache.Entry) (dev uint64, err error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(dir, unsafe.String(&name[0], len(name)), &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		fill(e, &st)
		return st.Dev, nil
	}
}
