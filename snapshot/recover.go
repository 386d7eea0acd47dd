package snapshot

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// An Outcome is what became of a transaction that died.
type Outcome uint8

// The outcomes.
const (
	// Nothing: no path was changed. Its record can go.
	Nothing Outcome = iota + 1
	// Completed: every path is as planned. The turn can be closed.
	Completed
	// RolledBack: what had been changed was put back. Its record can go.
	RolledBack
	// Partial: something of the plan remains, be it beneath somebody's later
	// change. The turn can be closed with what the paths hold now.
	Partial
)

// A Recovery is what Recover found and did.
type Recovery struct {
	Outcome Outcome
	Left    []string // paths, as in the plan, that somebody changed since: left as they are
	Notes   []edit.Note
	Kept    []string // as in [Result]
}

// state is what stands at a name, in terms of a change.
type state uint8

const (
	absent   state = iota
	asBefore       // the old content, or absent where there was none
	asAfter        // the new content, or absent where there is to be none
	foreign        // neither
	halfway        // absent, while the old content waits under the temporary
)

// Recover judges what an Apply of this plan under the number n left on disk
// when it was killed, and completes or undoes it: nothing changed, everything
// changed, or put back what was. A path that holds neither the one nor the
// other was changed by somebody since and is left alone. The plan may come
// from a record: of each File only Mode and ID count. Without mayTouch (HEAD
// moved since) no path is changed; temporaries are cleared all the same. Where
// the outcome is Completed they stay until the turn is closed: then call Clear.
//
// On an error the disk is as far as it got; Recover can be called again.
func (w *Worktree) Recover(n int, plan *edit.Plan, mayTouch bool) (*Recovery, error) {
	t, err := w.begin(n, plan)
	defer t.close()
	if err != nil {
		return nil, err
	}
	t.step("recover")
	for _, it := range t.items {
		if err := t.judge(it, mayTouch); err != nil {
			return nil, &edit.Error{Code: edit.Unreadable, Path: it.c.Path, Err: cause(err)}
		}
	}
	r := &Recovery{Outcome: t.outcome()}
	switch {
	case r.Outcome == Completed:
		t.step("rmdir")
		t.removeDirs()
		t.setDirModes()
	case mayTouch:
		if t.revert() {
			r.Outcome = Partial
		}
	case r.Outcome == RolledBack:
		r.Outcome = Partial
	}
	for _, it := range t.items {
		if it.is == foreign {
			t.left = append(t.left, it.c.Path)
		}
	}
	t.step("sync")
	if err := t.syncDirs(); err != nil {
		return nil, err
	}
	if r.Outcome != Completed {
		t.clear()
		t.resetDirModes()
	}
	t.step("done")
	r.Left, r.Notes, r.Kept = t.left, t.res.Notes, t.res.Kept
	if t.stuck != nil {
		return r, t.stuck
	}
	return r, nil
}

// Clear removes the temporaries that an Apply of this plan left whose turn is
// closed: those that are known and at rest. Any other is kept and named.
func (w *Worktree) Clear(n int, plan *edit.Plan) (*Result, error) {
	t, err := w.begin(n, plan)
	defer t.close()
	if err != nil {
		return t.res, err
	}
	for _, it := range t.items {
		if err := t.judge(it, false); err != nil {
			return t.res, &edit.Error{Code: edit.Unreadable, Path: it.c.Path, Err: cause(err)}
		}
	}
	leave := t.enter()
	t.clear()
	leave()
	if t.stuck != nil {
		return t.res, t.stuck
	}
	return t.res, nil
}

func (t *tx) clear() {
	for _, it := range t.items {
		t.stepOf("unlink", it)
		t.retire(it, it.tmp)
		t.retire(it, it.spare)
	}
}

// outcome sums the paths up. Old content that is foreign was never compared:
// the process died before it could take the exchange back.
func (t *tx) outcome() Outcome {
	changed, whole := 0, 0
	for _, it := range t.items {
		switch {
		case it.is == asAfter && it.tmpIs == foreign && it.before != nil, it.is == halfway:
			changed++
		case it.is == asAfter:
			changed++
			whole++
		case it.is == foreign && (it.tmpIs == asBefore || it.before == nil && it.tmpIs == absent):
			changed++ // an exchange had taken place, somebody went on from there
		}
	}
	dirs := 0
	for _, p := range t.plan.Mkdir {
		if f, err := t.ds.lookup(p); err == nil && f.IsDir() {
			dirs++
		}
	}
	switch {
	case whole == len(t.items) && dirs == len(t.plan.Mkdir):
		return Completed
	case changed == 0:
		return Nothing
	}
	return RolledBack
}

