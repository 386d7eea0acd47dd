package snapshot

import (
	"errors"
	"maps"
	"os"
	"runtime"
	"slices"

	"github.com/chordgit/chordgit/edit"
	"golang.org/x/sync/errgroup"
)

// From so many staged files on one sync of the file system is cheaper than one
// a file. It waits for other programs' data too, such as a build's.
const syncAllFrom = 256

// maxStaged is how many files are written before the first of them is waited for.
const maxStaged = 128

// fsync waits until a file, or the names in a directory, are on the disk.
var fsync = (*os.File).Sync // a variable for tests

// syncStaged waits for each staged file; the disk has been at work on all of
// them since they were written.
func (t *tx) syncStaged() error {
	var g errgroup.Group
	g.SetLimit(syncsAtOnce)
	for _, s := range t.staging {
		g.Go(func() error {
			if err := errors.Join(fsync(s.file), s.file.Close()); err != nil {
				return stageFailure(s.it, err)
			}
			return nil
		})
	}
	t.staging = nil
	return g.Wait()
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

// syncsAtOnce wait for the disk together, which flushes once for them.
const syncsAtOnce = 8

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
	for some := range slices.Chunk(dirty, syncsAtOnce) {
		if err := t.syncEach(some); err != nil {
			return err
		}
	}
	return nil
}

// syncEach syncs directories together. None is closed for another meanwhile.
func (t *tx) syncEach(dirty []*dir) error {
	var g errgroup.Group
	for _, d := range dirty {
		d.dirty = false
		if t.w.opt.NoSync {
			continue
		}
		open, err := t.ds.get(d.path)
		if err == nil && !open.busy {
			open.busy = true
			defer func() { open.busy = false }()
		}
		g.Go(func() error {
			if err == nil {
				err = syncDir(open)
			}
			if err != nil {
				return &edit.Error{Code: edit.CommitFailed, Path: d.path, Err: cause(err)}
			}
			return nil
		})
	}
	return g.Wait()
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
