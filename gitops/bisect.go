package gitops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// A Verdict is what a test says of a state.
type Verdict int

// The verdicts.
const (
	Good Verdict = iota
	Bad
	Skip // it cannot be judged
)

// String is the verdict in a word.
func (v Verdict) String() string { return [...]string{"good", "bad", "skipped"}[v] }

// BisectOptions say which states are looked at, and how.
type BisectOptions struct {
	From, To int // the first turn and the last; 0: all that are stored
	// Links are directories of the worktree that no turn covers, such as
	// node_modules. The test finds a link to each of them in its place.
	Links []string
	// Test judges the state in a directory. An error ends the bisection.
	Test func(ctx context.Context, dir string) (Verdict, error)
	// Tried is told of every state after its test. Nil: nobody listens.
	Tried func(s State, v Verdict)
}

// A State is the worktree at one end of a captured turn.
type State struct {
	Turn *Turn
	End  bool // at its end; false: at its beginning
}

// String names the state.
func (s State) String() string {
	if s.End {
		return fmt.Sprintf("the end of turn %d", s.Turn.N)
	}
	return fmt.Sprintf("the beginning of turn %d", s.Turn.N)
}

// A Bisected is what a bisection found.
type Bisected struct {
	Turn    *Turn // with the first bad end; nil if skipped states hide it
	Between bool  // it was bad when the turn began: what made it so came after the turn before
	// Hidden are the turns that it may be, if it is not known.
	Hidden []*Turn
	Tests  int // how many states were tried
}

// Bisect finds the captured turn of this worktree that made a test fail. The
// states are the beginning of the first turn and the ends of all; each that is
// tried is written to a directory below the system's temporary directory, which
// is removed afterwards. Nothing in the worktree or the repository changes.
//
// Errors: NoTurn if no captured turn is stored there, or if the first state is
// not good or the last is not bad; Usage for a link that is no directory or is
// covered; Damaged if an object is lost; what the test returned.
func (r *Repo) Bisect(ctx context.Context, opt BisectOptions) (found *Bisected, err error) {
	b := &bisection{r: r, opt: &opt, found: &Bisected{}, verdicts: map[int]Verdict{}}
	if err := b.list(); err != nil {
		return nil, err
	}
	if err := b.links(); err != nil {
		return nil, err
	}
	if b.scratch, err = r.newScratch(); err != nil {
		return nil, trouble(edit.CommitFailed, "no directory to try the states in", err)
	}
	defer func() {
		if gone := b.scratch.remove(); gone != nil {
			err = errors.Join(err, trouble(edit.CommitFailed, fmt.Sprintf("the directory %s is left", edit.Quote(b.scratch.dir)), gone))
		}
	}()
	if err := b.ends(ctx); err != nil {
		return b.found, err
	}
	return b.found, b.search(ctx)
}

type bisection struct {
	r        *Repo
	opt      *BisectOptions
	scratch  *scratch
	states   []State // the beginning, then the ends in the order of time
	verdicts map[int]Verdict
	found    *Bisected
}

// list finds the states.
func (b *bisection) list() error {
	var turns []*Turn
	for t, err := range b.r.Turns() {
		switch {
		case t == nil:
			return err
		case t.N > b.opt.To && b.opt.To > 0:
		case t.N < b.opt.From:
		case err != nil:
			return err
		case t.Scope == ScopeWorktree:
			turns = append(turns, t)
		}
	}
	if len(turns) == 0 {
		return &edit.Error{Code: edit.NoTurn, Msg: "there is no turn with a captured worktree to look at (begin and end, or run, make them)"}
	}
	slices.Reverse(turns)
	b.states = []State{{Turn: turns[0]}}
	slices.SortStableFunc(turns, func(x, y *Turn) int { return cmp.Compare(x.meta.Scans.After.Ended, y.meta.Scans.After.Ended) })
	for _, t := range turns {
		b.states = append(b.states, State{Turn: t, End: true})
	}
	return nil
}

