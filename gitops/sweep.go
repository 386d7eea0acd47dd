package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// abandoned is how old a temporary file must be to be a dead process's: a living
// one keeps it for moments.
const abandoned = time.Hour

// sweep removes from the git directory the temporary files of processes that were
// killed, older than an hour at now. They are chordgit's alone, in directories of
// its own and, by their name, in info. What cannot be removed stays: it costs room.
func (r *Repo) sweep(now time.Time) {
	dirs := map[string]string{
		r.stateDir():                              "tmp_",
		r.sharedDir():                             "tmp_",
		filepath.Join(r.stateDir(), "sessions"):   "tmp_",
		filepath.Join(r.layout.CommonDir, "info"): temporaryOfInfo,
	}
	for dir, prefix := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), prefix) || !e.Type().IsRegular() {
				continue
			}
			if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > abandoned {
				_ = os.Remove(filepath.Join(dir, e.Name()))
			}
		}
	}
}
