package snapshot

import (
	"io/fs"
	"path"
	"slices"

	"github.com/chordgit/chordgit/edit"
)

// setDirModes gives directories their permissions, last: one that its owner may
// not write to could not be filled afterwards. A directory that changed its
// permissions since, or is gone, stays as it is.
func (t *tx) setDirModes() {
	for _, m := range t.plan.DirModes {
		mode, parent := t.dirMode(m.Path)
		if m.After == 0 || parent == nil || mode == m.After&permissions {
			continue
		}
		if made := slices.Contains(t.plan.Mkdir, m.Path); !made && mode != m.Before&permissions {
			t.res.note("permissions", m.Path, "its permissions changed since and stay")
			continue
		}
		t.step("dirmode:" + m.Path)
		if err := parent.root.Chmod(path.Base(m.Path), m.After&permissions); err != nil {
			t.res.note("permissions", m.Path, "its permissions stay: %v", cause(err))
			continue
		}
		t.modes = append(t.modes, m)
	}
}

// dirMode is what permissions a directory has, and the directory above; nil if it
// is none.
func (t *tx) dirMode(p string) (fs.FileMode, *dir) {
	parent, err := t.ds.get(path.Dir(p))
	if err != nil {
		return 0, nil
	}
	fi, err := parent.root.Lstat(path.Base(p))
	if err != nil || !fi.IsDir() {
		return 0, nil
	}
	return fi.Mode() & permissions, parent
}

// freeDirs lets the owner into the directories that got their permissions, so that
// what is in them can be taken back.
func (t *tx) freeDirs() {
	for i, m := range slices.Backward(t.modes) {
		mode, parent := t.dirMode(m.Path)
		if parent == nil || mode != m.After&permissions {
			t.modes = slices.Delete(t.modes, i, i+1) // somebody set others since
			continue
		}
		if mode&0o700 != 0o700 {
			parent.root.Chmod(path.Base(m.Path), mode|0o700)
		}
	}
}

// resetDirModes gives the directories that freeDirs opened the permissions that
// they had.
func (t *tx) resetDirModes() {
	for _, m := range slices.Backward(t.modes) {
		_, parent := t.dirMode(m.Path)
		if m.Before == 0 || parent == nil {
			continue // made here, and gone again
		}
		if err := parent.root.Chmod(path.Base(m.Path), m.Before&permissions); err != nil {
			t.stuckAt(m.Path, "its permissions could not be put back", err)
		}
	}
	t.modes = nil
}

// formerMode is what permissions a directory had that the plan removes; false if
// they are not recorded.
func (t *tx) formerMode(p string) (fs.FileMode, bool) {
	i := slices.IndexFunc(t.plan.DirModes, func(m edit.DirMode) bool { return m.Path == p && m.Before != 0 })
	if i < 0 {
		return 0, false
	}
	return t.plan.DirModes[i].Before & permissions, true
}
