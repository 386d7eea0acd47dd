package gitops

import (
	"maps"
	"slices"
)

// metaGit is what git itself moved in a turn.
type metaGit struct {
	Refs []metaRef `json:"refs,omitempty"`
}

// metaRef is a branch, tag or stash that moved; empty where it was not there.
type metaRef struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// gitMoved notes the refs that moved since the turn began, and reports whether
// any did, or HEAD.
func (e *ending) gitMoved() (bool, error) {
	state, err := readSession(e.r.sessionFile(e.open.Session))
	if err != nil {
		return false, err
	}
	var before map[string]string
	e.meta.Git = metaGit{}
	if get(state, memberRefs, &before) {
		after, err := e.r.userRefs()
		if err != nil {
			return false, err
		}
		names := maps.Clone(before)
		maps.Copy(names, after)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if before[name] != after[name] {
				e.meta.Git.Refs = append(e.meta.Git.Refs, metaRef{name, before[name], after[name]})
			}
		}
	}
	return len(e.meta.Git.Refs) > 0 || e.meta.Head.Before != e.meta.Head.After, nil
}

// sparse takes out of the delta what only a sparse checkout hides at one end.
func (e *ending) sparse() error {
	var ends []string
	for _, d := range e.diff {
		if d.Before.ID.IsZero() || d.After.ID.IsZero() {
			ends = append(ends, d.Path)
		}
	}
	if len(ends) == 0 {
		return nil
	}
	now, err := e.r.layout.IndexEntries(ends)
	if err != nil {
		return nil // an index that cannot be read hides nothing
	}
	for i, p := range ends {
		if now[i].Entry == nil || !now[i].Entry.SkipWorktree {
			continue
		}
		if _, there := e.c.Found(p); !there {
			e.meta.Skipped.After.Add = append(e.meta.Skipped.After.Add, metaSkip{Path: encodePath(p), Why: whySparse})
		}
	}
	return nil
}
