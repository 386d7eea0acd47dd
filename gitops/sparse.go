package gitops

import (
	"fmt"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// Sparse is the code of notes about files that a sparse checkout hides.
const Sparse edit.Code = "sparse"

// sparse takes out of the delta what only a sparse checkout hides at one end.
// start is the index of the start, nil if it is not known.
func (e *ending) sparse(start *repo.Index) {
	var came, went []string
	for _, d := range e.diff {
		switch {
		case d.Before.ID.IsZero():
			came = append(came, d.Path)
		case d.After.ID.IsZero():
			went = append(went, d.Path)
		}
	}
	if len(came) > 0 && start != nil {
		for i, at := range start.LookupAll(came) {
			if at.Entry != nil && at.Entry.SkipWorktree {
				e.meta.Skipped.Before = append(e.meta.Skipped.Before, metaSkip{Path: pathcode.Encode(came[i]), Why: whySparse})
			}
		}
	}
	if len(went) == 0 || !e.r.layout.Sparse() { // without one, skip-worktree is somebody's wish, and the file was deleted
		return
	}
	now, err := e.r.layout.IndexEntries(went)
	if err != nil {
		return // an index that cannot be read hides nothing
	}
	for i, p := range went {
		if now[i].Entry == nil || !now[i].Entry.SkipWorktree {
			continue
		}
		if _, there := e.c.Found(p); !there {
			e.meta.Skipped.After.Add = append(e.meta.Skipped.After.Add, metaSkip{Path: pathcode.Encode(p), Why: whySparse})
		}
	}
}

// sparseNote says how much of the turn a sparse checkout hides; nil: nothing.
func (t *Turn) sparseNote() []edit.Note {
	what := "files are"
	switch n := t.hidden(); n {
	case 0:
		return nil
	case 1:
		what = "file is"
		fallthrough
	default:
		return []edit.Note{{Code: Sparse, Msg: fmt.Sprintf("%d %s outside the sparse checkout at one end of the turn and left alone", n, what)}}
	}
}

// hidden counts the paths that a sparse checkout hides at one end of the turn.
func (t *Turn) hidden() (n int) {
	start, end := t.meta.Skipped.start(), t.meta.Skipped.finish()
	for p, s := range end {
		if s.Why == whySparse || start[p].Why == whySparse {
			n++
		}
	}
	for p, s := range start {
		if _, too := end[p]; !too && s.Why == whySparse {
			n++
		}
	}
	return n
}
