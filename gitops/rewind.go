package gitops

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
)

// RewindOptions say how a turn is taken back.
type RewindOptions struct {
	Turn   Turn // Agent, Session and Message of the rewind
	Force  bool // take the old state whatever is there now; that is recorded first
	Atomic bool // any conflict, and nothing changes
	DryRun bool // plan only
	Redo   bool // the turn must be a rewind; without a number it is the newest turn
	// Paths limits the rewind to these paths of the turn, and to what goes only
	// together with them: the other end of a move, a file where a directory was.
	// Such a rewind does not count as having taken the turn back. Nil: all.
	Paths []string
	// Confirm is asked about the plan while no lock is held; false ends it. Nil:
	// nobody is asked. What is carried out is what was shown, or nothing.
	Confirm func(undoes []int, plan *edit.Plan) bool
}

// A Rewound is a turn that was, or is about to be, taken back.
type Rewound struct {
	Undoes []int
	// Plan has what goes back as Changes and the conflicts as Failures.
	Plan *edit.Plan
	Turn *Turn // the rewind; nil if it changed nothing or was a dry run
}

// Rewind takes turn n back; 0 means the newest turn of this worktree that is
// no rewind and not taken back yet. Only the paths that the turn changed are
// looked at. A path that is not as the turn left it is a conflict: it is left
// alone, the others go. The rewind is a turn itself, recorded before the first
// file changes, so it can be taken back in turn.
//
// Errors: NoTurn if there is no such turn or it is another worktree's, Damaged
// if an object of it is lost, Stale if something changed meanwhile. Conflicts
// are no error, they stand in the plan's Failures.
func (r *Repo) Rewind(ctx context.Context, n int, opt RewindOptions) (*Rewound, error) {
	if opt.DryRun {
		return r.planRewind(n, opt)
	}
	var shown *Rewound
	if opt.Confirm != nil {
		var err error
		if shown, err = r.planRewind(n, opt); err != nil {
			return shown, err
		}
		if !shown.Plan.Empty() && !opt.Confirm(shown.Undoes, shown.Plan) {
			return shown, nil
		}
		n = shown.Undoes[0]
	}
	opt.Turn.Kind, opt.Turn.Started = KindRewind, time.Now()
	unlock, err := r.lockWorktree(ctx)
	if err != nil {
		return shown, err
	}
	defer unlock()
	if err := r.recover(ctx); err != nil {
		return shown, err
	}
	r.opt.Step("plan")
	res, err := r.planRewind(n, opt)
	if err != nil {
		return res, err
	}
	if shown != nil && !reflect.DeepEqual(brief(shown.Plan), brief(res.Plan)) {
		return res, &edit.Error{Code: edit.Stale, Msg: "changed after planning: what would happen is no longer what was shown"}
	}
	if res.Plan.Empty() || opt.Atomic && len(res.Plan.Failures) > 0 {
		res.Plan.Changes = nil
		return res, nil
	}
	t := opt.Turn
	t.Undoes, t.Partial = res.Undoes, len(res.Plan.Failures) > 0 || opt.Paths != nil
	tree := r.tree
	if opt.Force {
		if r.force == nil {
			if r.force, err = r.worktree(true); err != nil {
				return res, err
			}
		}
		tree = r.force
	}
	res.Turn, err = r.commit(ctx, tree, &t, res.Plan)
	return res, err
}

// brief is what a person was shown of a plan.
func brief(p *edit.Plan) (out []string) {
	id := func(f *edit.File) string {
		if f == nil {
			return "-"
		}
		return f.ID + f.Mode.String()
	}
	for _, c := range p.Changes {
		out = append(out, c.Path+" "+id(c.Before)+" "+id(c.After))
	}
	for _, f := range p.Failures {
		out = append(out, f.Path+" "+f.Why)
	}
	return out
}

// target finds the turn that is meant.
func (r *Repo) target(n int, opt RewindOptions) (*Turn, error) {
	if n == 0 {
		return r.defaultTarget(opt)
	}
	t, err := r.Turn(n)
	switch {
	case err != nil:
		return nil, err
	case !r.mine(t):
		return nil, &edit.Error{Code: edit.NoTurn, Msg: fmt.Sprintf("no such turn here: turn %d was made in worktree %s (%s)", n, edit.Quote(t.Worktree), edit.Quote(decodePath(t.meta.Worktree.Path)))}
	case opt.Redo && t.Kind != KindRewind:
		return nil, &edit.Error{Code: edit.NoTurn, Msg: fmt.Sprintf("turn %d is no rewind; chordgit rewind %d takes it back", n, n)}
	}
	return t, nil
}

func (r *Repo) defaultTarget(opt RewindOptions) (*Turn, error) {
	undone, err := r.Undone()
	if err != nil {
		return nil, err
	}
	for t, err := range r.Turns() {
		switch {
		case err != nil:
			return nil, err
		case opt.Redo && t.Kind == KindRewind:
			return t, nil
		case opt.Redo:
			return nil, &edit.Error{Code: edit.NoTurn, Msg: fmt.Sprintf("nothing to redo: the newest turn, %d, is no rewind", t.N)}
		case t.Kind != KindRewind && undone[t.N] == 0:
			return t, nil
		}
	}
	if opt.Redo {
		return nil, &edit.Error{Code: edit.NoTurn, Msg: "nothing to redo: there is no turn"}
	}
	return nil, &edit.Error{Code: edit.NoTurn, Msg: "nothing to take back: no such turn, or all are taken back"}
}

// planRewind plans the inverse of a turn's own change, applied to what is there
// now.
func (r *Repo) planRewind(n int, opt RewindOptions) (*Rewound, error) {
	t, err := r.target(n, opt)
	if err != nil {
		return nil, err
	}
	res := &Rewound{Undoes: []int{t.N}}
	delta, err := r.planOf(t)
	if err != nil {
		return res, err
	}
	if opt.Paths != nil {
		delta.Changes = limited(delta.Changes, opt.Paths)
	}
	p := &rewinder{r: r, turn: t, force: opt.Force, made: t.MadeDirs, steps: map[string]*step{}}
	if err := p.look(delta.Changes); err != nil {
		return res, err
	}
	if err := p.groups(delta.Changes); err != nil {
		return res, err
	}
	res.Plan, err = p.plan(delta)
	return res, err
}

// limited keeps the changes of the paths and of what goes only together with
// them.
func limited(changes []edit.Change, paths []string) (kept []edit.Change) {
	in := map[string]bool{}
	for _, path := range paths {
		in[path] = true
	}
	tied := func(c edit.Change) bool {
		if c.From != "" && (in[c.From] || in[c.Path]) {
			return true
		}
		for path := range in {
			if path == c.Path || strings.HasPrefix(path, c.Path+"/") || strings.HasPrefix(c.Path, path+"/") {
				return true
			}
		}
		return false
	}
	for grown := true; grown; {
		grown = false
		for _, c := range changes {
			if !tied(c) {
				continue
			}
			for _, path := range []string{c.Path, c.From} {
				if path != "" && !in[path] {
					in[path], grown = true, true
				}
			}
		}
	}
	for _, c := range changes {
		if in[c.Path] {
			kept = append(kept, c)
		}
	}
	return kept
}
