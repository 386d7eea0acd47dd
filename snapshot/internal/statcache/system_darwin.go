package statcache

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// BootID names the running boot; empty if it is unknown.
func BootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// Local reports whether a directory is on a file system known to keep the times
// of files and directories itself.
func Local(dir string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return false
	}
	return unix.ByteSliceToString(st.Fstypename[:]) == "apfs"
}

func statTimes(fi fs.FileInfo) (mtime, ctime int64, dev uint64) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return fi.ModTime().UnixNano(), 0, 0
	}
	return syscall.TimespecToNsec(st.Mtimespec), syscall.TimespecToNsec(st.Ctimespec), uint64(st.Dev)
}
