package main

import (
	"fmt"
	"time"

	"github.com/chordgit/chordgit/edit"
)

// walkTime is how long a hook looks at what goes with a directory. What was not
// looked at by then is not allowed.
const walkTime = 200 * time.Millisecond

// A hookTree is the worktree as a hook looks at it: the submodules are known from
// the turn's begin, and it does not walk for long.
type hookTree struct {
	policyTree
	gitlinks []string
	known    bool
}

func (t *hookTree) Gitlinks() ([]string, error) {
	if t.known {
		return t.gitlinks, nil
	}
	return t.policyTree.Gitlinks()
}

// Walk is [gitops.Repo.Walk] with an end in time.
func (t *hookTree) Walk(dir string, visit func(string) error) error {
	until := time.Now().Add(walkTime)
	return t.policyTree.Walk(dir, func(name string) error {
		if time.Now().After(until) {
			return fmt.Errorf("%s holds more than can be looked at in %s", edit.Quote(dir), walkTime)
		}
		return visit(name)
	})
}
