package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// policyHere is the policy of the worktree for names relative to the current
// directory, or to the root, by versions of the repository's file; nil: those in HEAD
// and in the worktree. The repository must be given back.
func (a *app) policyHere(source []string, fromRoot bool) (*hooks.Policy, []hooks.Layer, *gitops.Repo, error) {
	repo, err := a.open()
	if err != nil {
		return nil, nil, nil, err
	}
	var layers []hooks.Layer
	var base string
	if source == nil {
		var files []*hooks.Config
		if files, err = a.layers(repo); err == nil {
			layers, err = a.policyLayers(repo, files)
		}
	} else {
		layers, err = a.sourceLayers(repo, source)
	}
	if err == nil && !fromRoot {
		base, err = a.here(repo)
	}
	if err != nil {
		repo.Close()
		return nil, nil, nil, err
	}
	return hooks.NewPolicy(site(repo, base), layers...), layers, repo, nil
}

// sourceOf reads a word of --source; turn is the number of "turn:N".
func sourceOf(word string) (kind string, turn int, err error) {
	kind, number, numbered := strings.Cut(word, ":")
	if numbered && kind == "turn" {
		if turn, err = strconv.Atoi(number); err == nil && turn > 0 {
			return kind, turn, nil
		}
	}
	if numbered || kind != "head" && kind != "index" && kind != "worktree" {
		return "", 0, fmt.Errorf("--source: want head, index, worktree or turn:N, found %q", word)
	}
	return kind, 0, nil
}

// sourceLayers are the user's file and those versions of the repository's that are
// named; all that is wrong with them is one error.
func (a *app) sourceLayers(repo *gitops.Repo, source []string) ([]hooks.Layer, error) {
	var errs edit.Errors
	user, err := a.userLayer()
	errs = append(errs, failures(err)...)
	layers := []hooks.Layer{user}
	for _, word := range source {
		l, err := sourceLayer(repo, word)
		errs = append(errs, failures(err)...)
		layers = append(layers, l)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return layers, nil
}

// failures are the errors in one, none of nil.
func failures(err error) edit.Errors {
	if err == nil {
		return nil
	}
	return toErrors(err)
}

func sourceLayer(repo *gitops.Repo, word string) (l hooks.Layer, err error) {
	kind, n, err := sourceOf(word)
	if err != nil {
		return l, err
	}
	var text []byte
	switch l = (hooks.Layer{Name: kind, Place: kind + ":" + hooks.ConfigName}); kind {
	case "head":
		l.Name, l.Place = "HEAD", "HEAD:"+hooks.ConfigName
		text, err = repo.HeadFile(hooks.ConfigName, hooks.ConfigLimit+1)
	case "index":
		var tree *gitops.Tree
		if tree, err = repo.History().IndexTree(); err == nil {
			text, _, err = tree.File(hooks.ConfigName, hooks.ConfigLimit+1)
		}
	case "worktree":
		l.Place = hooks.ConfigName
		text, err = repositoryText(repo)
	default:
		l.Place = fmt.Sprintf("turn %d:%s", n, hooks.ConfigName)
		_, text, err = repo.FilesAtBegin(n, hooks.ConfigName, hooks.ConfigLimit+1)
	}
	if err == nil && text != nil {
		l.Config, err = hooks.DecodeConfig(l.Place, text)
	}
	return l, err
}
