package snapshot

import "syscall"

func times(st *syscall.Stat_t) (mtime, ctime int64) {
	return syscall.TimespecToNsec(st.Mtimespec), syscall.TimespecToNsec(st.Ctimespec)
}
