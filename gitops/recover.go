package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/ref"
	"github.com/chordgit/chordgit/gitops/internal/repo"
	"github.com/chordgit/chordgit/snapshot"
)

// foreignGrace is how long another machine's open mark is left alone: it shares
// no lock with us.
const foreignGrace = 10 * time.Minute

// Recover repairs what an earlier crash left in this worktree. Every command
// that changes files does so before it begins.
func (r *Repo) Recover(ctx context.Context) error {
	unlock, err := r.lockWorktree(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return r.recover(ctx)
}

// recover judges every open mark of this worktree, under the worktree's lock:
// whoever held it died. What it finds damaged it reports and does not touch.
func (r *Repo) recover(ctx context.Context) error {
	if _, err := r.readKey(); err != nil {
		return err
	}
	r.releaseKeeps()
	r.sweep(time.Now())
	// First: a lock that a dead process left on a mark would keep it from going.
	if err := r.removeStaleLocks(); err != nil {
		return err
	}
	open, err := r.numbers(openPrefix)
	if err != nil {
		return trouble(edit.Damaged, "the open turns cannot be listed", err)
	}
	var rewinds []int
	for _, n := range open {
		t, err := r.read(n, openRef(n))
		if errors.Is(err, &edit.Error{Code: edit.NoTurn}) {
			continue // closed by another worktree meanwhile
		}
		if err != nil {
			r.opt.Repaired(fmt.Sprintf("turn %d was interrupted and cannot be judged, nothing was touched: %v", n, err))
			continue
		}
		if !r.ours(t) {
			continue
		}
		if t.Scope == ScopeWorktree {
			if err := r.settle(ctx, t); err != nil {
				return err
			}
			continue
		}
		if err := r.repair(ctx, t); err != nil {
			return &edit.Error{
				Code: edit.CommitFailed, Err: err,
				Msg: fmt.Sprintf("turn %d was interrupted and could not be repaired; mend the cause and try again, or give it up by git update-ref -d %s", n, openRef(n)),
			}
		}
		if t.Kind == KindRewind {
			rewinds = append(rewinds, n)
		}
	}
	for _, n := range rewinds {
		if t, err := r.Turn(n); err == nil { // not undone: then it stands
			if err := r.startOver(ctx, n-1, t); err != nil {
				return err
			}
		}
	}
	return r.namePending()
}

// releaseKeeps gives packs that were written beside a gc to the next one. One
// that cannot be released costs room, not data.
func (r *Repo) releaseKeeps() { _ = r.db.ReleaseKeeps() }

// ours reports whether this process may judge an open turn: it is this
// worktree's, and its machine is this one or has long been silent.
func (r *Repo) ours(t *Turn) bool {
	return r.mine(t) && (t.meta.Host == repo.Host() || time.Since(t.Started) >= foreignGrace)
}

// settle removes the open mark of a worktree's turn that died after it was
// closed, and closes that of a run whose process died in it.
func (r *Repo) settle(ctx context.Context, t *Turn) error {
	closed, err := r.closed(t)
	if err != nil {
		return err
	}
	if !closed {
		if !r.dead(t) {
			return nil
		}
		err := r.abandon(ctx, t)
		if errors.Is(err, &edit.Error{Code: edit.Damaged}) {
			r.opt.Repaired(fmt.Sprintf("turn %d was not ended and cannot be closed, nothing was touched: %v", t.N, err))
			return nil
		}
		return err
	}
	return r.finishClosing(t)
}

// finishClosing does what was left when a turn's end died after the turn had
// its ref: the list's line, the session's note that policy is to be asked, and
// the open mark, which goes last.
func (r *Repo) finishClosing(open *Turn) error {
	unlock, err := r.lockNumbers(context.Background())
	if err != nil {
		return err
	}
	defer unlock()
	t, err := r.read(open.N, turnRef(open.N))
	if err != nil {
		return err
	}
	if err := r.addLine(t.N, listed{tag: t.tag, bytes: t.StoredBytes}); err != nil {
		return trouble(edit.CommitFailed, fmt.Sprintf("turn %d cannot be listed", t.N), err)
	}
	state, err := readSession(r.sessionFile(t.Session))
	if err != nil {
		return err
	}
	var mark openMark
	if get(state, memberOpen, &mark) && mark.Turn == t.N {
		if err := r.sessionEnds(open, t); err != nil {
			return err
		}
	}
	return r.unmark(open)
}

// enter takes the worktree's lock for a capture, after it has repaired what a
// crash left: a capture must not see half of a transaction.
func (r *Repo) enter(ctx context.Context) (unlock func(), err error) {
	for repaired := false; ; repaired = true {
		unlock, err := r.shareWorktree(ctx)
		if err != nil {
			return nil, err
		}
		broken, err := r.broken()
		if err == nil && (!broken || repaired) {
			r.releaseKeeps()
			return unlock, nil
		}
		unlock()
		if err != nil {
			return nil, err
		}
		if err := r.Recover(ctx); err != nil {
			return nil, err
		}
	}
}

// broken reports whether recovery has something to do: under the lock no
// transaction is running, so an open mark of one is a dead one's.
func (r *Repo) broken() (bool, error) {
	if _, err := r.readKey(); err != nil {
		return false, err
	}
	open, err := r.numbers(openPrefix)
	if err != nil {
		return false, trouble(edit.Damaged, "the open turns cannot be listed", err)
	}
	for _, n := range open {
		t, err := r.read(n, openRef(n))
		if errors.Is(err, &edit.Error{Code: edit.NoTurn}) {
			continue
		}
		if err != nil {
			return true, nil // to be reported
		}
		if !r.ours(t) {
			continue
		}
		if t.Scope != ScopeWorktree {
			return true, nil
		}
		if closed, err := r.closed(t); err != nil || closed || r.dead(t) {
			return true, err
		}
	}
	if r.isPending() {
		return true, nil // to be named
	}
	stale, err := fs.Glob(os.DirFS(r.layout.CommonDir), "refs/chordgit/*/*.lock")
	return len(stale) > 0, err
}

// repair finishes or undoes one interrupted transaction.
func (r *Repo) repair(ctx context.Context, t *Turn) error {
	r.opt.Step("repair")
	plan, err := r.planOf(t)
	if err != nil {
		r.opt.Repaired(fmt.Sprintf("turn %d was interrupted and cannot be judged, nothing was touched: %v", t.N, err))
		return nil
	}
	closed, err := r.closed(t)
	if err != nil {
		return err
	}
	if closed {
		// It died after closing: only its temporaries are left.
		if err := r.list(t); err != nil {
			return err
		}
		res, err := r.tree.Clear(t.N, plan)
		r.tell(t, res.Notes)
		return errors.Join(err, r.unmark(t))
	}
	head, err := r.git().Head()
	if err != nil {
		return err
	}
	rec, err := r.tree.Recover(t.N, plan, head == t.meta.Head.Before)
	if rec != nil {
		r.tell(t, rec.Notes)
	}
	if err != nil {
		return err
	}
	switch rec.Outcome {
	case snapshot.Nothing:
		r.opt.Repaired(fmt.Sprintf("turn %d was interrupted: nothing was applied", t.N))
		return r.drop(t)
	case snapshot.RolledBack:
		r.opt.Repaired(fmt.Sprintf("turn %d was interrupted: rolled back", t.N))
		return r.drop(t)
	case snapshot.Completed:
		if err := r.close(t); err != nil {
			return err
		}
		// What it replaced can go only now that the turn is closed.
		res, err := r.tree.Clear(t.N, plan)
		r.tell(t, res.Notes)
		r.opt.Repaired(fmt.Sprintf("turn %d was interrupted: completed", t.N))
		return errors.Join(err, r.unmark(t))
	}
	left := strings.Join(mapStrings(rec.Left, edit.Quote), ", ")
	if left == "" {
		left = strings.Join(mapStrings(t.Paths, edit.Quote), ", ")
	}
	if err := r.closeRecovered(t, plan); err != nil {
		return err
	}
	r.opt.Repaired(fmt.Sprintf("turn %d was interrupted: what could be put back was; left as they are, because they or HEAD changed since: %s", t.N, left))
	return nil
}

func (r *Repo) tell(t *Turn, notes []edit.Note) {
	for _, n := range notes {
		msg := n.Msg
		if n.Path != "" {
			msg = edit.Quote(n.Path) + ": " + msg
		}
		r.opt.Repaired(fmt.Sprintf("turn %d: %s", t.N, msg))
	}
}

// planOf makes the plan of a recorded turn again: modes and ids, no bytes.
func (r *Repo) planOf(t *Turn) (*edit.Plan, error) {
	changes, err := r.Changes(t)
	if err != nil {
		return nil, err
	}
	return &edit.Plan{Changes: changes, Mkdir: t.MadeDirs, Rmdir: t.RemovedDirs, DirModes: t.dirModes()}, nil
}

// closed reports whether the turn has its final ref.
func (r *Repo) closed(t *Turn) (bool, error) {
	_, err := r.refs.Read(turnRef(t.N))
	if errors.Is(err, ref.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// closeRecovered closes an interrupted turn with what the disk holds now: the
// part of it that remains, and what somebody made of it since.
func (r *Repo) closeRecovered(t *Turn, plan *edit.Plan) error {
	real := &edit.Plan{Mkdir: plan.Mkdir, Rmdir: plan.Rmdir}
	spellings := map[string]int{}
	for _, c := range plan.Changes {
		spellings[strings.ToLower(c.Path)]++
	}
	for _, c := range plan.Changes {
		look := r.tree.Reach // the plan's spelling may be an agent's
		if spellings[strings.ToLower(c.Path)] > 1 {
			look = r.tree.Lookup // of two each has its own
		}
		now, err := look(c.Path)
		if err != nil {
			return err
		}
		if !now.Regular() && !now.IsLink() {
			now = nil // a directory has the paths below it; a special file is not covered
		}
		same, err := r.same(c.Path, now, c.Before)
		if err != nil {
			return err
		}
		if same && (now == nil || now.Mode == c.Before.Mode) {
			continue
		}
		if now != nil && (c.After == nil || now.ID != c.After.ID) {
			now.ID = "" // known by its hash at most, but stored nowhere yet
		}
		real.Changes = append(real.Changes, edit.Change{Path: c.Path, Before: c.Before, After: now, Unseen: slices.Contains(t.meta.Unseen, pathcode.Encode(c.Path))})
	}
	if real.Empty() {
		return r.drop(t)
	}
	closing := &Turn{N: t.N, Kind: t.Kind, Agent: t.Agent, Session: t.Session, Message: t.Message, Undoes: t.Undoes, Partial: true, Started: t.Started}
	if err := r.recordClosed(closing, real); err != nil {
		return err
	}
	return r.unmark(t)
}

// removeStaleLocks removes lock files of git's that a process of ours has left.
func (r *Repo) removeStaleLocks() error {
	removed, err := r.refs.RemoveLocks()
	if len(removed) > 0 {
		slices.Sort(removed)
		r.opt.Repaired("removed stale lock files: " + strings.Join(removed, ", "))
	}
	return err
}
