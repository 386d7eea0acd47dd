package object

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// GCRunning reports whether gc.pid names a running gc, by git's own rule
// (builtin/gc.c): younger than 12 hours, and of another host or a live process.
func GCRunning(commonDir string) bool {
	name := filepath.Join(commonDir, "gc.pid")
	info, err := os.Stat(name)
	if err != nil || time.Since(info.ModTime()) > 12*time.Hour {
		return false
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	var pid int
	var host string
	if n, _ := fmt.Sscan(string(data), &pid, &host); n < 2 || pid <= 0 {
		return false
	}
	if here, err := os.Hostname(); err != nil || host != here {
		return true
	}
	return alive(pid)
}

// keepText is what a .keep file of ours says.
const keepText = "chordgit: written while a gc was running\n"

// ReleaseKeeps removes the .keep files that were written while a gc ran, so
// that the next one tidies those packs. It does nothing while one is running.
// Files of others stay.
func (db *DB) ReleaseKeeps() error {
	var kept []*pack
	for _, p := range db.list(false) {
		if p.own && p.keep {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 || GCRunning(db.common) {
		return nil
	}
	for _, p := range kept {
		text, err := os.ReadFile(p.base + ".keep")
		if err != nil || !strings.HasPrefix(string(text), "chordgit") {
			continue
		}
		if err := os.Remove(p.base + ".keep"); err != nil {
			return err
		}
		p.mu.Lock()
		p.keep = false
		p.mu.Unlock()
	}
	return nil
}
