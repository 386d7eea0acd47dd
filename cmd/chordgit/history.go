package main

import (
	"slices"
	"time"

	"github.com/chordgit/chordgit/gitops"
)

// A history goes through the turns of a worktree, open and closed, or through
// those of other clones.
type history struct {
	repo   *gitops.Repo
	undone map[string]map[int]int // by clone; of this one: ""
	open   []*gitops.Turn
	clones []string // whose turns it goes through; nil: this one's
	errs   []error  // turns that could not be read

	current *gitops.Turn // the one that was yielded last
	spans   []span       // of captured turns, in the order in which they were yielded
}

// A span is what is remembered of a captured turn: later ones began after it.
type span struct {
	turn    int
	session string
	started time.Time
}

func newHistory(repo *gitops.Repo) (*history, error) {
	undone, err := repo.Undone()
	if err != nil {
		return nil, err
	}
	open, err := repo.OpenTurns()
	return &history{repo: repo, undone: map[string]map[int]int{"": undone}, open: open}, err
}

// cloneHistory goes through the turns of one clone after another.
func cloneHistory(repo *gitops.Repo) (*history, error) {
	clones, err := repo.Clones()
	l := &history{repo: repo, undone: map[string]map[int]int{}, clones: append([]string{}, clones...)}
	for _, c := range clones {
		l.undone[c] = repo.CloneUndone(c)
	}
	return l, err
}

// all yields the turns, the highest number first. Those that cannot be read are
// left out and kept in errs.
func (l *history) all(yield func(turnReport) bool) {
	for _, c := range l.clones {
		l.spans = nil
		for t, err := range l.repo.CloneTurns(c) {
			if err != nil {
				l.errs = append(l.errs, err)
			} else if !yield(l.report(t)) {
				return
			}
		}
	}
	if l.clones != nil {
		return
	}
	open := slices.Clone(l.open)
	before := func(n int) bool { // the open ones that are newer
		for len(open) > 0 && open[len(open)-1].N > n {
			t := open[len(open)-1]
			open = open[:len(open)-1]
			if !yield(l.report(t)) {
				return false
			}
		}
		return true
	}
	for t, err := range l.repo.Turns() {
		if err != nil {
			l.errs = append(l.errs, err)
			continue
		}
		if !before(t.N) || !yield(l.report(t)) {
			return
		}
	}
	before(0)
}

// report tells of a turn what needs no look at what it changed.
func (l *history) report(t *gitops.Turn) turnReport {
	l.current = t
	r := newTurnReport(t, l.undone[t.Clone][t.N])
	if t.Scope != gitops.ScopeWorktree {
		return r
	}
	for _, s := range slices.Backward(l.spans) { // later ones began later
		if r.Ended != nil && !s.started.Before(*r.Ended) {
			break
		}
		if s.session != t.Session {
			r.Overlaps = append(r.Overlaps, s.turn)
		}
	}
	l.spans = append(l.spans, span{t.N, t.Session, t.Started})
	return r
}

// name adds the paths to the turn that was yielded last, if it was captured: that
// costs a comparison of its trees.
func (l *history) name(r turnReport) turnReport {
	t := l.current
	if t.Scope != gitops.ScopeWorktree {
		return r
	}
	changes, err := l.repo.Changes(t)
	if err != nil {
		r.lost = err
		l.errs = append(l.errs, err)
		return r
	}
	r.Paths = nil
	for _, c := range changes {
		r.Paths = append(r.Paths, c.Path)
	}
	return r
}
