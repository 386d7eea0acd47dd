package gitstate

import (
	"maps"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

// Facts are what a rewind records of its plan, so that it can be taken back in turn.
type Facts struct {
	Record Record // but for Carried, since the plan knows no files
	After  Head
	Keep   []object.ID // what no ref names once the plan is carried out
}

// Facts tell what git's state will be once the plan is carried out.
func (p *Plan) Facts() *Facts {
	f := &Facts{After: p.head}
	if f.After.Ref != "" {
		f.After.OID = p.refs[f.After.Ref]
	}
	m := &f.Record
	op := p.st.Layout.Operation()
	m.Operation, m.Moves = Operation{op, op}, p.moves
	for _, name := range slices.Sorted(maps.Keys(p.moved())) {
		m.Refs = append(m.Refs, Ref{name, p.now[name], p.refs[name]})
		if id, ok := object.ParseID(p.now[name]); ok && !id.IsZero() && (p.refs[name] == "" || !strings.HasPrefix(name, "refs/heads/")) {
			f.Keep = append(f.Keep, id) // its reflog goes with it, or it has none
		}
	}
	if !sameStashes(p.stashNow, p.stash) {
		m.Stash = &Stashes{p.stashNow, p.stash}
		for _, s := range m.Stash.Went() {
			if id, ok := object.ParseID(s.ID); ok {
				f.Keep = append(f.Keep, id)
			}
		}
	}
	if list := p.indexChanges(); len(list) > 0 {
		m.Index, m.Flags = IndexChanged, flagsChanged(list)
	}
	return f
}

// Trees are what a rewind records as trees. The batch takes them. The error is of the
// object database, as it is.
func (p *Plan) Trees(b *object.Batch) (Trees, error) {
	trees := Trees{}
	list := p.indexChanges()
	if len(list) == 0 {
		return trees, nil
	}
	root, err := p.st.treeOf(p.headNow.OID)
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
