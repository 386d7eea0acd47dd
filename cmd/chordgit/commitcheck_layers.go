package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// layers are the versions of the policy file that bind a candidate: those of its
// parents and its own. broken tells which cannot be read.
func (k *commitCheck) layers(c *candidate) (layers []hooks.Layer, broken map[string]error, err error) {
	broken = map[string]error{}
	seen := map[string]bool{}
	add := func(name, commit string, tree *gitops.Tree) error {
		data, id, err := tree.File(hooks.ConfigName, hooks.ConfigLimit+1)
		if err != nil {
			broken[name] = &edit.Error{Code: hooks.BadConfig, Path: commit + ":" + hooks.ConfigName, Err: err}
			return nil
		}
		if data == nil || seen[id] {
			return nil
		}
		seen[id] = true
		d, ok := k.decoded[id]
		if !ok {
			d.config, d.err = hooks.DecodeConfig(commit+":"+hooks.ConfigName, data)
			k.decoded[id] = d
		}
		if d.err != nil {
			broken[name] = d.err
			return nil
		}
		layers = append(layers, hooks.Layer{Name: name, Place: commit + ":" + hooks.ConfigName, Config: d.config})
		return nil
	}
	if k.base != nil {
		if err := add(short(k.base.ID), short(k.base.ID), k.history.TreeOf(k.base)); err != nil {
			return nil, nil, err
		}
	}
	for i, parent := range c.parents {
		p, err := k.history.Commit(parent)
		if err != nil || p == nil {
			return nil, nil, errors.Join(err, &edit.Error{Code: edit.Damaged, Msg: "the parent " + parent + " cannot be read"})
		}
		name := short(parent)
		if c.id == "" && i == 0 {
			name = "HEAD"
		}
		if err := add(name, name, k.history.TreeOf(p)); err != nil {
			return nil, nil, err
		}
	}
	names, err := c.tree.RootNames()
	if err != nil {
		return nil, nil, err
	}
	var wrong []error
	for _, name := range names {
		wrong = append(wrong, hooks.CheckConfigName(name))
	}
	if err := errors.Join(wrong...); err != nil {
		broken[c.place] = err
	}
	return layers, broken, add(c.place, c.place, c.tree)
}

func short(id string) string { return id[:min(len(id), 10)] }

// all reports whether everybody's changes are judged.
func (k *commitCheck) all(layers []hooks.Layer) bool {
	if k.scope != "" {
		return k.scope == "all"
	}
	return slices.ContainsFunc(append(layers, k.user), func(l hooks.Layer) bool {
		return l.Config != nil && l.Config.Policy.Scope == "all"
	})
}

// undecided decides what becomes of a candidate bound by a policy that cannot be
// read. A person gets out of it: by a commit whose own version can be read, and
// with a warning otherwise. Nil layers: it passes unjudged.
func (k *commitCheck) undecided(c *candidate, layers []hooks.Layer, broken map[string]error) ([]hooks.Layer, error) {
	var errs []error
	for _, err := range broken {
		errs = append(errs, err)
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	why := errors.Join(errs...)
	agents := c.agent != "" || c.id == "" && k.agent != ""
	for _, change := range c.changes {
		if agents {
			break
		}
		name, _, err := k.author(c, change)
		if err != nil {
			return nil, err
		}
		agents = name != ""
	}
	own := slices.IndexFunc(layers, func(l hooks.Layer) bool { return l.Name == c.place })
	switch {
	case agents:
		return nil, cannotDecide(why)
	case broken[c.place] == nil && own >= 0 && c.id == "":
		k.notes = append(k.notes, "the policy of HEAD cannot be read; that of the index alone decides: "+oneLine(why))
		return layers[own : own+1], nil
	case k.all(layers):
		return nil, cannotDecide(why)
	}
	k.notes = append(k.notes, "policy was NOT checked, it cannot be read: "+oneLine(why))
	return nil, nil
}

func cannotDecide(why error) error {
	return &edit.Error{Code: hooks.Undecided, Msg: "cannot decide: " + oneLine(why)}
}

// oneLine is an error's text, with what was joined in it side by side.
func oneLine(err error) string {
	var texts []string
	for _, e := range toErrors(err) {
		texts = append(texts, edit.Quote(e.Error()))
	}
	return strings.Join(texts, "; ")
}
