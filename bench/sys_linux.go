package main

import (
	"fmt"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// fileSystem names the file system of a directory.
func fileSystem(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	switch uint32(st.Type) {
	case unix.TMPFS_MAGIC:
		return "tmpfs", nil
	case unix.RAMFS_MAGIC:
		return "ramfs", nil
	case unix.EXT4_SUPER_MAGIC:
		return "ext4", nil
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs", nil
	case unix.XFS_SUPER_MAGIC:
		return "xfs", nil
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlayfs", nil
	}
	return fmt.Sprintf("%#x", uint32(st.Type)), nil
}

// flush writes out everything that waits on the file system of a directory, so
// that no run pays for what was done before it.
func flush(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}

// peak is the most memory that an ended process had, in bytes.
func peak(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}

// load is how many processes wanted a CPU in the last minute, on average; NaN:
// not known.
func load() float64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return math.NaN()
	}
	return float64(info.Loads[0]) / (1 << 16)
}
