package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

// A past turn is what a prune needs to know of a closed one.
type past struct {
	n      int
	tag    object.ID
	ref    bool // it has one
	ended  time.Time
	bytes  int64
	undoes []int
	gone   bool // its worktree is
	lost   bool // neither ref nor tag is left
	why    string
}

// past reads the closed turns, ascending: those with a ref, and those that are
// listed and lost theirs.
func (p *pruner) past(l listing) ([]*past, error) {
	tags, err := p.r.tags(turnsPrefix)
	if err != nil {
		return nil, err
	}
	var turns []*past
	add := func(n int, tag object.ID, ref bool) {
		if p.read[tag] == nil {
			p.read[tag] = p.look(n, tag)
		}
		t := *p.read[tag]
		t.ref, t.lost = ref, t.lost && !ref
		turns = append(turns, &t)
	}
	for n, tag := range tags {
		add(n, tag, true)
	}
	for n, at := range l {
		if _, ok := tags[n]; !ok {
			add(n, at.tag, false)
		}
	}
	slices.SortFunc(turns, func(a, b *past) int { return a.n - b.n })
	// A turn that cannot be read ended before the next one that can.
	ended := p.now
	for _, t := range slices.Backward(turns) {
		if t.ended.IsZero() {
			t.ended = ended
		}
		ended = t.ended
	}
	return turns, nil
}

// look reads one turn.
func (p *pruner) look(n int, tag object.ID) *past {
	t, err := p.r.load(n, tag)
	at := &past{n: n, tag: tag}
	if t.meta == nil {
		at.lost = errors.Is(err, object.ErrMissing) && t.tree.IsZero()
		return at
	}
	at.ended, at.bytes, at.undoes = t.Ended, t.StoredBytes, t.Undoes
	at.gone = p.r.gone(t.meta.Worktree)
	return at
}

// gone reports whether a linked worktree was removed: git keeps no directory of
// its name, or one that was made anew. A worktree whose files are not there, as
// on a disk that is not mounted, is not gone; nor is one of which that much
// cannot be told.
func (r *Repo) gone(w metaTree) bool {
	if w.ID == "main" || w.Key == "" || filepath.Base(w.ID) != w.ID || w.ID == "." || w.ID == ".." {
		return false
	}
	dir := filepath.Join(r.layout.CommonDir, "worktrees", w.ID)
	if _, err := os.Lstat(dir); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	key, err := os.ReadFile(filepath.Join(dir, "chordgit", "key"))
	now := strings.TrimSpace(string(key))
	return err == nil && now != "" && now != w.Key
}
