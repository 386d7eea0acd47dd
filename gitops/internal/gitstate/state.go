// Package gitstate is git's own state: what HEAD, branches, tags, stashes and the
// index were at the two ends of a turn, how they moved in it, and how a rewind puts
// them back.
//
// [State.Start] notes it as a turn begins and [State.End] compares it as the turn
// ends; the turn keeps the [Record] and the [Trees]. A [Plan] inverts what turns
// kept. It writes by git's plumbing alone, which takes git's locks, and touches no
// file of the worktree: those that came with a move of HEAD are another's to judge
// and to take back.
package gitstate

import (
	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/ref"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// A State is git's own state of one worktree, as it is now. Nothing of it is
// remembered from one call to the next.
type State struct {
	Layout *repo.Layout
	DB     *object.DB
	Refs   Refs
	Step   func(name string) // told before each step of a Plan that is carried out
}

// Refs are the refs of the repository, for reading. What is moved is moved by git.
type Refs interface {
	Head() (ref.Head, error)
	List(prefix string) ([]ref.Ref, error)
	Log(name string) ([]ref.LogEntry, error)
}

// UserRefs are the refs that a turn may move, branches and tags, with what they name.
// It is never nil. Of the stash see [Stashes]. Error: Damaged.
func (st *State) UserRefs() (map[string]string, error) {
	refs := map[string]string{}
	for _, prefix := range []string{"refs/heads/", "refs/tags/"} {
		list, err := st.Refs.List(prefix)
		if err != nil {
			return nil, &edit.Error{Code: edit.Damaged, Msg: "the refs cannot be listed", Err: err}
		}
		for _, x := range list {
			refs[x.Name] = x.ID.String()
		}
	}
	return refs, nil
}
