package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// A judgement is what policy says about a closed turn, and what became of it.
type judgement struct {
	turn   int
	denied []verdictOn
	asked  []hooks.Finding // what would have needed consent stays
	hooks  []hookChange
	unread error // why the turn's commits were not judged
	err    error // nothing could be decided
}

// A verdictOn is a denied change and its fate.
type verdictOn struct {
	finding hooks.Finding
	commit  string // of the turn that holds it, too; empty: none
	fate    string
	back    bool // it was put back
}

// judgeSession asks policy about the session's closed turns that it was not asked about,
// the oldest first, and puts back what it denies. note is told each judgement as the
// turn's mark goes; nil: nobody is told.
func (a *app) judgeSession(ctx context.Context, repo *gitops.Repo, session string, keep func(*sessionFacts, judgement)) ([]judgement, error) {
	state, err := repo.Session(session)
	if err != nil {
		return nil, err
	}
	facts := factsOf(state)
	start := facts.Start
	var all []judgement
	// note keeps what is known of a turn now, and takes its mark.
	note := func(j judgement, more func(*sessionFacts)) error {
		all = append(all, j)
		return repo.ChangeSession(ctx, session, func(s *gitops.SessionState) {
			s.Unjudged = slices.DeleteFunc(s.Unjudged, func(m int) bool { return m == j.turn })
			refact(s, func(f *sessionFacts) {
				const most = 50
				f.dropConsent(s)
				f.Hooks = append(f.Hooks, j.hooks...)
				f.Hooks = f.Hooks[max(0, len(f.Hooks)-most):]
				if more != nil {
					more(f)
				}
				if keep != nil {
					keep(f, j)
				}
			})
		})
	}
	for _, n := range state.Unjudged {
		t, err := repo.Turn(n)
		var j judgement
		switch {
		case err == nil:
			j = a.judgeTurn(ctx, repo, t, start, facts.consentIn(n))
		case errors.Is(err, &edit.Error{Code: edit.NoTurn}):
			j = judgement{turn: n} // it went with a prune
		default:
			j = judgement{turn: n, err: err}
		}
		if j.err != nil {
			all = append(all, j)
			continue // its mark stays: it is judged when that can be decided
		}
		if err := note(j, nil); err != nil {
			return all, err
		}
	}
	// A turn that changed no file is not recorded. It may have changed hooks.
	if start != nil && state.Open == 0 && !slices.Contains(state.Unjudged, start.Turn) {
		if _, err := repo.Turn(start.Turn); errors.Is(err, &edit.Error{Code: edit.NoTurn}) {
			j := judgement{turn: start.Turn, hooks: hookChanges(start.Turn, start.Outside, a.fingerprints(repo))}
			return all, note(j, func(f *sessionFacts) { f.Start = nil })
		}
	}
	return all, nil
}

// judgeTurn judges what a turn changed. What a person agreed to in it stays.
func (a *app) judgeTurn(ctx context.Context, repo *gitops.Repo, t *gitops.Turn, start *startFacts, agreed []consented) judgement {
	j := judgement{turn: t.N}
	layers, err := a.turnLayers(repo, t.N, start)
	if err != nil {
		j.err = err
		return j
	}
	changes, err := repo.Changes(t)
	if err != nil {
		j.err = err
		return j
	}
	appeared, err := repo.Appeared(t) // what the start did not see may be denied, too
	if err != nil {
		j.err = err
		return j
	}
	changes = append(changes, appeared...)
	commits, err := turnCommits(repo, t, layers, agreed)
	if err != nil {
		j.unread = err
	}
	policy := hooks.NewPolicy(site(repo, ""), layers...)
	report := hooks.MergeHooks(layers...).Report
	var back []string
	for _, c := range changes {
		found := unconsented(policy.Changed(operation(&c), c.Path, c.After.IsLink()), agreed)
		switch hooks.Strictest(found) {
		case hooks.Deny:
			committed := commits.brought(repo, t, c.Path)
			if fate, tell := fate(repo, t, &c, found, report, committed); tell {
				d := verdictOn{finding: found[0], fate: fate}
				if commit := commits.take(c.Path); committed || own(t, c.Path) {
					d.commit = commit // otherwise the user committed what is his
				}
				j.denied = append(j.denied, d)
				if fate == "" {
					back = append(back, c.Path)
				}
			}
		case hooks.Ask:
			if own(t, c.Path) {
				j.asked = append(j.asked, found[0])
			}
		}
	}
	j.denied = append(j.denied, commits.left(t, report)...)
	if start != nil && start.Turn == t.N {
		j.hooks = hookChanges(t.N, start.Outside, a.fingerprints(repo))
	}
	a.putBack(ctx, repo, t, back, &j)
	return j
}

