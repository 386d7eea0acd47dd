package gitops

import (
	"maps"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// facts are what the rewind itself records of git's state, so that it can be taken
// back in turn.
type gitFacts struct {
	meta   metaGit
	after  metaHead
	owners map[string]string
	trees  func(b *object.Batch) (gitTrees, error)
	keep   []object.ID
	again  string // the command that does what is missing after a crash
}

// facts makes the record of the plan. changes are the files that go.
func (g *gitPlan) facts(changes []edit.Change) *gitFacts {
	f := &gitFacts{after: g.head, owners: map[string]string{}}
	if f.after.Ref != "" {
		f.after.OID = g.refs[f.after.Ref]
	}
	op := g.r.layout.Operation()
	f.meta.Operation, f.meta.Moves = metaOperation{op, op}, g.moves
	for _, name := range slices.Sorted(maps.Keys(g.moved())) {
		f.meta.Refs = append(f.meta.Refs, metaRef{name, g.now[name], g.refs[name]})
		if id, ok := object.ParseID(g.now[name]); ok && !id.IsZero() && (g.refs[name] == "" || !strings.HasPrefix(name, "refs/heads/")) {
			f.keep = append(f.keep, id) // its reflog goes with it, or it has none
		}
	}
	if !sameStashes(g.stashNow, g.stash) {
		f.meta.Stash = &metaStash{g.stashNow, g.stash}
		for _, s := range without(g.stashNow, g.stash) {
			if id, ok := object.ParseID(s.ID); ok {
				f.keep = append(f.keep, id)
			}
		}
	}
	for _, c := range changes {
		if g.came[c.Path] {
			f.owners[pathcode.Encode(c.Path)] = OwnerGit
		}
	}
	f.meta.Carried = len(f.owners)
	list := g.indexChanges()
	if len(list) > 0 {
		f.meta.Index, f.meta.Flags = indexChanged, flagsChanged(list)
	}
	f.trees = func(b *object.Batch) (gitTrees, error) {
		trees := gitTrees{}
		if len(list) == 0 {
			return trees, nil
		}
		root, err := g.r.treeOf(g.headNow.OID)
		if err != nil {
			return nil, err
		}
		before := map[string]*object.Leaf{}
		for _, c := range list {
			before[c.path] = nil
			if len(c.before) == 1 && c.before[0].Stage == 0 {
				before[c.path] = indexLeaf(&c.before[0])
			}
		}
		if root, err = b.Overlay(root, before); err != nil {
			return nil, err
		}
		return trees, trees.index(b, root, list)
	}
	return f
}

// into puts the facts into a turn's draft.
func (f *gitFacts) into(t *Turn, d *draft) error {
	trees, err := f.trees(d.batch)
	if err != nil {
		return err
	}
	if t.git, err = trees.write(d.batch); err != nil {
		return err
	}
	d.meta.Git, d.meta.Head.After = f.meta, f.after
	if len(f.owners) > 0 {
		d.meta.Owners = metaOwners{Default: OwnerSelf, Paths: f.owners}
	}
	return nil
}
