package snapshot

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"

	"github.com/chordgit/chordgit/edit"
)

// A staged is a file that was written and not yet synced.
type staged struct {
	it   *item
	file *os.File
}

// stageAll writes all new content under temporary names and makes it durable.
func (t *tx) stageAll(ctx context.Context) error {
	t.step("stage")
	total := 0
	for _, it := range t.items {
		if it.after.Regular() {
			total++
		}
	}
	whole := runtime.GOOS == "linux" && total >= syncAllFrom || t.w.opt.NoSync
	stage := func(it *item, content io.Reader, err error) error {
		if err := ctx.Err(); err != nil {
			return &edit.Error{Code: edit.CommitFailed, Err: err}
		}
		if err == nil {
			t.stepOf("stage", it)
			err = t.stage(it, it.after, content, it.donor(), !whole)
		}
		if err != nil {
			return stageFailure(it, err)
		}
		return nil
	}
	var stored []*item // all whose content the store has, to be read together
	var ids []string
	for _, it := range t.order {
		if f := it.after; f == nil {
			continue
		} else if f.Regular() && f.Data == nil && f.ID != "" && t.w.opt.Store != nil {
			stored, ids = append(stored, it), append(ids, f.ID)
		} else if err := stage(it, nil, nil); err != nil {
			return err
		}
	}
	if len(ids) > 0 {
		if err := t.w.opt.Store.Blobs(ids, func(i int, r io.Reader, err error) error {
			return stage(stored[i], r, err)
		}); err != nil {
			return err
		}
	}
	t.step("staged")
	switch {
	case t.w.opt.NoSync:
		return nil
	case whole:
		return t.syncHomes()
	}
	return t.syncStaged()
}

func stageFailure(it *item, err error) error {
	var e *edit.Error
	var nd *notDirError
	if errors.As(err, &e) {
		return e
	}
	if errors.As(err, &nd) {
		return stale(it.c.Path, "kind")
	}
	return &edit.Error{Code: edit.CommitFailed, Path: it.c.Path, Err: cause(err)}
}

// donor is the path whose owner and attributes the new content takes: of the
// file that it replaces, or that was moved here. Empty for a new file.
func (it *item) donor() string {
	switch {
	case it.c.From != "":
		return it.c.From
	case it.before.Regular():
		return it.c.Path
	}
	return ""
}

// sameContent reports whether the bytes stay as they are: those of the file
// that is replaced, or that was moved here.
func (t *tx) sameContent(it *item) bool {
	b, a := t.layout.before[it.donor()], it.after
	switch {
	case !b.Regular() || !a.Regular():
		return false
	case b.ID != "" && a.ID != "" || a.Data == nil || b.Data == nil:
		return b.ID == a.ID
	}
	return bytes.Equal(b.Data, a.Data)
}

