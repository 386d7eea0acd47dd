package gitstate

import (
	"slices"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

// StashRef names the newest stash.
const StashRef = "refs/stash"

// A Stash is an entry of the list that git stash keeps. The ref names the
// newest alone, the others stand in its reflog.
type Stash struct {
	ID      string `json:"id"`
	Message string `json:"message,omitempty"` // encoded as paths are
}

// Told is the message to a person, behind what stands before it: ": \"WIP on main\"";
// empty if there is none.
func (s Stash) Told() string {
	if s.Message == "" {
		return ""
	}
	return ": " + edit.Quote(pathcode.Decode(s.Message))
}

// Stashes are the list of stashes at both ends of a turn, the newest first.
type Stashes struct {
	Before []Stash `json:"before"`
	After  []Stash `json:"after"`
}

// Went lists the entries that were there before and are not after.
func (m *Stashes) Went() []Stash { return without(m.Before, m.After) }

// Came lists the entries that are there after and were not before.
func (m *Stashes) Came() []Stash { return without(m.After, m.Before) }

// stashes reads the list, the newest first. It is never nil.
func (st *State) stashes() ([]Stash, error) {
	list := []Stash{}
	refs, err := st.Refs.List(StashRef)
	at := slices.IndexFunc(refs, func(x ref.Ref) bool { return x.Name == StashRef })
	var log []ref.LogEntry
	if err == nil && at >= 0 { // a reflog may outlive its ref
		log, err = st.Refs.Log(StashRef)
	}
	if err != nil {
		return nil, &edit.Error{Code: edit.Unreadable, Msg: "the stashes cannot be listed", Err: err}
	}
	for _, e := range slices.Backward(log) {
		list = append(list, Stash{e.New.String(), pathcode.Encode(e.Message)})
	}
	if len(list) == 0 && at >= 0 { // not made by git stash
		list = append(list, Stash{ID: refs[at].ID.String()})
	}
	return list, nil
}

// stashesSince tells what became of the list; nil: nothing, or nobody knows what it
// was.
func (st *State) stashesSince(before []Stash) (*Stashes, error) {
	now, err := st.stashes()
	if err != nil || before == nil || sameStashes(before, now) {
		return nil, err
	}
	return &Stashes{before, now}, nil
}

func sameStashes(a, b []Stash) bool {
	return slices.EqualFunc(a, b, func(x, y Stash) bool { return x.ID == y.ID })
}

// without lists the entries of a that b has not.
func without(a, b []Stash) []Stash {
	return slices.DeleteFunc(slices.Clone(a), func(x Stash) bool {
		return slices.ContainsFunc(b, func(y Stash) bool { return x.ID == y.ID })
	})
}

// shared counts the entries, from the oldest on, that two lists have in common.
func shared(a, b []Stash) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n].ID == b[len(b)-1-n].ID {
		n++
	}
	return n
}

// between reports whether a list is one of those that lead from one end to the
// other: what both have in common, and on it the older ones of what one has.
func (m *Stashes) between(now []Stash) bool {
	n := max(shared(now, m.Before), shared(now, m.After))
	return n == len(now) && n >= shared(m.Before, m.After)
}

// takeStash inverts what a turn did to the list.
func (p *Plan) takeStash(t *Turn) {
	switch m := t.Record.Stash; {
	case m == nil:
	case m.between(p.stash):
		p.stash = m.Before
	default:
		p.conflict("moved since", "the list of stashes changed since turn %d and stays", t.N)
	}
}

// updateStash makes the list another, entry by entry: the newer ones go until only
// those are left that both have, then the others come, the oldest first. Should it
// end early the list is between the two, and the same rewind goes on from there.
func (st *State) updateStash(now, will []Stash, what string) error {
	if sameStashes(now, will) {
		return nil
	}
	if at, err := st.stashes(); err != nil {
		return err
	} else if !sameStashes(at, now) {
		return &edit.Error{Code: edit.Stale, Msg: "the list of stashes changed meanwhile"}
	}
	both := shared(now, will)
	tip := "" // none
	switch {
	case both > 0:
		tip = now[len(now)-both].ID
		for range len(now) - both {
			st.Step("stash goes")
			if err := run(st.Layout.Command("reflog", "delete", "--updateref", "--rewrite", StashRef+"@{0}"), ""); err != nil {
				return err
			}
		}
	case len(now) > 0: // the reflog goes with the ref
		if err := run(st.Layout.Command("update-ref", "-d", StashRef, now[0].ID), ""); err != nil {
			return err
		}
	}
	for _, s := range slices.Backward(will[:len(will)-both]) {
		st.Step("stash comes")
		message := pathcode.Decode(s.Message)
		if message == "" { // git refuses it
			message = what
		}
		if err := run(st.logged("update-ref", "--create-reflog", "-m", message, StashRef, s.ID, tip), ""); err != nil {
			return err
		}
		tip = s.ID
	}
	return nil
}
