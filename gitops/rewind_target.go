package gitops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// closeForRewind closes the open turn that a rewind is about, as interrupted,
// and follows it at once by a new one of the same session, so that nothing that
// happens after it goes uncovered. It returns the turn to take back, and the new one
// if there is one.
func (r *Repo) closeForRewind(ctx context.Context, n int, opt *RewindOptions) (target, reopened int, err error) {
	if opt.Redo {
		return n, 0, nil
	}
	open, err := r.OpenTurns()
	if err != nil || len(open) == 0 {
		return n, 0, err
	}
	unlock, err := r.enter(ctx) // which closes those of dead runs
	if err != nil {
		return n, 0, err
	}
	defer unlock()
	if open, err = r.OpenTurns(); err != nil || len(open) == 0 {
		return n, 0, err
	}
	var t *Turn
	switch i := slices.IndexFunc(open, func(t *Turn) bool { return t.N == n }); {
	case n != 0 && !opt.Since:
		if i < 0 {
			return n, 0, nil
		}
		if t = open[i]; !opt.may(t) {
			return n, 0, opt.notYours(t)
		}
	case opt.Turn.Session != "":
		i := slices.IndexFunc(open, func(t *Turn) bool { return t.Session == opt.Turn.Session })
		if i < 0 {
			return n, 0, nil
		}
		t = open[i]
	case len(open) > 1:
		var list []string
		for _, t := range open {
			list = append(list, fmt.Sprintf("%d (session %s)", t.N, edit.Quote(t.Session)))
		}
		return n, 0, &edit.Error{Code: edit.NoTurn, Msg: "several turns are open, give a number or --session: " + strings.Join(list, ", ")}
	default:
		t = open[0]
	}
	closed, same, err := r.finish(ctx, t, closing{status: StatusInterrupted, keepSame: true})
	if err != nil {
		return n, 0, err
	}
	if same {
		if n == t.N {
			return n, 0, &edit.Error{Code: edit.NoTurn, Msg: fmt.Sprintf("turn %d is open, and nothing has changed in it", n)}
		}
		return n, 0, nil // it stays open; the turn before it is meant
	}
	next, err := r.begin(ctx, t.goesOn(closed.Ended), nil)
	if err != nil {
		return n, 0, &edit.Error{
			Code: edit.CommitFailed, Err: err,
			Msg: fmt.Sprintf("turn %d was closed, and what its agent does from here on is not recorded; nothing was taken back", closed.N),
		}
	}
	if opt.Since {
		return n, next.N, nil
	}
	return closed.N, next.N, nil
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
		return nil, &edit.Error{Code: edit.NoTurn, Msg: fmt.Sprintf("no such turn here: turn %d was made in worktree %s (%s)", n, edit.Quote(t.Worktree), edit.Quote(pathcode.Decode(t.meta.Worktree.Path)))}
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
		case t.Kind != KindRewind && undone[t.N] == 0 && (t.Parent == 0 || !r.inside(t)) && opt.may(t):
			return t, nil
		}
	}
	if opt.Redo {
		return nil, &edit.Error{Code: edit.NoTurn, Msg: "nothing to redo: there is no turn"}
	}
	return nil, &edit.Error{Code: edit.NoTurn, Msg: "nothing to take back: no such turn, or all are taken back"}
}

// NotYours is why an agent's rewind is denied: the turn is another session's, or
// somebody else wrote the path.
const NotYours = "not yours"

// may reports whether who asks may take a turn back: a person any, an agent its
// own session's.
func (o *RewindOptions) may(t *Turn) bool {
	return o.Turn.Session == "" || t.Session == o.Turn.Session
}

func (o *RewindOptions) notYours(t *Turn) error {
	return &edit.Error{Code: edit.Denied, Why: NotYours, Msg: fmt.Sprintf("turn %d is not session %s's own: only a person takes it back", t.N, edit.Quote(o.Turn.Session))}
}

