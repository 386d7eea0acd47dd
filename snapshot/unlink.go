package snapshot

import (
	"path"
	"slices"
	"sync"

	"github.com/chordgit/chordgit/edit"
)

// unlinkers is how many files go at the same time: an unlink is mostly waiting
// for the file system, which takes half as long for eight at once.
const unlinkers = 8

// unlinkOld removes the old content: what still is as it was compared, and
// what the store has, asked at this moment, since a git prune may have been at
// work. Anything else is kept.
func (t *tx) unlinkOld() {
	defer t.enter()()
	old := slices.DeleteFunc(slices.Clone(t.order), func(it *item) bool { return it.before == nil })
	for part := range slices.Chunk(old, unlinkers) {
		t.unlinkAtOnce(part)
	}
}

func (t *tx) unlinkAtOnce(items []*item) {
	keep := make([]bool, len(items))
	errs := make([]error, len(items))
	var wg sync.WaitGroup
	defer wg.Wait() // should a step not return
	for i, it := range items {
		t.stepOf("unlink", it)
		home, err := t.ds.get(it.home)
		if err != nil {
			errs[i] = err
			continue
		}
		home.busy = true
		defer func() { home.busy = false }()
		wg.Go(func() { keep[i], errs[i] = t.w.unlinkIf(home, it) })
	}
	wg.Wait()
	for i, it := range items {
		switch {
		case errs[i] != nil:
			t.res.note("temporary-left", it.c.Path, "its old content is still in %s: %v", path.Join(it.home, it.tmp), cause(errs[i]))
		case keep[i]:
			t.keep(it, it.tmp)
		}
	}
}

// unlinkIf removes one item's old content, or tells that it must be kept.
func (w *Worktree) unlinkIf(home *dir, it *item) (keep bool, err error) {
	why, err := w.atRest(home, it.tmp, it.old)
	if err != nil {
		return false, err
	}
	if why != "" || !w.has(it.before) {
		return true, nil
	}
	return false, unlink(home, it.tmp)
}

// has reports whether the bytes of f may go: the store has them, or there is
// none and nobody asked for them to be kept.
func (w *Worktree) has(f *edit.File) bool {
	if w.opt.Store == nil || !f.Regular() && !f.IsLink() {
		return true
	}
	return f.ID != "" && w.opt.Store.Has(f.ID)
}
