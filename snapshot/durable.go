package snapshot

import (
	"errors"
	"maps"
	"runtime"
	"slices"

	"github.com/chordgit/chordgit/edit"
)

// From so many staged files on one sync of the file system is cheaper than one
// a file. It waits for other programs' data too, such as a build's.
const syncAllFrom = 256

// maxStaged is how many files are written before the first of them is waited for.
const maxStaged = 128

// syncStaged waits for each staged file; the disk has been at work on all of
// them since they were written.
func (t *tx) syncStaged() error {
	for len(t.staging) > 0 {
		s := t.staging[0]
		t.staging = t.staging[1:]
		if err := errors.Join(s.file.Sync(), s.file.Close()); err != nil {
			return stageFailure(s.it, err)
		}
	}
	return nil
}

// syncHomes flushes every file system that something was staged on.
func (t *tx) syncHomes() error {
	done := map[uint64]bool{}
	for _, it := range t.items {
		if !it.staged {
			continue
		}
		home, err := t.ds.get(it.home)
		if err != nil {
			return stageFailure(it, err)
		}
		if dev := it.fresh.Dev; dev == 0 || done[dev] {
			continue
		}
		done[it.fresh.Dev] = true
		if err := syncAll(home); err != nil {
			return stageFailure(it, err)
		}
	}
	return nil
}

// From so many changed directories on one sync of the file system is cheaper than
// one a directory: each waits for the disk once more.
const syncDirsFrom = 64

// syncDirs makes names durable, each directory once.
func (t *tx) syncDirs() error {
	dirty := []*dir{}
	for _, p := range slices.Sorted(maps.Keys(t.ds.all)) {
		if d := t.ds.all[p]; d.dirty {
			dirty = append(dirty, d)
		}
	}
	if t.ds.top.dirty {
		dirty = append(dirty, t.ds.top)
	}
	if len(dirty) >= syncDirsFrom && runtime.GOOS == "linux" && !t.w.opt.NoSync {
		return t.syncAtOnce(dirty)
	}
	for _, d := range dirty {
		if err := t.syncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// syncAtOnce syncs the file systems that the directories are on, each by one of
// them: others may be closed by now, and not to be opened any more.
func (t *tx) syncAtOnce(dirty []*dir) error {
	by := map[uint64]*dir{t.ds.top.dev(): t.ds.top}
	for _, d := range dirty {
		if at := by[d.dev()]; at == nil || at.root == nil && d.root != nil {
			by[d.dev()] = d
		}
	}
	for _, d := range by {
		open, err := t.ds.get(d.path)
		if err == nil {
			err = syncAll(open)
		}
		if err != nil {
			return &edit.Error{Code: edit.CommitFailed, Path: d.path, Err: cause(err)}
		}
	}
	for _, d := range dirty {
		d.dirty = false
	}
	return nil
}

func (t *tx) syncDir(d *dir) error {
	if !d.dirty {
		return nil
	}
	d.dirty = false
	if t.w.opt.NoSync {
		return nil
	}
	open, err := t.ds.get(d.path)
	if err == nil {
		err = syncDir(open)
	}
	if err != nil {
		return &edit.Error{Code: edit.CommitFailed, Path: d.path, Err: cause(err)}
	}
	return nil
}
