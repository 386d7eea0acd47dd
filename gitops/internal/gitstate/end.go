package gitstate

import (
	"maps"
	"slices"

	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// An End is git's own state at the end of a turn, compared with its start.
type End struct {
	// Record tells all but what only a look at the files does: Carried and Edited.
	Record Record
	Moved  bool // whether anything is another
	Came   Came
	Trees  Trees       // what a Record cannot hold, for the turn's tree
	Unkept []object.ID // what the start named that no ref reaches and no reflog names any more, sorted

	// StartIndex is the index of the start until Close. Nil: it is not known.
	StartIndex *repo.Index
}

// End compares git's state with that of a turn's start, once the turn's files were
// looked at. HEAD is at after. The batch takes trees. The end must be given back by
// Close. Errors: Damaged if the refs, Unreadable if a reflog or the stashes cannot be
// read. An index that cannot be read is none: the record says that it is unknown.
func (st *State) End(start *Start, after Head, batch *object.Batch) (*End, error) {
	e := &End{Trees: Trees{}}
	m := &e.Record
	var err error
	if start.Refs != nil {
		if m.Refs, err = st.refsSince(start.Refs); err != nil {
			return nil, err
		}
	}
	if m.Stash, err = st.stashesSince(start.Stash); err != nil {
		return nil, err
	}
	m.Operation.After = st.Layout.Operation()
	m.Operation.Before = start.Operation
	if !start.Noted {
		m.Operation.Before = m.Operation.After
	}
	e.index(st, start, batch)
	err = e.moves(st, start, after, batch)
	e.Moved = len(m.Refs) > 0 || m.Stash != nil || m.Index == IndexChanged || start.Head != after || m.Operation.Before != m.Operation.After
	if err == nil && e.Moved {
		e.Unkept, err = st.unkept(start, m)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Close gives the index of the start back.
func (e *End) Close() {
	if e.StartIndex != nil {
		e.StartIndex.Close()
	}
}

// refsSince lists the refs that differ from what they were.
func (st *State) refsSince(before map[string]string) (list []Ref, err error) {
	after, err := st.UserRefs()
	if err != nil {
		return nil, err
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before[name] != after[name] {
			list = append(list, Ref{name, before[name], after[name]})
		}
	}
	return list, nil
}
