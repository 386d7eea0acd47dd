//go:build unix

package seed

import (
	"os"
	"syscall"
)

// device returns the number of a file's file system, cut as the index cuts it.
func device(name string) (uint32, bool) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint32(st.Dev), true
}
