package repo

import "syscall"

func ctimeOf(st *syscall.Stat_t) int64 { return syscall.TimespecToNsec(st.Ctimespec) }
