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
	notes  []string
	err    error // nothing could be decided
}

// A verdictOn is a denied change and its fate.
type verdictOn struct {
	finding hooks.Finding
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
	start := factsOf(state).Start
	var all []judgement
	for _, n := range state.Unjudged {
		t, err := repo.Turn(n)
		var j judgement
		switch {
		case err == nil:
			j = a.judgeTurn(ctx, repo, t, start)
			all = append(all, j)
		case !errors.Is(err, &edit.Error{Code: edit.NoTurn}):
			j = judgement{turn: n, err: err}
			all = append(all, j)
		}
		if j.err != nil {
			continue // its mark stays: it is judged when that can be decided
		}
		if err := repo.ChangeSession(ctx, session, func(s *gitops.SessionState) {
			s.Unjudged = slices.DeleteFunc(s.Unjudged, func(m int) bool { return m == n })
			if keep != nil {
				refact(s, func(f *sessionFacts) { keep(f, j) })
			}
		}); err != nil {
			return all, err
		}
	}
	return all, nil
}

// judgeTurn judges what a turn changed.
func (a *app) judgeTurn(ctx context.Context, repo *gitops.Repo, t *gitops.Turn, start *startFacts) judgement {
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
	policy := hooks.NewPolicy(site(repo, ""), layers...)
	report := hooks.MergeHooks(layers...).Report
	var back []string
	for _, c := range changes {
		found := policy.Changed(operation(&c), c.Path, c.After.IsLink())
		switch hooks.Strictest(found) {
		case hooks.Deny:
			if fate, tell := a.fate(repo, t, &c, found, report); tell {
				j.denied = append(j.denied, verdictOn{finding: found[0], fate: fate})
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
	if start != nil && start.Turn == t.N {
		for _, line := range outsideChanged(start.Outside, a.outside(repo)) {
			j.notes = append(j.notes, fmt.Sprintf("changed during turn %d: %s", t.N, line))
		}
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
// where it is somebody else's to judge.
func (a *app) fate(repo *gitops.Repo, t *gitops.Turn, c *edit.Change, found []hooks.Finding, report bool) (fate string, tell bool) {
	switch {
	case own(t, c.Path):
	case t.Owner(c.Path) == gitops.OwnerOutside:
		return "kept: it changed while no tool of the agent ran, so it is yours", true
	default:
		return "", false
	}
	switch {
	case report:
		return "kept: policy.enforce is report", true
	case onlyPermissions(repo, c, found):
		return "kept: only its permissions changed, which is how consent given to the agent is stored", true
	}
	return "", true
}

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
			Turn: gitops.Turn{Agent: "chordgit", Message: fmt.Sprintf("put back what policy denies in turn %d", t.N)}, Paths: paths,
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

// text is what the user and the agent's model are told; empty if there is nothing.
func (j *judgement) text() string {
	var lines []string
	part := func(title string, list []string) {
		if len(list) == 0 {
			return
		}
		lines = append(lines, title)
		for _, l := range list[:min(len(list), 10)] {
			lines = append(lines, "  "+l)
		}
		if n := len(list) - 10; n > 0 {
			lines = append(lines, fmt.Sprintf("  and %d more", n))
		}
	}
	if j.err != nil {
		return fmt.Sprintf("chordgit: cannot decide what policy says about turn %d, nothing was put back: %s", j.turn, edit.Quote(j.err.Error()))
	}
	var back, kept, asked []string
	for i := range j.denied {
		d := &j.denied[i]
		line := fmt.Sprintf("%s %s: %s", d.finding.Op, edit.Quote(d.finding.Path), edit.Quote(d.finding.Message()))
		if d.back {
			back = append(back, line)
		} else {
			kept = append(kept, line+" ("+edit.Quote(d.fate)+")")
		}
	}
	for i := range j.asked {
		f := &j.asked[i]
		asked = append(asked, fmt.Sprintf("%s %s: %s", f.Op, edit.Quote(f.Path), edit.Quote(f.Message())))
	}
	part(fmt.Sprintf("chordgit: put back %s that policy denies:", count(len(back), "path")), back)
	if len(back) > 0 {
		lines = append(lines, fmt.Sprintf("The denied versions are kept: git show refs/chordgit/turns/%d:after/PATH", j.turn))
	}
	part(fmt.Sprintf("chordgit: policy denies %s that changed:", count(len(kept), "path")), kept)
	part("chordgit: changed without the user's consent being known:", asked)
	part("chordgit: hooks", j.notes)
	text := strings.Join(lines, "\n")
	if len(text) > 8000 {
		text = strings.ToValidUTF8(text[:max(1, strings.LastIndexByte(text[:8000], '\n'))], "") + "\n…"
	}
	return text
}

// judgeInto judges the session's turns, and reports that.
func (a *app) judgeInto(ctx context.Context, rep *report, repo *gitops.Repo, session string) {
	judged, err := a.judgeSession(ctx, repo, session, nil)
	rep.judged(judged)
	if err != nil {
		rep.fail(toErrors(err))
	}
}

// judged puts judgements into the report of a command that closes a turn: what is
// denied is a failure, whether it was put back or not.
func (r *report) judged(all []judgement) {
	for i := range all {
		j := &all[i]
		if j.err != nil {
			r.note([]edit.Note{{Code: hooks.Undecided, Msg: j.text()}})
		}
		for _, d := range j.denied {
			e := d.finding.Error()
			e.Msg += "; " + d.fate
			r.fail([]*edit.Error{e})
		}
		for k := range j.asked {
			f := &j.asked[k]
			r.note([]edit.Note{{Code: "ask", Path: f.Path, Msg: string(f.Op) + ": " + f.Message()}})
		}
		for _, n := range j.notes {
			r.note([]edit.Note{{Code: "hooks-changed", Msg: n}})
		}
	}
}