func operation(c *edit.Change) hooks.Kind {
	switch {
	case c.Before == nil:
		return hooks.Create
	case c.After == nil:
		return hooks.Delete
	}
	return hooks.Write
}

// own reports whether the turn's session may have made a change.
func own(t *gitops.Turn, path string) bool {
	switch t.Owner(path) {
	case gitops.OwnerSelf, gitops.OwnerAmbiguous:
		return true
	case gitops.OwnerOutside:
		return t.Trailed(path)
	}
	return false
}

// fate says why a denied change stays, empty if it is to be put back. tell is false
// where it is somebody else's to judge. committed: it came from a commit of the
// turn's.
func fate(repo *gitops.Repo, t *gitops.Turn, c *edit.Change, found []hooks.Finding, report, committed bool) (fate string, tell bool) {
	switch {
	case own(t, c.Path), committed:
	case t.Owner(c.Path) == gitops.OwnerOutside:
		return "kept: it changed while no tool of the agent ran, so it is yours", true
	default:
		return "", false
	}
	switch {
	case report:
		return keptByReport, true
	case onlyPermissions(repo, c, found):
		return "kept: only its permissions changed, which is how consent given to the agent is stored", true
	}
	return "", true
}

const keptByReport = "kept: policy.enforce is report"

// onlyPermissions reports whether Claude Code itself may have made a change: it
// writes what its user allowed there while a turn runs.
func onlyPermissions(repo *gitops.Repo, c *edit.Change, found []hooks.Finding) bool {
	if c.Path != ".claude/settings.local.json" && !strings.HasSuffix(c.Path, "/.claude/settings.local.json") ||
		slices.ContainsFunc(found, func(f hooks.Finding) bool { return f.Verdict == hooks.Deny && f.Class != hooks.ClassProtected }) {
		return false
	}
	rest := func(f *edit.File) (map[string]any, bool) {
		if f == nil {
			return map[string]any{}, true
		}
		var o map[string]any
		err := json.Unmarshal(repo.Content(f), &o)
		delete(o, "permissions")
		return o, err == nil && f.Regular()
	}
	before, ok1 := rest(c.Before)
	after, ok2 := rest(c.After)
	return ok1 && ok2 && c.After != nil && reflect.DeepEqual(before, after)
}

// putBack takes the denied changes of a turn back, as a turn of its own.
func (a *app) putBack(ctx context.Context, repo *gitops.Repo, t *gitops.Turn, paths []string, j *judgement) {
	if len(paths) == 0 {
		return
	}
	var res *gitops.Rewound
	err := a.holding(ctx, func(ctx context.Context) (err error) {
		res, err = repo.Rewind(ctx, t.N, gitops.RewindOptions{
			// Of no session: what may be somebody else's goes, too.
			Turn: gitops.Turn{Agent: gitops.PolicyAgent, Message: fmt.Sprintf("put back what policy denies in turn %d", t.N)}, Paths: paths,
		})
		return err
	})
	why := map[string]string{}
	if res != nil && res.Plan != nil {
		for _, f := range res.Plan.Failures {
			why[f.Path] = "cannot be put back: " + f.Msg
		}
		for _, l := range res.Left {
			why[l.Path] = "cannot be put back: " + l.Why
		}
	}
	for i := range j.denied {
		d := &j.denied[i]
		switch {
		case d.fate != "":
		case err != nil:
			d.fate = "cannot be put back: " + err.Error()
		case why[d.finding.Path] != "":
			d.fate = why[d.finding.Path]
		case res.Turn == nil:
			d.fate, d.back = "is back", true
		default:
			d.fate, d.back = fmt.Sprintf("put back (turn %d)", res.Turn.N), true
		}
	}
}