// links refuses links that are no directories, or where some state has
// something.
func (b *bisection) links() error {
	var errs edit.Errors
	for _, p := range b.opt.Links {
		if info, err := os.Stat(filepath.Join(b.r.layout.Top, filepath.FromSlash(p))); err != nil || !info.IsDir() || p == "." {
			errs = append(errs, &edit.Error{Code: edit.Usage, Path: p, Msg: "no directory of the worktree that could be linked"})
			continue
		}
		for _, s := range b.states {
			side, err := b.side(s)
			if err != nil {
				return err
			}
			for _, up := range prefixes(p) {
				e, ok, err := side.entry(up)
				if err != nil {
					return damaged(s.Turn.N, err)
				}
				if ok && (up == p || !e.Mode.IsDir()) {
					errs = append(errs, &edit.Error{Code: edit.Usage, Path: p, Msg: fmt.Sprintf("it cannot be linked: %s has %s", s, edit.Quote(up))})
					break
				}
			}
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

func (b *bisection) side(s State) (*side, error) {
	name := "before"
	if s.End {
		name = "after"
	}
	side, err := b.r.side(s.Turn, name)
	if err != nil {
		return nil, damaged(s.Turn.N, err)
	}
	return side, nil
}

// try writes a state and tests it.
func (b *bisection) try(ctx context.Context, s State) (Verdict, error) {
	if err := ctx.Err(); err != nil {
		return Skip, err
	}
	side, err := b.side(s)
	if err != nil {
		return Skip, err
	}
	if err := b.scratch.write(side); err != nil {
		return Skip, trouble(edit.CommitFailed, s.String()+" cannot be written", err)
	}
	for _, p := range b.opt.Links {
		if err := b.scratch.link(p); err != nil {
			return Skip, trouble(edit.CommitFailed, "a link cannot be made", err)
		}
	}
	v, err := b.opt.Test(ctx, b.scratch.dir)
	if err != nil {
		return Skip, err
	}
	b.found.Tests++
	if b.opt.Tried != nil {
		b.opt.Tried(s, v)
	}
	return v, nil
}

// ends tests the first state, which must be good, and the last, which must be
// bad.
func (b *bisection) ends(ctx context.Context) error {
	var errs edit.Errors
	for want, i := range []int{Good: 0, Bad: len(b.states) - 1} {
		v, err := b.try(ctx, b.states[i])
		if err != nil {
			return err
		}
		if want := Verdict(want); v != want {
			errs = append(errs, &edit.Error{Code: edit.NoTurn, Msg: fmt.Sprintf("no turn made the test fail: %s is %s and should be %s", b.states[i], v, want)})
		}
		b.verdicts[i] = v
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// search narrows the states between a good one and a bad one. A skipped state
// is passed over for its nearest neighbour.
func (b *bisection) search(ctx context.Context) error {
	good, bad := 0, len(b.states)-1
	for {
		i, ok := b.between(good, bad)
		if !ok {
			break
		}
		v, err := b.try(ctx, b.states[i])
		if err != nil {
			return err
		}
		switch b.verdicts[i] = v; v {
		case Good:
			good = i
		case Bad:
			bad = i
		}
	}
	if bad-good > 1 {
		for _, s := range b.states[good+1 : bad+1] {
			b.found.Hidden = append(b.found.Hidden, s.Turn)
		}
		return nil
	}
	b.found.Turn = b.states[bad].Turn
	return b.outside(ctx, b.states[good], State{Turn: b.states[bad].Turn})
}

// between is an untried state between two, as near to their middle as can be.
func (b *bisection) between(good, bad int) (int, bool) {
	best, ok := 0, false
	for i := good + 1; i < bad; i++ {
		if _, tried := b.verdicts[i]; tried {
			continue
		}
		if !ok || abs(2*i-good-bad) < abs(2*best-good-bad) {
			best, ok = i, true
		}
	}
	return best, ok
}

func abs(n int) int { return max(n, -n) }

// outside finds out whether the test failed before the turn began already: what
// changed between two turns stands in the later one's beginning.
func (b *bisection) outside(ctx context.Context, last, start State) error {
	if last.Turn == start.Turn {
		return nil
	}
	was, err1 := b.side(last)
	is, err2 := b.side(start)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if changed, err := object.Diff(b.r.db, was.root, is.root); err != nil || len(changed) == 0 {
		return err
	}
	v, err := b.try(ctx, start)
	b.found.Between = v == Bad && err == nil
	return err
}
