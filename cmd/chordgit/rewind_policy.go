package main

import (
	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// mayRewind asks policy about a rewind. Taking a turn back needs no consent: the
// bytes were there before. What a rewind that is taken back brings in again is
// judged like any change, whoever asks.
func (a *app) mayRewind(repo *gitops.Repo, res *gitops.Rewound) error {
	brings := false
	for _, n := range res.Undoes {
		t, err := repo.Turn(n)
		if err != nil {
			return err
		}
		again, err := bringsIn(repo, t)
		if err != nil {
			return err
		}
		brings = brings || again
	}
	if !brings {
		return nil
	}
	errs, err := a.deniedAgain(repo, res.Plan)
	if err == nil && len(errs) > 0 {
		err = errs
	}
	return err
}

// bringsIn reports whether to take a turn back brings in what it took away: it is a
// rewind, and not one that took back another.
func bringsIn(repo *gitops.Repo, t *gitops.Turn) (bool, error) {
	brings := false
	for t.Kind == gitops.KindRewind && len(t.Undoes) > 0 {
		brings = !brings
		var err error
		if t, err = repo.Turn(t.Undoes[0]); err != nil {
			return true, nil //nolint:nilerr // it is gone: what it was cannot be told, so policy is asked
		}
	}
	return brings, nil
}

// deniedAgain are the changes of a plan that policy denies.
func (a *app) deniedAgain(repo *gitops.Repo, plan *edit.Plan) (errs edit.Errors, err error) {
	files, err := a.layers(repo)
	if err != nil {
		return nil, err
	}
	layers, err := a.bindingLayers(repo, files)
	if err != nil {
		return nil, err
	}
	policy := hooks.NewPolicy(site(repo, ""), layers...)
	for _, c := range plan.Changes {
		if found := policy.Changed(operation(&c), c.Path, c.After.IsLink()); hooks.Strictest(found) == hooks.Deny {
			errs = append(errs, found[0].Error())
		}
	}
	return errs, nil
}
