package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/chordgit/chordgit/edit"
)

// rollback takes back whatever was done, in reverse order, and returns the
// cause, joined by what it could not do.
func (t *tx) rollback(cause error) error {
	t.step("rollback")
	t.takeBack()
	for _, s := range t.staging {
		s.file.Close()
	}
	t.staging = nil
	for _, it := range t.items {
		t.dropStaged(it)
	}
	t.resetDirModes()
	if err := t.syncDirs(); err != nil {
		t.stuckAt(".", "its directories could not be synced", err)
	}
	for _, p := range t.left {
		t.res.note("left", p, "another program wrote to it meanwhile; it was left as it is")
	}
	t.step("rolled-back")
	if t.stuck == nil {
		return cause
	}
	var all edit.Errors
	if !errors.As(cause, &all) {
		var e *edit.Error
		if !errors.As(cause, &e) {
			e = &edit.Error{Code: edit.CommitFailed, Err: cause}
		}
		all = edit.Errors{e}
	}
	return slices.Concat(all, t.stuck)
}

// takeBack undoes the exchanges, last first, and the directories at their turn. Their
// permissions come when nothing is left to do in them: see resetDirModes.
func (t *tx) takeBack() {
	t.freeDirs()
	dirsDone := false
	for _, it := range slices.Backward(t.order) {
		if it.early && !dirsDone {
			t.undoDirs()
			dirsDone = true
		}
		if !it.moved {
			continue
		}
		t.stepOf("undo", it)
		if err := t.undo(it); err != nil {
			t.stuckAt(it.c.Path, fmt.Sprintf("it could not be put back; its other content is in %s", path.Join(it.home, it.tmp)), err)
		}
		t.stepOf("undone", it)
	}
	if !dirsDone {
		t.undoDirs()
	}
}

func (t *tx) stuckAt(p, msg string, err error) {
	t.stuck = append(t.stuck, &edit.Error{Code: edit.RollbackFailed, Path: p, Msg: msg, Err: cause(err)})
}

// undo takes one path back. It acts first and looks then: to look first would
// lose what is saved in between.
func (t *tx) undo(it *item) error {
	if it.after == nil {
		return t.putBack(it)
	}
	if it.before != nil {
		return t.swapBack(it)
	}
	err := t.out(it)
	if gone(err) {
		it.moved = false
		return nil // somebody removed it
	}
	if err != nil {
		return err
	}
	ours, err := t.dropOurs(it)
	if ours || err != nil {
		return err
	}
	t.left = append(t.left, it.c.Path)
	if err = t.in(it); errors.Is(err, fs.ErrExist) {
		t.keep(it, it.tmp)
		err = nil
	}
	it.moved = err != nil
	return err
}

