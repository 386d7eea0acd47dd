package main

import (
	"cmp"

	"github.com/chordgit/chordgit/gitops"
)

// session is the one that an apply belongs to: the one that was named, else that
// of the environment; else an agent's apply is part of the turn that is open, if
// there is exactly one. Empty: none.
func (a *app) session(repo *gitops.Repo, named string) (string, error) {
	if s := cmp.Or(named, a.getenv("CHORDGIT_SESSION")); s != "" || repo == nil || a.agent() == "" {
		return s, nil
	}
	return repo.SoleSession()
}
