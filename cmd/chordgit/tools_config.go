package main

import (
	"errors"

	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// layers are the configuration files that count in a worktree, the nearest
// first. repo is nil outside of one.
func (a *app) layers(repo *gitops.Repo) ([]*hooks.Config, error) {
	user, err1 := a.userConfig()
	repository, err2 := repositoryConfig(repo)
	return []*hooks.Config{repository, user}, errors.Join(err1, err2)
}