func (t *tx) swapBack(it *item) error {
	if err := t.restage(it); err != nil {
		return err
	}
	err := t.swap(it)
	if errors.Is(err, fs.ErrNotExist) {
		return t.putBack(it) // the target is gone
	}
	if err != nil {
		return err
	}
	ours, err := t.dropOurs(it)
	if ours || err != nil {
		return err
	}
	// Somebody wrote to what we had put there: that has to stand.
	t.left = append(t.left, it.c.Path)
	if err := t.swap(it); errors.Is(err, fs.ErrNotExist) {
		err = t.in(it)
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	it.moved, it.staged = false, false
	t.retire(it, it.tmp)
	return nil
}

// dropOurs unlinks the temporary if it holds our new content and no program
// can write to it.
func (t *tx) dropOurs(it *item) (bool, error) {
	home, err := t.ds.get(it.home)
	if err != nil {
		return false, err
	}
	want := *it.after
	want.Stat = it.fresh
	s, err := t.w.at(home, it.tmp, &want)
	if err != nil || !s.sameBytes() || s.writer {
		return false, err
	}
	if err := unlink(home, it.tmp); err != nil {
		return false, err
	}
	it.moved, it.staged = false, false
	return true, nil
}

// putBack gives the old content its name again. Where the name is taken
// meanwhile, it is kept under another one.
func (t *tx) putBack(it *item) error {
	if err := t.restage(it); err != nil {
		return err
	}
	err := t.in(it)
	if errors.Is(err, fs.ErrNotExist) {
		t.remakeDirs()
		err = t.in(it)
	}
	if errors.Is(err, fs.ErrExist) || gone(err) {
		t.left = append(t.left, it.c.Path)
		t.keep(it, it.tmp)
		err = nil
	}
	it.moved = err != nil
	return err
}

// restage brings old content that a power cut lost back from the store.
func (t *tx) restage(it *item) error {
	home, err := t.ds.get(it.home)
	if err != nil {
		return err
	}
	if _, err := home.root.Lstat(it.tmp); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	donor := ""
	if it.after.Regular() && it.before.Regular() {
		donor = it.c.Path
	}
	if err := t.stage(it, it.before, nil, donor, true); err != nil {
		return err
	}
	it.staged = false // it is not new content
	return t.syncStaged()
}

// undoDirs removes the directories that were made, unless something is in
// them, and makes the removed ones again.
func (t *tx) undoDirs() {
	for _, p := range slices.Backward(t.made) {
		t.step("unmake:" + p)
		parent, err := t.ds.get(path.Dir(p))
		if err != nil {
			continue
		}
		t.ds.drop(p)
		if rmdir(parent, path.Base(p)) == nil {
			parent.dirty = true
		}
	}
	t.made = nil
	t.remakeDirs()
}

// remakeDirs makes removed directories again, parents first. One whose name is
// taken is left to whoever needs it.
func (t *tx) remakeDirs() {
	for _, g := range slices.Backward(t.gone) {
		parent, err := t.ds.get(path.Dir(g.path))
		if err != nil {
			continue
		}
		name := path.Base(g.path)
		if parent.root.Mkdir(name, 0o777) != nil {
			continue
		}
		parent.dirty = true
		if g.info == nil {
			t.giveToParent(parent, name)
			if mode, ok := t.formerMode(g.path); ok {
				parent.root.Chmod(name, mode)
			}
			continue
		}
		if uid, gid, ok := owner(g.info); ok {
			parent.root.Lchown(name, uid, gid)
		}
		parent.root.Chmod(name, g.info.Mode()&permissions)
	}
}

// dropStaged removes new content that never got its name.
func (t *tx) dropStaged(it *item) {
	home, err := t.ds.get(it.home)
	if err != nil {
		return
	}
	if it.staged && !it.moved {
		if err := unlink(home, it.tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.stuckAt(it.c.Path, fmt.Sprintf("the temporary file %s could not be removed", path.Join(it.home, it.tmp)), err)
		}
		it.staged = false
	}
	if t.noted && !it.moved {
		t.retire(it, it.spare)
	}
}

// retire removes a temporary whose bytes are known and at rest, and keeps any
// other.
func (t *tx) retire(it *item, name string) {
	home, err := t.ds.get(it.home)
	if err != nil {
		return
	}
	if _, err := home.root.Lstat(name); err != nil {
		return
	}
	if t.known(it, home, name) && unlink(home, name) == nil {
		home.dirty = true
		return
	}
	t.keep(it, name)
}

// known reports whether a temporary may go: it equals before or after and the
// store has that, or it is a beginning of after while the target still is as
// before, which is a staged file cut short. No program may be able to write to
// it.
func (t *tx) known(it *item, home *dir, name string) bool {
	for _, f := range []*edit.File{it.before, it.after} {
		if f == nil {
			continue
		}
		s, err := t.w.at(home, name, f)
		if err != nil || s.writer {
			return false
		}
		if s.sameBytes() {
			return t.w.has(f)
		}
	}
	if fi, err := home.root.Lstat(name); err == nil && fi.Mode().IsRegular() && fi.Size() == 0 {
		return true // there is nothing in it to lose
	}
	return it.is == asBefore && it.after.Regular() && t.w.has(it.after) && t.w.beginning(home, name, it.after)
}

// keep gives bytes that may not go a name of their own beside the target.
func (t *tx) keep(it *item, name string) {
	home, err := t.ds.get(it.home)
	if err != nil {
		return
	}
	base := it.name
	if len(base) > 200 {
		base = base[:200]
	}
	where := home
	if d, err := t.ds.get(it.up); err == nil {
		where = d
	}
	for i := 1; ; i++ {
		kept := fmt.Sprintf("%s.chordgit-kept-%d", base, t.n)
		if i > 1 {
			kept += fmt.Sprintf("-%d", i)
		}
		err := t.move(home, name, where, kept, where)
		if errors.Is(err, fs.ErrExist) && i < 1000 {
			continue
		}
		if err != nil {
			t.stuckAt(it.c.Path, fmt.Sprintf("bytes that are not to be lost stay in %s", path.Join(it.home, name)), err)
			return
		}
		home.dirty, where.dirty = true, true
		if name == it.tmp {
			it.staged = false
		}
		p := path.Join(where.path, kept)
		t.res.Kept = append(t.res.Kept, p)
		t.res.note("kept", it.c.Path, "content that is not in the store, or still being written, was kept as %s", edit.Quote(p))
		return
	}
}
