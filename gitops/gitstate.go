package gitops

import (
	"maps"
	"slices"

	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// metaGit is what git itself moved in a turn.
type metaGit struct {
	Refs      []metaRef     `json:"refs,omitempty"`
	Stash     *metaStash    `json:"stash,omitempty"` // nil: the stashes are as they were
	Operation metaOperation `json:"operation,omitzero"`
	Moves     []metaMove    `json:"moves,omitempty"`   // of HEAD, oldest first, but for commits
	Carried   int           `json:"carried,omitempty"` // files that came with them
	Edited    []string      `json:"edited,omitempty"`  // paths that were changed on top of that
	Index     string        `json:"index,omitempty"`   // one of the states below
	Flags     []metaFlags   `json:"flags,omitempty"`
}

// What became of the index in a turn. Empty: its entries are as they were.
const (
	indexChanged = "changed"
	indexUnknown = "unknown" // nobody knows what they were
)

// metaRef is a branch or tag that moved; empty where it was not there.
type metaRef struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// metaOperation names the merge, rebase and the like that waited to be finished.
type metaOperation struct {
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// metaFlags are the flags of an index entry that changed, with commas between
// them.
type metaFlags struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// git compares git's own state with that of the begin. Moved reports whether
// anything of it is another.
func (e *ending) git() (moved bool, err error) {
	e.meta.Git = metaGit{}
	m := &e.meta.Git
	state, err := readSession(e.r.sessionFile(e.open.Session))
	if err != nil {
		return false, err
	}
	start := &gitStart{head: e.meta.Head.Before}
	noted := get(state, memberGit, start) // false: the begin died before it wrote this
	known := noted
	if get(state, memberRefs, &start.refs) {
		if m.Refs, err = e.r.refsSince(start.refs); err != nil {
			return false, err
		}
	}
	if m.Stash, err = e.r.stashesSince(start.Stash); err != nil {
		return false, err
	}
	now := e.r.layout.Operation()
	if !noted {
		start.Operation = now
	}
	m.Operation = metaOperation{start.Operation, now}
	m.Index = indexUnknown
	var x *repo.Index
	if known {
		same := false
		if x, same, known = e.r.startIndex(e.open.Session, start.Index); known {
			defer x.Close()
			m.Index = ""
			if !same {
				if err := e.index(x); err != nil {
					return false, err
				}
			}
		}
	}
	if err := e.sparse(x); err != nil {
		return false, err
	}
	if err := e.carry(start, noted); err != nil {
		return false, err
	}
	moved = len(m.Refs) > 0 || m.Stash != nil || m.Index == indexChanged || e.meta.Head.Before != e.meta.Head.After || m.Operation.Before != m.Operation.After
	if moved {
		e.keep, err = e.r.unkept(start, m)
	}
	return moved, err
}

// refsSince lists the refs that differ from what they were.
func (r *Repo) refsSince(before map[string]string) (list []metaRef, err error) {
	after, err := r.userRefs()
	if err != nil {
		return nil, err
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before[name] != after[name] {
			list = append(list, metaRef{name, before[name], after[name]})
		}
	}
	return list, nil
}

// sparse takes out of the delta what only a sparse checkout hides at one end.
// start is the index of the start, nil if it is not known.
func (e *ending) sparse(start *repo.Index) error {
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
	if len(went) == 0 {
		return nil
	}
	now, err := e.r.layout.IndexEntries(went)
	if err != nil {
		return nil // an index that cannot be read hides nothing
	}
	for i, p := range went {
		if now[i].Entry == nil || !now[i].Entry.SkipWorktree {
			continue
		}
		if _, there := e.c.Found(p); !there {
			e.meta.Skipped.After.Add = append(e.meta.Skipped.After.Add, metaSkip{Path: pathcode.Encode(p), Why: whySparse})
		}
	}
	return nil
}
