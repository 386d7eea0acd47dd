package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Perm says what new files and directories get beyond the umask. The zero
// value is git's default: nothing.
type Perm struct {
	Shared fs.FileMode // core.sharedRepository: bits to add, 0660 for "group"
	Exact  bool        // Shared replaces the bits instead
	Own    bool        // hand new files over to UID and GID: root works for a user
	UID    int
	GID    int
}

// PermOf returns the permissions for a git directory. When root works in
// somebody's repository, what it makes must stay theirs.
func PermOf(gitDir string, shared fs.FileMode, exact bool) Perm {
	p := Perm{Shared: shared, Exact: exact}
	if os.Geteuid() == 0 {
		p.UID, p.GID, p.Own = ownerOf(gitDir)
		p.Own = p.Own && (p.UID != 0 || p.GID != os.Getegid())
	}
	return p
}

// Fix gives an entry that was just made its permissions and owner.
func (p Perm) Fix(name string) error {
	if p.Own {
		if err := os.Lchown(name, p.UID, p.GID); err != nil {
			return err
		}
	}
	if p.Shared == 0 {
		return nil
	}
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if mode := p.adjust(info.Mode()); mode != info.Mode() {
		return os.Chmod(name, mode)
	}
	return nil
}

// adjust is git's calc_shared_perm and adjust_shared_perm.
func (p Perm) adjust(mode fs.FileMode) fs.FileMode {
	add := p.Shared
	if mode&0o200 == 0 {
		add &^= 0o222
	}
	if mode&0o100 != 0 {
		add |= add & 0o444 >> 2
	}
	perm := mode.Perm() | add
	if p.Exact {
		perm = add
	}
	if !mode.IsDir() {
		return mode&^fs.ModePerm | perm
	}
	return mode&^fs.ModePerm | perm | perm&0o444>>2 | fs.ModeSetgid
}

// MkdirAll makes a directory and those above it, and syncs the directories
// that got a new name.
func (p Perm) MkdirAll(dir string, noSync bool) error {
	// Asked first: a mkdir that fails takes the lock of the directory above.
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	err := os.Mkdir(dir, 0o777)
	switch {
	case errors.Is(err, fs.ErrExist):
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
		}
		return err
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir:
		if err := p.MkdirAll(filepath.Dir(dir), noSync); err != nil {
			return err
		}
		if err = os.Mkdir(dir, 0o777); errors.Is(err, fs.ErrExist) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	if err := p.Fix(dir); err != nil || noSync {
		return err
	}
	return SyncDir(filepath.Dir(dir))
}
