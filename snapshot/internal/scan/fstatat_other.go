//go:build darwin || (linux && !amd64 && !arm64)

package scan

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

func lstatAt(dir int, name []byte, e *statcache.Entry, _ bool) (dev uint64, err error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(dir, string(name), &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		fill(e, &st)
		return uint64(st.Dev), nil
	}
}
