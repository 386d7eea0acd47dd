package gitops

import "github.com/chordgit/chordgit/gitops/internal/gitstate"

// git is git's own state, as it is now.
func (r *Repo) git() *gitstate.State {
	return &gitstate.State{Layout: r.layout, DB: r.db, Refs: r.refs, Step: r.opt.Step}
}

// gitPart is what the turn recorded of git's own state.
func (t *Turn) gitPart() *gitstate.Turn {
	return &gitstate.Turn{N: t.N, Head: t.meta.Head, Record: t.meta.Git, Tree: t.tree}
}

// git compares git's own state with that of the begin. Moved reports whether
// anything of it is another.
func (e *ending) git() (moved bool, err error) {
	state, err := readSession(e.r.sessionFile(e.open.Session))
	if err != nil {
		return false, err
	}
	start := &gitstate.Start{Head: e.meta.Head.Before, Kept: e.r.indexKept(e.open.Session)}
	start.Noted = get(state, memberGit, start) // false: the begin died before it wrote this
	if !get(state, memberRefs, &start.Refs) {
		start.Refs = nil
	}
	end, err := e.r.git().End(start, e.meta.Head.After, e.c.batch)
	if err != nil {
		return false, err
	}
	defer end.Close()
	e.meta.Git, e.gitTrees, e.keep = end.Record, end.Trees, end.Unkept
	e.sparse(end.StartIndex)
	return end.Moved, e.judgeCame(&end.Came)
}
