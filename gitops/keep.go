package gitops

import (
	"errors"
	"fmt"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

// keepAll gives refs to objects that only a turn still names. They stand before
// the turn is closed.
func (r *Repo) keepAll(n int, ids []object.ID) error {
	for i, id := range ids {
		name := fmt.Sprintf("%s%d/%d", keepPrefix, n, i+1)
		if err := r.refs.Create(name, id); err != nil && !errors.Is(err, ref.ErrExists) {
			return err
		}
	}
	return nil
}

// releaseNeedless removes the refs of commits that the rewind kept although
// something else does so.
func (r *Repo) releaseNeedless(t *Turn) error {
	kept, err := r.refs.List(fmt.Sprintf("%s%d/", keepPrefix, t.N))
	for _, k := range kept {
		needless, e := r.git().Kept(k.ID)
		if e == nil && needless {
			e = r.refs.Remove(k.Name, k.ID)
		}
		err = errors.Join(err, e)
	}
	if err != nil {
		return trouble(edit.CommitFailed, "commits that need no keeping cannot be released", err)
	}
	return nil
}