// stage puts f under the item's temporary name. A nil content is looked for. With
// later the file stays open for the sync of all.
func (t *tx) stage(it *item, f *edit.File, content io.Reader, donor string, later bool) error {
	home, err := t.ds.get(it.home)
	if err != nil {
		return err
	}
	home.dirty = true
	if f.IsLink() {
		target, err := t.w.bytes(f)
		if err != nil {
			return err
		}
		if err := home.root.Symlink(string(target), it.tmp); err != nil {
			return err
		}
		it.staged = true
		return t.giveToParent(home, it.tmp)
	}
	// The last component is not followed: O_EXCL refuses whatever is there.
	file, err := home.root.OpenFile(it.tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	it.staged = true
	kept := false
	defer func() {
		if !kept {
			file.Close()
		}
	}()
	t.stepOf("write", it)
	err = t.write(it, file, f, content)
	if err == nil {
		err = t.dress(it, file, f, donor, home)
	}
	if err == nil {
		var fi fs.FileInfo
		if fi, err = file.Stat(); err == nil {
			it.fresh = statOf(fi)
		}
	}
	if err == nil && later && !t.w.opt.NoSync {
		startWriteback(file)
		t.staging = append(t.staging, staged{it, file})
		kept = true
		if len(t.staging) >= maxStaged {
			return t.syncStaged()
		}
		return nil
	}
	if err != nil {
		return err
	}
	kept = true
	return file.Close()
}

func (t *tx) write(it *item, file *os.File, f *edit.File, content io.Reader) error {
	if content == nil {
		r, err := t.w.content(f)
		if err != nil && it.c.From != "" && f.ID == "" {
			r, err = t.source(it.c.From)
		}
		if err != nil {
			return err
		}
		defer r.Close()
		content = r
	}
	_, err := io.Copy(file, content)
	return err
}

// source opens a move's source, whose bytes the planner had no need of.
func (t *tx) source(p string) (io.ReadCloser, error) {
	d, err := t.ds.get(path.Dir(p))
	if err != nil {
		return nil, err
	}
	f, _, err := d.open(path.Base(p))
	return f, err
}

// content opens the bytes of f.
func (w *Worktree) content(f *edit.File) (io.ReadCloser, error) {
	switch {
	case f.Data != nil:
		return io.NopCloser(bytes.NewReader(f.Data)), nil
	case f.ID == "" || w.opt.Store == nil:
		return nil, errors.New("the plan has neither the bytes nor a store to take them from")
	}
	return w.opt.Store.Blob(f.ID)
}

func (w *Worktree) bytes(f *edit.File) ([]byte, error) {
	r, err := w.content(f)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// dress gives a complete file its owner, attributes and final mode, in this
// order: a change of owner clears setuid, an ACL shows in the mode.
func (t *tx) dress(it *item, file *os.File, f *edit.File, donor string, home *dir) error {
	mode := f.Mode & permissions
	if donor == "" {
		if err := t.giveToParent(home, it.tmp); err != nil {
			return err
		}
		return file.Chmod(mode)
	}
	d, err := t.ds.get(path.Dir(donor))
	if err != nil {
		return err
	}
	from, fi, err := d.open(path.Base(donor))
	if gone(err) || errors.Is(err, errOther) {
		// It changed since; the exchange will say how. New content for a path
		// that is put back has nobody to ask either.
		return file.Chmod(mode)
	} else if err != nil {
		return err
	}
	defer from.Close()
	same := t.sameContent(it)
	if !same && mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		mode &^= fs.ModeSetuid | fs.ModeSetgid
		t.res.note("setuid-dropped", it.c.Path, "setuid and setgid were dropped with its old content")
	}
	groupKept, err := t.keepOwner(it, file, fi)
	if err != nil {
		return err
	}
	if !groupKept {
		// What the old group was allowed is not for another one.
		mode &^= (mode &^ (mode << 3)) & 0o070
	}
	notes, err := copyAttributes(file, from, same)
	for _, n := range notes {
		t.res.note("attributes", it.c.Path, "%s", n)
	}
	if err != nil {
		return err
	}
	return file.Chmod(mode)
}

// keepOwner gives file the owner and group of the one it replaces, as far as
// we may: both, or the group, or neither, with a note.
func (t *tx) keepOwner(it *item, file *os.File, old fs.FileInfo) (groupKept bool, err error) {
	fi, err := file.Stat()
	if err != nil {
		return false, err
	}
	uid, gid, ok := owner(old)
	haveUID, haveGID, _ := owner(fi)
	if !ok || uid == haveUID && gid == haveGID {
		return true, nil
	}
	if file.Chown(uid, gid) == nil {
		return true, nil
	}
	if gid == haveGID || file.Chown(-1, gid) == nil {
		t.res.note("owner-changed", it.c.Path, "its owner could not be kept")
		return true, nil
	}
	t.res.note("owner-changed", it.c.Path, "its owner and group could not be kept")
	return false, nil
}

// giveToParent gives something new to the owner of its directory, if we are
// root: what root makes in a user's worktree belongs to the user.
func (t *tx) giveToParent(d *dir, name string) error {
	if !isRoot() {
		return nil
	}
	fi, err := d.root.Lstat(".")
	if err != nil {
		return err
	}
	uid, gid, ok := owner(fi)
	if !ok || uid == 0 && gid == 0 {
		return nil
	}
	return d.root.Lchown(name, uid, gid)
}
