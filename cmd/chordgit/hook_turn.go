package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// begins opens a turn. A prompt is never lost: what fails is told.
func (h *hookRun) begins(ctx context.Context, repo *gitops.Repo) {
	e := h.event
	if e.Subagent { // its parent's turn goes on
		h.answer(hooks.Answer{})
		return
	}
	notes, err := h.open(ctx, repo, beginTime, true)
	if err != nil {
		notes = append(notes, "chordgit: this turn cannot be taken back: "+edit.Quote(err.Error()))
	}
	h.answer(hooks.Answer{Note: strings.Join(append(h.repairs, notes...), "\n"), Context: h.context(ctx, repo)})
}

// open judges what is to be judged and opens a turn. wait is how long its capture
// looks; begin says that a prompt begins it.
func (h *hookRun) open(ctx context.Context, repo *gitops.Repo, wait time.Duration, begin bool) (notes []string, err error) {
	e := h.event
	// A configuration that cannot be read is no reason to record nothing.
	if cover, err := h.coverage(repo); err == nil {
		repo.Cover(cover)
		if layers, err := h.layers(repo); err == nil && begin {
			wait = min(cmp.Or(hooks.MergeConfig(layers...).Snapshot.Deadline, wait), beginTime)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	t := gitops.Turn{Agent: e.Agent, Session: h.session(), AgentTurn: e.Turn, Message: e.Prompt}
	if !begin {
		t.Message = "begun by " + e.Called
	}
	judged, open, err := h.openTurn(ctx, repo, t, h.keepNote)
	for i := range judged {
		if text := judged[i].text(); text != "" {
			notes = append(notes, text)
		}
	}
	if err != nil {
		return notes, err
	}
	for _, n := range uncovered(open) {
		if n.Code == "deadline" || n.Code == "incomplete" {
			notes = append(notes, "chordgit: "+edit.Quote(n.Path)+": "+n.Msg)
		}
	}
	if err := repo.LogCall(t.Session, gitops.Call{Kind: gitops.CallNone}, false); err != nil {
		notes = append(notes, "chordgit: who changes what in this turn may not be known: "+edit.Quote(err.Error()))
	}
	return notes, nil
}

// openTurn closes what the new turn follows, judges it, and opens the turn. The
// turn is nil only beside an error.
func (a *app) openTurn(ctx context.Context, repo *gitops.Repo, t gitops.Turn, keep func(*sessionFacts, judgement)) ([]judgement, *gitops.Turn, error) {
	if err := repo.CloseOverdue(ctx, 0); err != nil {
		return nil, nil, err
	}
	if err := repo.MakeWay(ctx, t); err != nil {
		return nil, nil, err
	}
	judged, err := a.judgeSession(context.WithoutCancel(ctx), repo, t.Session, keep)
	if err != nil {
		return judged, nil, err
	}
	links := soon(repo.Gitlinks)
	open, err := repo.BeginNoting(ctx, t, func(t *gitops.Turn, s *gitops.SessionState) error {
		start, err := a.startFacts(repo, t, links)
		if err == nil {
			refact(s, func(f *sessionFacts) { f.Start = start; f.dropConsent(s) })
		}
		return err
	})
	if err != nil {
		return judged, nil, err
	}
	return judged, open, a.keepStart(context.WithoutCancel(ctx), repo, open)
}

// keepNote keeps what is told about a turn for the agent's model, if that can be
// told at all.
func (h *hookRun) keepNote(f *sessionFacts, j judgement) {
	if text := j.text(); text != "" && h.event.KeepsContext() {
		const most = 5
		f.Notes = append(f.Notes, text)
		f.Notes = f.Notes[max(0, len(f.Notes)-most):]
	}
}

// context takes the notes that the model was not told yet, if the event can bring
// them.
func (h *hookRun) context(ctx context.Context, repo *gitops.Repo) string {
	if !h.event.TakesContext() {
		return ""
	}
	state, err := repo.Session(h.session())
	if err != nil || len(factsOf(state).Notes) == 0 {
		return "" // nothing is locked for nothing
	}
	var notes []string
	err = changeFacts(ctx, repo, h.session(), func(f *sessionFacts) { notes, f.Notes = f.Notes, nil })
	if err != nil {
		return ""
	}
	return strings.Join(notes, "\n")
}

// ends closes the session's turn and judges it.
func (h *hookRun) ends(ctx context.Context, repo *gitops.Repo) {
	if h.event.Subagent {
		h.answer(hooks.Answer{})
		return
	}
	ctx, cancel := context.WithTimeout(ctx, endTime-5*time.Second)
	defer cancel()
	session := h.session()
	notes := h.repairs
	var turn *gitops.Turn
	state, err := repo.Session(session)
	if err == nil && state.Open > 0 {
		if cover, err := h.coverage(repo); err == nil {
			repo.Cover(cover)
		}
		if h.event.Calls() { // those whose end nobody told end here
			err = repo.LogCall(session, gitops.Call{Kind: gitops.CallNone}, true)
		}
		var failed error
		if turn, failed = repo.End(ctx, session, gitops.EndOptions{Interrupted: h.event.Kind != hooks.TurnEnd}); errors.Is(failed, &edit.Error{Code: edit.NoTurn}) {
			failed = nil
		}
		err = errors.Join(err, failed)
	}
	judged, failed := h.judgeSession(context.WithoutCancel(ctx), repo, session, h.keepNote)
	for i := range judged {
		if text := judged[i].text(); text != "" {
			notes = append(notes, text)
		}
	}
	if err = errors.Join(err, failed); err != nil {
		notes = append(notes, "chordgit: the end of this turn was not recorded: "+edit.Quote(err.Error()))
	}
	h.answer(hooks.Answer{Note: strings.Join(notes, "\n")})
	if turn != nil {
		h.retainAsSet(ctx, repo)
	}
}
