package main

import (
	"maps"
	"slices"

	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// deniedCommits are the paths that policy denies and that commits of a turn
// changed: by path, of several commits the last.
type deniedCommits map[string]deniedCommit

type deniedCommit struct {
	id      string
	left    gitops.Entry // what the commit has there
	finding hooks.Finding
}

// turnCommits judges the commits that were made in a turn by the policy that binds
// the turn. A hook of git's did not stop them: it was skipped, or is not there.
func turnCommits(repo *gitops.Repo, t *gitops.Turn, layers []hooks.Layer, agreed []consented) (deniedCommits, error) {
	commits, err := repo.CommitsOf(t)
	if err != nil {
		return nil, err
	}
	denied := deniedCommits{}
	history := repo.History()
	for _, c := range commits {
		// What is older was fetched from where no remote's branch tells so.
		if !c.MadeIn(t) && hooks.AgentFromCommit(c.Author, c.Committer, c.Message) == "" {
			continue
		}
		changes, err := history.Changed(c)
		if err != nil {
			return denied, err
		}
		s := site(repo, "")
		s.Tree = commitTree{history.TreeOf(c), changes}
		policy := hooks.NewPolicy(s, layers...)
		for _, change := range changes {
			op, err := changeOperation(history, change)
			if err != nil {
				return denied, err
			}
			if found := unconsented(policy.Judge(hooks.Agent, op), agreed); hooks.Strictest(found) == hooks.Deny {
				denied[change.Path] = deniedCommit{c.ID, change.After, found[0]}
			}
		}
	}
	return denied, nil
}

// brought reports whether what is on disk at a path that came with a move of HEAD
// came from a commit that was made in the turn: it was merged, say, from a branch
// that the turn made.
func (d deniedCommits) brought(repo *gitops.Repo, t *gitops.Turn, path string) bool {
	c, ok := d[path]
	if !ok || t.Owner(path) != gitops.OwnerGit {
		return false
	}
	now, err := repo.HeadEntry(t, path)
	return err == nil && now == c.left
}

// take names the commit that holds a path, and that it is told.
func (d deniedCommits) take(path string) string {
	c := d[path]
	delete(d, path)
	return c.id
}

// left are the paths that nothing is to be said about but that they were
// committed: they were not changed on disk in the turn, or are no longer.
func (d deniedCommits) left(t *gitops.Turn, report bool) (list []verdictOn) {
	for _, path := range slices.Sorted(maps.Keys(d)) {
		if slices.Contains(t.Paths, path) && !own(t, path) && t.Owner(path) != gitops.OwnerGit {
			continue // the user's own, or another session's
		}
		fate := "nothing to put back on disk"
		if report {
			fate = keptByReport
		}
		list = append(list, verdictOn{finding: d[path].finding, commit: d[path].id, fate: fate})
	}
	return list
}
