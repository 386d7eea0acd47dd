//go:build darwin || (linux && !amd64 && !arm64)

package scan

import (
	"errors"

	"golang.org/x/sys/unix"
)

func fstatat(dir int, name []byte, st *unix.Stat_t) error {
	for {
		if err := unix.Fstatat(dir, string(name), st, unix.AT_SYMLINK_NOFOLLOW); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
