package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// A commitCheck judges commits, made or being made, by the versions of the policy
// that bind them.
type commitCheck struct {
	history  *gitops.History
	user     hooks.Layer
	scope    string           // "agents" or "all" whatever the files say; empty: they say it
	evidence *gitops.Evidence // nil: no turns are looked at
	agent    string           // that runs the commit; empty: nobody known
	site     hooks.Site       // but for the tree

	base *gitops.Commit // whose policy binds every commit, too; nil: none

	decoded map[string]decoded // by object
	judged  map[string]bool    // commits, with their base
	found   []commitFinding
	notes   []string
}

type decoded struct {
	config *hooks.Config
	err    error
}

// A commitFinding is what stands against a path of a commit.
type commitFinding struct {
	hooks.Finding
	Commit string // empty: not made yet
	Agent  string // who did it, empty: a person
	Turn   int
}

// A candidate is a commit to be judged.
type candidate struct {
	id      string // empty: not made yet
	parents []string
	commit  *gitops.Commit // nil: not made yet
	agent   string         // by its names
	tree    *gitops.Tree
	place   string // of its version of the policy: "index", or the commit
	changed func() ([]gitops.CommitChange, error)
	changes []gitops.CommitChange // what it said
	old     bool                  // no recorded turn can have to do with it
}

// commitTree is the tree of a candidate as a policy sees it. Its submodules are
// those that the commit touches: below any other nothing can change.
type commitTree struct {
	*gitops.Tree
	changes []gitops.CommitChange
}

func (t commitTree) Walk(string, func(string) error) error { return nil } // what goes is named path by path

func (t commitTree) Gitlinks() (paths []string, err error) {
	for _, c := range t.changes {
		if c.Before.Gitlink() || c.After.Gitlink() {
			paths = append(paths, c.Path)
		}
	}
	return paths, nil
}

// check judges a candidate. The error says that it cannot be decided and that
// this counts.
func (k *commitCheck) check(c *candidate) error {
	layers, broken, err := k.layers(c)
	if err != nil || c.old && !k.all(layers) {
		return err
	}
	if c.changes, err = c.changed(); err != nil {
		return err
	}
	if len(broken) > 0 {
		if layers, err = k.undecided(c, layers, broken); err != nil || layers == nil {
			return err
		}
	}
	site := k.site
	site.Tree = commitTree{c.tree, c.changes}
	policy := hooks.NewPolicy(site, append([]hooks.Layer{k.user}, layers...)...)
	for _, change := range c.changes {
		op, err := changeOperation(k.history, change)
		if err != nil {
			return err
		}
		found := policy.Judge(hooks.Agent, op)
		if hooks.Strictest(found) != hooks.Deny {
			continue // to ask was the business of whoever made the change
		}
		agent, turn, err := k.author(c, change)
		if err != nil {
			return err
		}
		if agent == "" {
			if !k.all(layers) {
				continue
			}
			if found = policy.Judge(hooks.Person, op); hooks.Strictest(found) != hooks.Deny {
				continue
			}
		}
		k.found = append(k.found, commitFinding{Finding: found[0], Commit: c.id, Agent: agent, Turn: turn})
	}
	return nil
}

// changeOperation is what a commit does to a path, as policy judges it.
func changeOperation(h *gitops.History, c gitops.CommitChange) (hooks.Operation, error) {
	op := hooks.Operation{Kind: hooks.Write, Path: c.Path, Found: true}
	switch {
	case c.After.Mode == 0:
		op.Kind = hooks.Delete
	case c.Before.Mode == 0:
		op.Kind = hooks.Create
	}
	if c.After.Link() {
		target, err := h.Blob(c.After.ID)
		if err != nil {
			return op, err
		}
		op.Link = string(target)
	}
	return op, nil
}

// author is the agent that made a change, empty for a person, and the turn that
// tells so.
func (k *commitCheck) author(c *candidate, change gitops.CommitChange) (agent string, turn int, err error) {
	var t *gitops.Turn
	if k.evidence != nil {
		if c.id == "" {
			t, err = k.evidence.Staged(change.Path, change.After, c.parents)
		} else {
			t, err = k.evidence.Committed(change.Path, change.After, c.commit)
		}
		if err != nil {
			return "", 0, err
		}
	}
	switch {
	case t != nil && t.Agent != "":
		return t.Agent, t.N, nil
	case t != nil:
		return "an agent", t.N, nil
	case c.id == "" && k.agent != "":
		return k.agent, 0, nil
	}
	return c.agent, 0, nil
}

// made judges commits that were made, parents first. Of other people's, those
// are passed over that are older than every turn.
func (k *commitCheck) made(ids []string) error {
	var oldest time.Time
	if k.evidence != nil {
		var err error
		if oldest, err = k.evidence.Oldest(); err != nil {
			return err
		}
	}
	oldest = oldest.Truncate(time.Second) // as commits have it
	for _, id := range ids {
		if k.judged == nil {
			k.judged = map[string]bool{}
		}
		bound := id
		if k.base != nil {
			bound += " " + k.base.ID
		}
		if k.judged[bound] {
			continue
		}
		k.judged[bound] = true
		commit, err := k.history.Commit(id)
		if err != nil || commit == nil {
			return errors.Join(err, &edit.Error{Code: edit.Damaged, Msg: "commit " + id + " cannot be read"})
		}
		c := &candidate{id: id, parents: commit.Parents, commit: commit, tree: k.history.TreeOf(commit), place: short(id)}
		c.agent = hooks.AgentFromCommit(commit.Author, commit.Committer, commit.Message)
		c.old = c.agent == "" && (oldest.IsZero() || commit.Time().Before(oldest))
		c.changed = func() ([]gitops.CommitChange, error) { return k.history.Changed(commit) }
		if err := k.check(c); err != nil {
			return fmt.Errorf("commit %s: %w", short(id), err)
		}
	}
	return nil
}
