package snapshot

import (
	"errors"
	"io/fs"
	"syscall"
)

// refused reports that a file system or kernel does not know a kind of rename.
func refused(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}

// places returns the directories of an item's target and temporary, to be
// changed.
func (t *tx) places(it *item) (target, home *dir, err error) {
	if target, err = t.ds.get(it.up); err != nil {
		return nil, nil, err
	}
	if home, err = t.ds.get(it.home); err != nil {
		return nil, nil, err
	}
	target.dirty, home.dirty = true, true
	return target, home, nil
}

// try does call unless the target's directory is known to refuse such renames,
// and remembers it if it does.
func (t *tx) try(target *dir, call func() error) (err error, done bool) {
	if target.plain || t.w.opt.NoExchange {
		t.plain(target)
		return nil, false
	}
	if err := call(); !refused(err) {
		return err, true
	}
	t.plain(target)
	return nil, false
}

func (t *tx) plain(d *dir) {
	d.plain = true
	if !t.noted {
		t.noted = true
		t.res.note("no-exchange", "", "no exchange on this file system: a write in the last microseconds would be lost")
	}
}

// swap makes target and temporary change places. ENOENT: one of them is gone.
func (t *tx) swap(it *item) error {
	target, home, err := t.places(it)
	if err != nil {
		return err
	}
	err, done := t.try(target, func() error { return exchange(home, it.tmp, target, it.name) })
	if done {
		return err
	}
	// The old file gets a second name before its first one is taken over, so
	// that afterwards everything is as if exchanged: it can be compared, and
	// put back as the inode it was.
	t.stepOf("link", it)
	err = link(target, it.name, home, it.spare)
	linked := err == nil
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return err
	}
	if !linked {
		// No links here: the name is missing for a moment, but never the bytes.
		if err := t.renameFree(target, it.name, home, it.spare); err != nil {
			return err
		}
	}
	t.stepOf("over", it)
	if linked {
		err = rename(home, it.tmp, target, it.name)
	} else if err = t.renameFree(home, it.tmp, target, it.name); err != nil {
		err = errors.Join(err, t.renameFree(home, it.spare, target, it.name))
	}
	if err != nil {
		return err
	}
	it.moved = true
	t.stepOf("settle", it)
	return t.renameFree(home, it.spare, home, it.tmp)
}

// out renames the target to the temporary.
func (t *tx) out(it *item) error {
	target, home, err := t.places(it)
	if err != nil {
		return err
	}
	return t.move(target, it.name, home, it.tmp, target)
}

// in renames the temporary to the target. EEXIST: the name is taken.
func (t *tx) in(it *item) error {
	target, home, err := t.places(it)
	if err != nil {
		return err
	}
	err, done := t.try(target, func() error { return renameNew(home, it.tmp, target, it.name) })
	if done {
		return err
	}
	// Unlike a rename, a link never replaces.
	t.stepOf("link", it)
	err = link(home, it.tmp, target, it.name)
	if err == nil {
		it.moved = true
		t.stepOf("settle", it)
		return unlink(home, it.tmp)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return t.renameFree(home, it.tmp, target, it.name)
}

// move renames to a name that must be free; in is the directory whose file
// system decides how.
func (t *tx) move(a *dir, an string, b *dir, bn string, in *dir) error {
	err, done := t.try(in, func() error { return renameNew(a, an, b, bn) })
	if done {
		return err
	}
	return t.renameFree(a, an, b, bn)
}

// renameFree looks first and renames then, for names that are ours alone and
// for file systems that offer nothing better.
func (t *tx) renameFree(a *dir, an string, b *dir, bn string) error {
	if _, err := b.root.Lstat(bn); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return rename(a, an, b, bn)
}
