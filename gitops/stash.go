package gitops

import (
	"slices"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

const stashRef = "refs/stash"

// A stashed is an entry of the list that git stash keeps. The ref names the
// newest alone, the others stand in its reflog.
type stashed struct {
	ID      string `json:"id"`
	Message string `json:"message,omitempty"` // encoded as paths are
}

// told is the message to a person, behind what stands before it.
func (s stashed) told() string {
	if s.Message == "" {
		return ""
	}
	return ": " + edit.Quote(pathcode.Decode(s.Message))
}

// metaStash is the list of stashes at both ends of a turn, the newest first.
type metaStash struct {
	Before []stashed `json:"before"`
	After  []stashed `json:"after"`
}

// stashes reads the list, the newest first. It is never nil.
func (r *Repo) stashes() ([]stashed, error) {
	list := []stashed{}
	refs, err := r.refs.List(stashRef)
	at := slices.IndexFunc(refs, func(x ref.Ref) bool { return x.Name == stashRef })
	var log []ref.LogEntry
	if err == nil && at >= 0 { // a reflog may outlive its ref
		log, err = r.refs.Log(stashRef)
	}
	if err != nil {
		return nil, trouble(edit.Unreadable, "the stashes cannot be listed", err)
	}
	for _, e := range slices.Backward(log) {
		list = append(list, stashed{e.New.String(), pathcode.Encode(e.Message)})
	}
	if len(list) == 0 && at >= 0 { // not made by git stash
		list = append(list, stashed{ID: refs[at].ID.String()})
	}
	return list, nil
}

// stashesSince tells what became of the list; nil: nothing, or nobody knows what it
// was.
func (r *Repo) stashesSince(before []stashed) (*metaStash, error) {
	now, err := r.stashes()
	if err != nil || before == nil || sameStashes(before, now) {
		return nil, err
	}
	return &metaStash{before, now}, nil
}

func sameStashes(a, b []stashed) bool {
	return slices.EqualFunc(a, b, func(x, y stashed) bool { return x.ID == y.ID })
}

// without lists the entries of a that b has not.
func without(a, b []stashed) []stashed {
	return slices.DeleteFunc(slices.Clone(a), func(x stashed) bool {
		return slices.ContainsFunc(b, func(y stashed) bool { return x.ID == y.ID })
	})
}

// shared counts the entries, from the oldest on, that two lists have in common.
func shared(a, b []stashed) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n].ID == b[len(b)-1-n].ID {
		n++
	}
	return n
}

// between reports whether a list is one of those that lead from one end to the
// other: what both have in common, and on it the older ones of what one has.
func (m *metaStash) between(now []stashed) bool {
	n := max(shared(now, m.Before), shared(now, m.After))
	return n == len(now) && n >= shared(m.Before, m.After)
}

// takeStash inverts what a turn did to the list.
func (g *gitPlan) takeStash(t *Turn) {
	switch m := t.meta.Git.Stash; {
	case m == nil:
	case m.between(g.stash):
		g.stash = m.Before
	default:
		g.conflict("moved since", "the list of stashes changed since turn %d and stays", t.N)
	}
}

// updateStash makes the list another, entry by entry: the newer ones go until only
// those are left that both have, then the others come, the oldest first. Should it
// end early the list is between the two, and the same rewind goes on from there.
func (r *Repo) updateStash(now, will []stashed, what string) error {
	if sameStashes(now, will) {
		return nil
	}
	if at, err := r.stashes(); err != nil {
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
			r.opt.Step("stash goes")
			if err := run(r.layout.Command("reflog", "delete", "--updateref", "--rewrite", stashRef+"@{0}"), ""); err != nil {
				return err
			}
		}
	case len(now) > 0: // the reflog goes with the ref
		if err := run(r.layout.Command("update-ref", "-d", stashRef, now[0].ID), ""); err != nil {
			return err
		}
	}
	for _, s := range slices.Backward(will[:len(will)-both]) {
		r.opt.Step("stash comes")
		message := pathcode.Decode(s.Message)
		if message == "" { // git refuses it
			message = what
		}
		if err := run(r.logged("update-ref", "--create-reflog", "-m", message, stashRef, s.ID, tip), ""); err != nil {
			return err
		}
		tip = s.ID
	}
	return nil
}
