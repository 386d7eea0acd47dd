package snapshot

import (
	"io/fs"
	"path"
	"slices"
	"strings"

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
		if made := slices.Contains(t.plan.Mkdir, m.Path); !made && mode != m.Before&permissions && mode != m.Before&permissions|owners {
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

// owners are the rights that an owner needs to change what is in a directory.
const owners fs.FileMode = 0o700

// openDirs lets the owner into the directories whose permissions the plan changes
// and that bar him now: what is in them could not be changed.
func (t *tx) openDirs() error {
	barred := slices.DeleteFunc(slices.Clone(t.plan.DirModes), func(m edit.DirMode) bool { return m.Before == 0 || m.Before&owners == owners })
	slices.SortFunc(barred, func(a, b edit.DirMode) int { return strings.Compare(a.Path, b.Path) }) // parents first
	for _, m := range barred {
		mode, parent := t.dirMode(m.Path)
		if parent == nil || mode != m.Before&permissions {
			continue
		}
		t.step("opendir:" + m.Path)
		if err := parent.root.Chmod(path.Base(m.Path), mode|owners); err != nil {
			return failure(m.Path, err)
		}
		t.modes = append(t.modes, m)
	}
	return nil
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

// freeDirs lets the owner into the directories that got other permissions, so that
// what is in them can be taken back.
func (t *tx) freeDirs() {
	for i, m := range slices.Backward(t.modes) {
		mode, parent := t.dirMode(m.Path)
		opened := m.Before != 0 && m.Before&owners != owners && mode == m.Before&permissions|owners
		if parent != nil && !opened && (m.After == 0 || mode != m.After&permissions) {
			t.modes = slices.Delete(t.modes, i, i+1) // somebody set others since
			continue
		}
		if parent != nil && mode&owners != owners {
			parent.root.Chmod(path.Base(m.Path), mode|owners)
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

// enter lets the owner into the directories that the plan closes to him, for what is
// to be cleared there once the change stands. leave closes them again.
func (t *tx) enter() (leave func()) {
	var entered []edit.DirMode
	for _, m := range t.plan.DirModes {
		mode, parent := t.dirMode(m.Path)
		if after := m.After & permissions; m.After != 0 && after&owners != owners && parent != nil && mode == after {
			parent.root.Chmod(path.Base(m.Path), after|owners)
			entered = append(entered, m)
		}
	}
	return func() {
		for _, m := range slices.Backward(entered) {
			if _, parent := t.dirMode(m.Path); parent != nil {
				parent.root.Chmod(path.Base(m.Path), m.After&permissions)
			}
		}
	}
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