// revert puts the changed paths back and reports whether something of the plan
// remains.
func (t *tx) revert() (remains bool) {
	progress := false
	for _, it := range t.items {
		it.moved = it.is == asAfter || it.is == halfway
		progress = progress || it.moved
		if _, err := t.ds.get(it.home); it.moved && gone(err) {
			it.moved, it.is = false, foreign // somebody removed the directory
		}
	}
	for _, p := range t.plan.Mkdir {
		if f, err := t.ds.lookup(p); err == nil && f.IsDir() {
			t.made = append(t.made, p)
		}
	}
	for _, p := range t.plan.Rmdir {
		if f, err := t.ds.lookup(p); err == nil && !f.IsDir() {
			t.gone = append(t.gone, goneDir{path: p})
		}
	}
	t.modes = slices.Clone(t.plan.DirModes) // those that have other permissions got them here
	t.step("rollback")
	t.takeBack()
	t.step("rolled-back")
	for _, it := range t.items {
		switch {
		case it.moved:
			remains = true
		case it.is == asAfter && it.tmpIs == foreign:
			t.left = append(t.left, it.c.Path) // the exchange had brought it out
		case it.is != foreign:
			it.is = asBefore
		case it.tmpIs == asBefore, it.before == nil && it.tmpIs == absent && progress:
			remains = true
		}
	}
	return remains
}

// judge finds out what stands at an item's target and temporaries.
func (t *tx) judge(it *item, mayTouch bool) error {
	home, err := t.ds.get(it.home)
	if gone(err) {
		home = nil
	} else if err != nil {
		return err
	}
	target, err := t.ds.get(it.up)
	if gone(err) {
		target = nil
	} else if err != nil {
		return err
	}
	if home != nil {
		if err := t.settle(it, home, target, mayTouch); err != nil {
			return err
		}
		if it.tmpIs, err = t.compare(it, home, it.tmp); err != nil {
			return err
		}
	}
	found := absent
	if target != nil {
		if found, err = t.compare(it, target, it.name); err != nil {
			return err
		}
	}
	it.is = found
	if found == foreign {
		// A directory where the plan has one counts as nothing.
		f, err := target.lookup(it.name)
		if err != nil {
			return err
		}
		if f.IsDir() && (it.after == nil && t.layout.mkdir[it.c.Path] || it.before == nil && t.layout.rmdir[it.c.Path]) {
			found = absent
		}
		it.is = found
	}
	if found != absent {
		return nil
	}
	switch {
	case it.before == nil:
		it.is = asBefore
	case it.after == nil:
		it.is = asAfter
	case it.tmpIs == asBefore:
		it.is = halfway
	default:
		it.is = foreign // gone: somebody removed it
	}
	return nil
}

// compare tells whether a name holds the old or the new content. Permissions
// decide only if the bytes do not: a person may have changed them since.
func (t *tx) compare(it *item, d *dir, name string) (state, error) {
	if lower := strings.ToLower(it.c.Path); name == it.name && d.fold && t.layout.folded[lower] && t.layout.leaves[lower] {
		if f, err := d.lookup(name); f == nil || err != nil { // the other spelling is the other change's
			return absent, err
		}
	}
	found := foreign
	for i, f := range []*edit.File{it.before, it.after} {
		if f == nil {
			continue
		}
		s, err := t.w.at(d, name, f)
		if err != nil {
			return foreign, err
		}
		is := state(int(asBefore) + i)
		switch {
		case !s.there:
			return absent, nil
		case s.why == "":
			return is, nil
		case s.why == "mode" && found == foreign:
			found = is
		}
	}
	return found, nil
}

// settle brings the steps by which names are exchanged without the kernel's
// help to an end, so that one temporary is left at most, and no name twice.
func (t *tx) settle(it *item, home, target *dir, mayTouch bool) error {
	at := func(d *dir, name string) (fs.FileInfo, error) {
		if d == nil {
			return nil, nil
		}
		fi, err := d.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return fi, err
	}
	same := func(a, b fs.FileInfo) bool { return a != nil && b != nil && os.SameFile(a, b) }

	file, err1 := at(target, it.name)
	tmp, err2 := at(home, it.tmp)
	spare, err3 := at(home, it.spare)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	switch {
	case same(tmp, file): // linked in, and not yet unlinked
		return unlink(home, it.tmp)
	case spare == nil:
		return nil
	case same(spare, file): // linked, and not yet taken over
		return unlink(home, it.spare)
	case tmp == nil: // taken over, and not yet settled
		return t.renameFree(home, it.spare, home, it.tmp)
	case file == nil && target != nil && mayTouch: // renamed away, where links are missing
		target.dirty, home.dirty = true, true
		return t.move(home, it.spare, target, it.name, target)
	}
	return nil
}

// beginning reports whether a file holds the first bytes of want, with zeros
// after them: what is left of a staged file when the process or the power went.
func (w *Worktree) beginning(d *dir, name string, want *edit.File) bool {
	f, _, err := d.open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	if beingWritten(f) {
		return false
	}
	r, err := w.content(want)
	if err != nil {
		return false
	}
	defer r.Close()
	var x, y [32 << 10]byte
	zeros := false
	for {
		n, err := io.ReadFull(f, x[:])
		m, _ := io.ReadFull(r, y[:n])
		if n > m {
			return false
		}
		if zeros || !bytes.Equal(x[:n], y[:n]) {
			i := 0
			for !zeros && x[i] == y[i] {
				i++
			}
			zeros = true
			if len(bytes.Trim(x[i:n], "\x00")) > 0 {
				return false
			}
		}
		if err != nil {
			return err == io.EOF || err == io.ErrUnexpectedEOF
		}
	}
}
