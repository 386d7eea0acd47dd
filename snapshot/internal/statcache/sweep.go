package statcache

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// stale is how old a temporary file must be to be a dead process's: a living
// one keeps it for moments.
const stale = time.Hour

// Sweep removes from a directory what scans that were killed left there: stamps
// and halves of caches, more than an hour older than now, a time of [Stamp]. What
// cannot be removed stays.
func Sweep(dir string, now int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".tmp") || !strings.HasPrefix(name, ".stamp-") && !strings.HasPrefix(name, ".cache-") {
			continue
		}
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() && fi.ModTime().UnixNano() < now-int64(stale) {
			_ = os.Remove(filepath.Join(dir, name))
		}
	}
}
