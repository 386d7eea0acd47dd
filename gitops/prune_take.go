package gitops

import (
	"errors"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

// keepPrefix is where the commits are kept that only a turn still names.
const keepPrefix = "refs/chordgit/keep/"

// take removes a turn's ref, then what the turn alone kept. With an error the turn
// is still there.
func (p *pruner) take(t Pruned) error {
	p.r.opt.Step("prune ref")
	tag, _ := object.ParseID(t.Tag)
	if err := p.r.refs.Remove(turnRef(t.Turn), tag); err != nil && !errors.Is(err, ref.ErrNotFound) {
		return err
	}
	p.r.opt.Step("prune keep")
	p.release(keepPrefix+strconv.Itoa(t.Turn)+"/", func(int) bool { return true })
	return nil
}

// release removes kept commits below a prefix, of the turns that are meant. What
// fails is reported; the next prune sweeps it.
func (p *pruner) release(prefix string, meant func(n int) bool) {
	refs, err := p.r.refs.List(prefix)
	errs := []error{err}
	for _, k := range refs {
		word, _, _ := strings.Cut(strings.TrimPrefix(k.Name, keepPrefix), "/")
		if n, err := strconv.Atoi(word); err != nil || !meant(n) {
			continue
		}
		if err := p.r.refs.Remove(k.Name, k.ID); !errors.Is(err, ref.ErrNotFound) {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		p.errs = append(p.errs, trouble(edit.CommitFailed, "commits that a pruned turn kept cannot be released", err))
	}
}

// sweep releases the commits of turns that are gone, which a prune that died has
// left.
func (p *pruner) sweep(l listing) {
	p.release(keepPrefix, func(n int) bool {
		_, listed := l[n]
		return !listed && !p.there(turnRef(n)) && !p.there(openRef(n))
	})
}

// there reports whether a ref exists, which also counts as yes if that cannot be
// told.
func (p *pruner) there(name string) bool {
	_, err := p.r.refs.Read(name)
	return !errors.Is(err, ref.ErrNotFound)
}
