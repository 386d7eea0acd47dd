package gitops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// RewindOptions say how a turn is taken back.
type RewindOptions struct {
	// Turn is the Agent, Session and Message of the rewind. With a session it is an
	// agent's, which may take back turns of its own session only, and of these what
	// the session wrote itself.
	Turn   Turn
	Force  bool // take the old state whatever is there now; that is recorded first
	Atomic bool // any conflict, and nothing changes
	DryRun bool // plan only
	Redo   bool // the turn must be a rewind; without a number it is the newest turn
	// Since takes back every turn of this worktree after the given number, the
	// newest first. Those that are taken back already, and rewinds, are passed over.
	Since bool
	// Paths limits the rewind to these paths and what is below them, whoever owns
	// them, and to what goes only together with them: the other end of a move, a
	// file where a directory was. Such a rewind does not count as having taken the
	// turn back. A path that no turn changed is an error. Nil: all.
	Paths []string
	// Owners says whose paths go. Nil: the turn's own.
	Owners []string
	// Git takes back what the turns did to git's own state, too: the files that came
	// with a move of HEAD, branches, tags and the stash, HEAD, the index. What
	// somebody moved since is a conflict and stays. Not together with Paths.
	Git bool
	// Check is asked about every plan before it is shown or recorded; its error ends
	// the rewind. Nil: nobody is asked.
	Check func(*Rewound) error
	// Confirm is asked about the plan while no lock is held; false ends it. Nil:
	// nobody is asked. What is carried out is what was shown, or nothing. Of files
	// that are merged it has the ids alone.
	Confirm func(*Rewound) bool
}

// A Rewound is what was, or is about to be, taken back.
type Rewound struct {
	Undoes []int // the turns, newest first
	// Plan has what goes back as Changes and the conflicts as Failures.
	Plan *edit.Plan
	How  map[string]string // of paths that were merged
	// Conflicts tell more of the failures that are about a path.
	Conflicts map[string]Conflict
	Left      []Left // what stays although the turns changed it
	Turn      *Turn  // the rewind; nil if it changed nothing or was a dry run

	git  *gitstate.Plan  // nil: not asked for
	came map[string]bool // files that go with HEAD
}

// A Conflict tells of a path that could not be taken back what there is to look at,
// and what helps.
type Conflict struct {
	Turn               int
	Before, After, Now bool // whether a file or link is stored of the turn's start, of its end, and is there
	Force              bool // whether Force takes it back
	// InWay is what must be moved away first. Empty: nothing.
	InWay string
}

// Left is a path that stays as it is, and why: it is not the turn's to take
// back, or no capture stored it.
type Left struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// MarshalJSON writes the path as [EncodePath] does.
func (l Left) MarshalJSON() ([]byte, error) {
	type plain Left
	l.Path = pathcode.Encode(l.Path)
	return json.Marshal(plain(l))
}

// Rewind takes turn n back; 0 means the newest turn of this worktree that is no
// rewind, ran in no other turn, and is not taken back yet. An open turn counts
// if it is the only one: it is closed first, and followed by a new one of its
// session, to which what the rewind puts back does not belong. Only the paths that the turn changed are looked at. What somebody
// changed since in the same file is merged by lines and stays; where that is
// not possible the path is a conflict: it is left alone, the others go. A path
// is removed only if it was proved to be absent when the turn began. The rewind
// is a turn itself, recorded before the first file changes, so it can be taken
// back in turn.
//
// Errors: NoTurn if there is no such turn or it is another worktree's, Damaged
// if an object of it is lost, Stale if something changed meanwhile, Denied with
// NotYours as Why if a session asks for another's turn, Locked if somebody holds
// git's lock on the index: then the files were taken back, and the same call does
// the rest. Conflicts are no error, they stand in the plan's Failures.
func (r *Repo) Rewind(ctx context.Context, n int, opt RewindOptions) (*Rewound, error) {
	if opt.DryRun {
		return r.checkedRewind(n, &opt, nil)
	}
	n, reopened, err := r.closeForRewind(ctx, n, &opt)
	if err != nil {
		return nil, err
	}
	var shown *Rewound
	if opt.Confirm != nil {
		batch := r.db.NewBatch()
		shown, err = r.checkedRewind(n, &opt, batch)
		if err := errors.Join(err, batch.Close()); err != nil {
			return shown, err
		}
		if !shown.empty() && !opt.Confirm(shown) {
			return shown, nil
		}
		if !opt.Since {
			n = shown.Undoes[0]
		}
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
	batch := r.db.NewBatch()
	defer batch.Close()
	res, err := r.checkedRewind(n, &opt, batch)
	if err != nil {
		return res, err
	}
	if shown != nil && !slices.Equal(r.brief(shown.Plan), r.brief(res.Plan)) {
		return res, &edit.Error{Code: edit.Stale, Msg: "changed after planning: what would happen is no longer what was shown"}
	}
	if res.empty() || opt.Atomic && len(res.Plan.Failures) > 0 {
		res.Plan.Changes, res.Plan.Mkdir, res.Plan.Rmdir, res.Plan.DirModes = nil, nil, nil, nil
		return res, nil
	}
	t := opt.Turn
	t.batch = batch
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
	if !res.git.Empty() {
		t.facts = res.gitFacts(again(&opt, res.Undoes))
	}
	if res.Turn, err = r.commit(ctx, tree, &t, res.Plan); err != nil {
		return res, err
	}
	if t.facts != nil {
		if err := t.facts.carryOut(r, res.Turn); err != nil {
			return res, err
		}
	}
	return res, r.startOver(ctx, reopened, res.Turn)
}

// empty reports whether nothing is to be taken back.
func (res *Rewound) empty() bool { return res.Plan.Empty() && res.git.Empty() }

// again is the command that does what is missing of a rewind.
func again(opt *RewindOptions, undoes []int) string {
	switch {
	case opt.Redo:
		return fmt.Sprintf("chordgit redo %d --git", undoes[0])
	case opt.Since:
		return fmt.Sprintf("chordgit rewind --to %d --git", undoes[len(undoes)-1]-1)
	}
	return fmt.Sprintf("chordgit rewind %d --git", undoes[0])
}

// checkedRewind plans a rewind and asks about the plan.
func (r *Repo) checkedRewind(n int, opt *RewindOptions, batch *object.Batch) (*Rewound, error) {
	res, err := r.planRewind(n, opt, batch)
	if err == nil && opt.Check != nil {
		err = opt.Check(res)
	}
	return res, err
}

// brief is what a person was shown of a plan.
func (r *Repo) brief(p *edit.Plan) (out []string) {
	id := func(f *edit.File) string {
		if f == nil {
			return "-"
		}
		if f.Data != nil && f.ID == "" {
			return r.db.Format().Hash(object.Blob, f.Data).String() + f.Mode.String()
		}
		return f.ID + f.Mode.String()
	}
	for _, c := range p.Changes {
		out = append(out, c.Path+" "+id(c.Before)+" "+id(c.After))
	}
	for _, list := range [][]string{p.Mkdir, p.Rmdir} {
		out = append(out, list...)
	}
	for _, f := range p.Failures {
		out = append(out, f.Path+" "+f.Why)
	}
	for _, n := range p.Notes {
		if n.Code == GitRestored {
			out = append(out, n.Msg)
		}
	}
	return out
}
