package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// StartWriteback lets the kernel begin to write a file's bytes, without
// waiting, so that the syncs of many files overlap. It is a hint.
func StartWriteback(f *os.File) {
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
