package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/chordgit/chordgit/patchapply"
)

// pre decides about a tool that is about to run. Of the repository it reads the
// session's state and what stands at the names, nothing else, if a turn is open;
// otherwise one is opened once the verdict stands.
func (h *hookRun) pre(ctx context.Context, repo *gitops.Repo) {
	e := h.event
	state, err := repo.Session(h.session())
	if err != nil {
		h.undecided(err)
		return
	}
	var ans hooks.Answer
	var notes []string
	if e.Writes() {
		if ans, err = h.decide(repo, state); err != nil && !h.mild {
			h.undecided(err)
			return
		}
		if err != nil {
			notes = append(notes, "chordgit: nothing was decided: "+edit.Quote(err.Error()))
		}
	}
	runs := ans.Verdict == hooks.Allow || ans.Verdict == hooks.Ask && e.Asks()
	if runs && e.Writes() && (!turnIsOpen(repo, state) || h.isNext(state)) {
		ctx, cancel := context.WithTimeout(ctx, lateTime)
		defer cancel()
		// Neither its failure nor its deadline changes the verdict.
		more, err := h.open(ctx, repo, lateTime, false)
		if notes = append(notes, more...); err != nil {
			notes = append(notes, "chordgit: this turn cannot be taken back: "+edit.Quote(err.Error()))
		}
	}
	if runs {
		if err := h.log(repo, false); err != nil {
			notes = append(notes, "chordgit: "+edit.Quote(err.Error()))
		}
	}
	if ans.Note != "" {
		notes = append(notes, ans.Note)
	}
	ans.Note = strings.Join(append(h.repairs, notes...), "\n")
	h.answer(ans)
}

// turnIsOpen reports whether the session has an open turn. One that cannot be told is
// taken for closed: a begin finds out.
func turnIsOpen(repo *gitops.Repo, state gitops.SessionState) bool {
	if state.Open == 0 {
		return false
	}
	ended, err := repo.Ended(state.Open)
	return err == nil && !ended
}

// isNext reports whether the event is of another turn than the open one, where the
// agent's events do not tell of a turn's begin.
func (h *hookRun) isNext(state gitops.SessionState) bool {
	start := factsOf(state).Start
	return !h.event.Begins() && h.event.Turn != "" && start != nil && start.Turn == state.Open && start.Agents != h.event.Turn
}

// decide asks policy about all that the tool is about to do.
func (h *hookRun) decide(repo *gitops.Repo, state gitops.SessionState) (hooks.Answer, error) {
	found, notes, mild, err := h.judgeIn(repo, state)
	h.mild = h.mild || mild
	for _, other := range h.others(repo) {
		more, _, _, err2 := h.judgeIn(other, gitops.SessionState{})
		// What lies in the other repository is that one's to judge.
		found = slices.DeleteFunc(found, func(f hooks.Finding) bool {
			return f.Class == hooks.ClassOutside && within(other, h.absolute(f.Path))
		})
		found = append(found, slices.DeleteFunc(more, func(f hooks.Finding) bool { return f.Class == hooks.ClassOutside })...)
		err = errors.Join(err, err2)
		other.Close()
	}
	ans := hooks.Answer{Verdict: hooks.Strictest(found), Text: hooks.Refusal(found), Findings: found, Note: strings.Join(notes, "\n")}
	if err != nil && ans.Verdict == hooks.Deny {
		err = nil // it is denied already
	}
	return ans, err
}

// judgeIn asks the policy of one repository.
func (h *hookRun) judgeIn(repo *gitops.Repo, state gitops.SessionState) (found []hooks.Finding, notes []string, mild bool, err error) {
	start := factsOf(state).Start
	var layers []hooks.Layer
	if state.Open > 0 {
		layers, err = h.turnLayers(repo, state.Open, start)
	} else {
		var files []*hooks.Config
		h.files = nil // of another repository
		if files, err = h.layers(repo); err == nil {
			layers, err = h.policyLayers(repo, files)
		}
	}
	if err != nil {
		return nil, nil, false, err
	}
	settings := hooks.MergeHooks(layers...)
	tree := hookTree{policyTree: policyTree{repo.Tree(), repo}}
	if start != nil && start.Turn == state.Open && state.Open > 0 {
		tree.gitlinks, tree.known = start.Gitlinks, true
	}
	s := site(repo, filepath.ToSlash(h.base()))
	s.Tree, s.Outside = &tree, settings.Outside
	s.Scratch, s.Never = h.scratch(), h.never()
	s.Roots = append(s.Roots, h.given(repo)...)
	policy := hooks.NewPolicy(s, layers...)
	found, notes, err = h.event.Judge(policy, settings, func(name string) (bool, bool) {
		fi, err := os.Stat(h.absolute(name))
		return err == nil && !fi.IsDir(), err == nil && fi.IsDir()
	})
	return found, notes, settings.OnError == "allow", err
}

// post notes that a tool has run. It never opens a turn.
func (h *hookRun) post(ctx context.Context, repo *gitops.Repo) {
	ans := hooks.Answer{}
	state, err := repo.Session(h.session())
	if err == nil && state.Open > 0 {
		err = h.log(repo, true)
	}
	if err != nil {
		ans.Note = "chordgit: " + edit.Quote(err.Error())
	}
	ans.Context = h.context(ctx, repo)
	h.answer(ans)
}

// log appends a call to the session's log.
func (h *hookRun) log(repo *gitops.Repo, ended bool) error {
	e := h.event
	c := gitops.Call{ID: e.Call, Tool: e.Called, Kind: gitops.CallOther, Reads: e.Reads()}
	switch {
	case ended && e.Called == "": // whatever ran has ended
		c.Kind = gitops.CallNone
	case e.Tool == patchapply.KindShell:
		c.Kind = gitops.CallShell
	case e.MCP: // what else it writes nobody can tell
	case e.Tool == patchapply.KindRead:
		c.Kind = gitops.CallRead
	case e.Writes():
		c.Kind = gitops.CallEdit
	}
	if c.Kind == gitops.CallEdit || c.Kind == gitops.CallRead {
		if c.Kind == gitops.CallRead && !ended {
			return nil // its end says all
		}
		s := site(repo, filepath.ToSlash(h.base()))
		s.Tree = planTree{policyTree{repo.Tree(), repo}}
		s.Roots = append(s.Roots, h.given(repo)...)
		policy := hooks.NewPolicy(s)
		for _, name := range h.targets() {
			for _, n := range policy.Names(hooks.Operation{Path: name}) {
				if !slices.Contains(c.Paths, n) {
					c.Paths = append(c.Paths, n)
				}
			}
		}
		if len(c.Paths) == 0 && c.Kind == gitops.CallEdit {
			c.Kind = gitops.CallOther
		}
	}
	return repo.LogCall(h.session(), c, ended)
}
