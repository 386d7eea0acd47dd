package scan

import "golang.org/x/sys/unix"

// adviseLarge asks for large pages. A system that has none gives small ones.
func adviseLarge(b []byte) {
	if len(b) > 0 {
		_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	}
}
