//go:build linux || darwin

package repo

import (
	"errors"
	"io/fs"
	"syscall"
)

// isNotDir reports whether a name could not be there: what should hold it is
// no directory.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// changeTime returns the ctime in nanoseconds and the inode, zeros if the
// system does not tell.
func changeTime(info fs.FileInfo) (ctime, inode int64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return ctimeOf(st), int64(st.Ino)
	}
	return 0, 0
}
