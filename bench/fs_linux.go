package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileSystem names the file system of a directory.
func fileSystem(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", err
	}
	names := map[int64]string{unix.TMPFS_MAGIC: "tmpfs", unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.OVERLAYFS_SUPER_MAGIC: "overlayfs"}
	if name, ok := names[int64(st.Type)]; ok {
		return name, nil
	}
	return fmt.Sprintf("type %#x", st.Type), nil
}
