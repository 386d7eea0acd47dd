//go:build unix

package gitops

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A thing is what stands at a path of the model's worktree.
type thing struct {
	mode  fs.FileMode // kind and permissions
	text  string      // bytes of a file, target of a link
	mtime int64
	ino   uint64
}

// alike reports whether two things have the same kind and bytes.
func (a thing) alike(b thing) bool { return a.mode.Type() == b.mode.Type() && a.text == b.text }

// equal reports whether they have the same permissions, too.
func (a thing) equal(b thing) bool {
	return a.alike(b) && (a.mode == b.mode || a.mode&fs.ModeSymlink != 0)
}

// A disk is all of a worktree but what is git's.
type disk map[string]thing

// look reads a worktree.
func look(dir string) (disk, error) {
	d := disk{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		if e.Name() == ".git" {
			return filepath.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		t := thing{mode: info.Mode(), mtime: info.ModTime().UnixNano(), ino: info.Sys().(*syscall.Stat_t).Ino}
		switch {
		case t.mode.IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			t.text = string(data)
		case t.mode&fs.ModeSymlink != 0:
			if t.text, err = os.Readlink(name); err != nil {
				return err
			}
		}
		d[filepath.ToSlash(name[len(dir)+1:])] = t
		return nil
	})
	return d, err
}

// differ lists the paths whose kind, bytes or permissions differ.
func differ(a, b disk) (paths []string) {
	for p, x := range a {
		if y, ok := b[p]; !ok || !x.equal(y) {
			paths = append(paths, p)
		}
	}
	for p := range b {
		if _, ok := a[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// has reports whether a path is there.
func (d disk) has(p string) bool { _, ok := d[p]; return ok }

// file reports whether a path is a file or link.
func (d disk) file(p string) bool { t, ok := d[p]; return ok && !t.mode.IsDir() }

// pick returns the paths that satisfy a condition, sorted.
func (d disk) pick(ok func(p string, t thing) bool) (paths []string) {
	for _, p := range slices.Sorted(maps.Keys(d)) {
		if ok(p, d[p]) {
			paths = append(paths, p)
		}
	}
	return paths
}

// temporary reports whether a name is one of a transaction's own.
func temporary(p string) bool { return strings.HasPrefix(path.Base(p), ".chordgit-") }

// state reads what git keeps of its own: HEAD, index, refs, logs, settings.
func state(gitDir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(gitDir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == gitDir {
			return err
		}
		rel := filepath.ToSlash(name[len(gitDir)+1:])
		if rel == "objects" || rel == "chordgit" || rel == "refs/chordgit" {
			return filepath.SkipDir
		}
		if e.Type().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			files[rel] = string(data)
		}
		return nil
	})
	return files, err
}
