package gitops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/snapshot"
)

// Apply plans and commits one change. Under the worktree's lock it repairs what
// an earlier crash left, calls plan with the worktree as it is, checks that
// nothing changed since, records the turn, and carries the plan out: all of it
// or none. It returns the closed turn, or nil if the plan changes nothing.
// Notes about how it went are added to the plan.
//
// Of t the caller gives Agent, Session and Message. A foreign change is an error
// with code Stale, trouble with the disk CommitFailed; after both nothing is
// written. RollbackFailed leaves the record, from which the next command
// repairs.
func (r *Repo) Apply(ctx context.Context, t Turn, plan func(edit.Tree) (*edit.Plan, error)) (*Turn, error) {
	return r.apply(ctx, t, plan, func(*edit.Plan) {})
}

// apply is Apply that calls done after a commit, still under the lock.
func (r *Repo) apply(ctx context.Context, t Turn, plan func(edit.Tree) (*edit.Plan, error), done func(*edit.Plan)) (*Turn, error) {
	t.Kind, t.Started = KindApply, time.Now()
	unlock, err := r.lockWorktree(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := r.recover(ctx); err != nil {
		return nil, err
	}
	open, err := r.openTurn(t.Session)
	if err != nil {
		return nil, err
	}
	if open != nil {
		t.Parent = open.N
	}
	r.opt.Step("plan")
	p, err := plan(tree{r, r.watch(open)})
	if err != nil {
		return nil, err
	}
	if p.Empty() {
		return nil, nil
	}
	turn, err := r.commit(ctx, r.tree, &t, p)
	if err == nil {
		done(p)
	}
	return turn, err
}

// commit runs the transaction of a plan under the worktree's lock. A context
// that ends before the first exchange rolls it back; from there on the
// transaction is finished whatever happens to the context.
func (r *Repo) commit(ctx context.Context, tree *snapshot.Worktree, t *Turn, p *edit.Plan) (*Turn, error) {
	r.opt.Step("check")
	if err := tree.Check(p); err != nil {
		return nil, err
	}
	if err := r.record(ctx, t, p); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(interrupted(err), r.drop(t))
	}
	res, err := tree.Apply(ctx, t.N, p, func() error { return r.close(t) })
	switch {
	case errors.Is(err, &edit.Error{Code: edit.RollbackFailed}):
		return nil, err // the record stays: the next command repairs from it
	case err != nil:
		return nil, errors.Join(err, r.drop(t))
	}
	p.Notes = append(p.Notes, res.Notes...)
	r.opt.Step("drop")
	if res.Unfinished == nil {
		if err := r.refs.Remove(openRef(t.N), t.tag); err != nil {
			p.Notes = append(p.Notes, edit.Note{Code: "unfinished", Msg: fmt.Sprintf("the mark of turn %d could not be removed (%v); the next command does it", t.N, err)})
		}
	}
	r.opt.Step("dropped")
	return t, nil
}

func interrupted(err error) error {
	return &edit.Error{Code: edit.CommitFailed, Msg: "interrupted before the first change, nothing was written", Err: err}
}