// targets are the turns that are meant, newest first.
func (r *Repo) targets(n int, opt *RewindOptions) ([]*Turn, error) {
	if !opt.Since {
		t, err := r.target(n, *opt)
		if err != nil {
			return nil, err
		}
		return []*Turn{t}, nil
	}
	if n > 0 {
		if _, err := r.target(n, *opt); err != nil {
			return nil, err
		}
	}
	undone, err := r.Undone()
	if err != nil {
		return nil, err
	}
	var list []*Turn
	for t, err := range r.Turns() {
		switch {
		case err != nil:
			return nil, err
		case t.N <= n:
			return list, nil
		case t.Kind != KindRewind && undone[t.N] == 0 && (t.Parent == 0 || !r.inside(t)):
			list = append(list, t)
		}
	}
	return list, nil
}

// inside reports whether the turn in which a nested one ran is there, so that it
// is taken back with it.
func (r *Repo) inside(t *Turn) bool {
	_, err := r.Turn(t.Parent)
	return err == nil
}

// planRewind plans the inverse of the turns' own changes, applied to what is
// there now. The batch takes the texts that merges make, which memory need not
// hold then; nil: the plan holds them.
func (r *Repo) planRewind(n int, opt *RewindOptions, batch *object.Batch) (*Rewound, error) {
	if opt.Git && opt.Paths != nil {
		return nil, &edit.Error{Code: edit.Usage, Msg: "--git takes back HEAD, branches and index as a whole: leave out the paths, or --git"}
	}
	turns, err := r.targets(n, opt)
	if err != nil {
		return nil, err
	}
	res := &Rewound{Plan: &edit.Plan{}}
	p := r.rewinder(opt)
	p.batch = batch
	if opt.Git {
		if p.git, err = r.git().Plan(); err != nil {
			return res, err
		}
	}
	for _, t := range turns {
		if !opt.may(t) {
			return res, opt.notYours(t)
		}
		res.Undoes = append(res.Undoes, t.N)
		if p.git != nil {
			if p.back, err = p.git.Take(t.gitPart()); err != nil {
				return res, err
			}
		}
		d, err := r.delta(t, p.back)
		if err != nil {
			return res, err
		}
		if err := p.take(d); err != nil {
			return res, err
		}
	}
	for _, path := range opt.Paths {
		if !p.found[path] {
			return res, &edit.Error{Code: edit.NoTurn, Path: path, Msg: "the turn did not change it"}
		}
	}
	if res.Plan, err = p.plan(); err != nil {
		return res, err
	}
	if res.git, res.came = p.git, p.came; p.git != nil {
		res.Plan.Failures = append(res.Plan.Failures, p.git.Failures...)
		res.Plan.Notes = append(res.Plan.Notes, p.git.Notes()...)
	}
	res.How, res.Conflicts = p.hows, p.conflicts
	res.Left = slices.DeleteFunc(p.left, func(l Left) bool {
		dir, isDir := strings.CutSuffix(l.Path, "/")
		if !isDir || !slices.Contains(res.Plan.Rmdir, dir) {
			return false
		}
		occupied, err := p.occupied(dir)
		return err == nil && !occupied // it goes, as nothing that is ignored is in it any more
	})
	return res, nil
}

// asked reports whether a path is one of those that were asked for by name.
func (p *rewinder) asked(path string) bool {
	return p.opt.Paths != nil && below(path, p.opt.Paths)
}

// namedPaths are the paths that calls of agents named in a captured turn; nil
// for one of a single transaction, which names all of its own.
func (r *Repo) namedPaths(t *Turn) (map[string]bool, error) {
	if t.Scope != ScopeWorktree {
		return nil, nil
	}
	named := map[string]bool{}
	for o, err := range r.Turns() {
		switch {
		case err != nil:
			continue // named by whoever lists the turns
		case o.N < t.N:
			return named, nil
		case o.Parent == t.N:
			for _, p := range o.Paths {
				named[p] = true
			}
		}
	}
	return named, nil
}

// limited keeps the changes of the paths that were asked for, and of what goes
// only together with them.
func (p *rewinder) limited(changes []edit.Change) (kept []edit.Change) {
	in := map[string]bool{}
	for _, c := range changes {
		for _, path := range p.opt.Paths {
			if path == "." || c.Path == path || strings.HasPrefix(c.Path, path+"/") {
				in[c.Path], p.found[path] = true, true
			}
		}
	}
	for _, dirs := range [][]string{p.d.made, p.d.remake} {
		for _, dir := range dirs {
			for _, path := range p.opt.Paths {
				if path == dir || strings.HasPrefix(dir, path+"/") {
					p.found[path] = true
				}
			}
		}
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
