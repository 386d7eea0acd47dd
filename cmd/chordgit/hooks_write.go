package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
)

// A fileChange is what is to become of a file of a directory: what makes the new
// one gets the old, nil if there is none, and returns nil to remove it, or the old
// to leave it.
type fileChange struct {
	name string
	make func(old *edit.File, umask fs.FileMode) (*edit.File, error)
}

// changeFiles changes files of one directory, all or none, as safely as those of
// a worktree but without a turn: somebody else's write in between is noticed, each
// file is exchanged as a whole, owner and mode stay. Links are changed as links.
func (a *app) changeFiles(dir string, changes ...fileChange) (changed bool, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return false, &edit.Error{Code: edit.CommitFailed, Path: dir, Err: err}
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return false, &edit.Error{Code: edit.Unreadable, Path: dir, Err: err}
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return false, &edit.Error{Code: edit.Unreadable, Path: dir, Err: err}
	}
	place, err := openUnrecorded(dir, a.repo)
	if err != nil {
		return false, &edit.Error{Code: edit.Unreadable, Path: dir, Err: err}
	}
	defer place.Close()
	_, err = place.Apply(context.Background(), gitops.Turn{}, func(tree edit.Tree) (*edit.Plan, error) {
		plan := &edit.Plan{}
		var errs []error
		for _, c := range changes {
			before, err := tree.Lookup(c.name)
			if err == nil && before.Regular() {
				err = tree.Load(c.name, before)
			}
			if err == nil && before != nil && !before.Regular() && !before.IsLink() {
				err = errors.New("is " + before.KindName())
			}
			var after *edit.File
			if err == nil {
				after, err = c.make(before, place.PlanOptions().Umask)
			}
			if err != nil {
				errs = append(errs, &edit.Error{Code: edit.Unreadable, Path: filepath.Join(dir, c.name), Err: err})
				continue
			}
			if after != before && !(before == nil && after == nil) {
				plan.Changes = append(plan.Changes, edit.Change{Path: c.name, Before: before, After: after})
			}
		}
		changed = len(plan.Changes) > 0
		return plan, errors.Join(errs...)
	})
	return changed && err == nil, err
}

// realFile is where a file is to be written: at the end of the links that it is,
// which dotfile managers make.
func realFile(name string) (string, error) {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return name, nil
	}
	if err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	return name, err
}

// backupSuffix is what the name of the copy gets that is made before a file of
// somebody else's is changed for the first time.
const backupSuffix = ".chordgit-bak"

// rewrite changes the text of a file that is somebody else's as well. Where keep
// says so of the old text it is kept beside it, unless an older one is; nil: never. A
// file that was not there gets mode, less the umask.
func (a *app) rewrite(name string, mode fs.FileMode, keep func(old []byte) bool, edited func(old []byte) ([]byte, error)) (changed bool, err error) {
	if name, err = realFile(name); err != nil {
		return false, &edit.Error{Code: edit.Unreadable, Path: name, Err: err}
	}
	dir, base := filepath.Split(name)
	var backup *edit.File
	changes := []fileChange{{base, func(old *edit.File, umask fs.FileMode) (*edit.File, error) {
		var text []byte
		if old != nil {
			if text = old.Data; !old.Regular() {
				return nil, errors.New("is " + old.KindName())
			}
			if text == nil {
				text = []byte{}
			}
		}
		made, err := edited(text)
		switch {
		case err != nil:
			return nil, err
		case made == nil:
			return nil, nil
		case old == nil:
			return &edit.File{Mode: mode &^ umask, Data: made}, nil
		case string(made) == string(text):
			return old, nil
		}
		if keep != nil && keep(text) {
			backup = &edit.File{Mode: old.Mode, Data: text}
		}
		return &edit.File{Mode: old.Mode, Data: made}, nil
	}}}
	if keep != nil {
		changes = append(changes, fileChange{base + backupSuffix, func(old *edit.File, _ fs.FileMode) (*edit.File, error) {
			if old != nil || backup == nil {
				return old, nil
			}
			return backup, nil
		}})
	}
	return a.changeFiles(cleanDir(dir), changes...)
}

func cleanDir(dir string) string {
	if dir == "" {
		return "."
	}
	return filepath.Clean(dir)
}
