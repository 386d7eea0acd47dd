package gitops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// Young is the age below which no limit takes a turn.
const Young = 24 * time.Hour

// PruneOptions say what a prune may take.
type PruneOptions struct {
	Keep   Retention
	All    bool // take every closed turn, young ones too
	DryRun bool // plan only
}

// A Pruned turn is one that a prune took, or would take.
type Pruned struct {
	Turn  int
	Tag   string // the object that its ref named; until git gc deletes it, git update-ref brings the turn back
	Bytes int64  // it stored; what later turns use as well is not freed with it
	Why   string // "turns", "age", "size", "worktree" (it is gone), "lost" (nothing is left of the turn) or "all"
}

// Prune removes turns over the limits: their refs and nothing else, the oldest
// first. git gc frees the space. Never taken is an open turn, one that ended less
// than Young ago, or one that a kept rewind undoes; the turns of a linked
// worktree that was removed go without any limit's asking. It returns the turns
// in ascending order, also those that were taken before an error.
//
// A turn leaves the list of closed turns first and its ref goes last: whenever
// the process dies, a turn is there or it is gone.
func (r *Repo) Prune(ctx context.Context, opt PruneOptions) ([]Pruned, error) {
	p := &pruner{r: r, opt: opt, now: time.Now(), read: map[object.ID]*past{}, spared: map[int]bool{}}
	if opt.DryRun {
		plan, _, err := p.plan()
		return plan, err
	}
	if err := r.Recover(ctx); err != nil {
		return nil, err
	}
	var taken []Pruned
	for {
		// In parts, each planned anew: others need the lock, too.
		part, done, err := p.part(ctx)
		taken = append(taken, part...)
		if err != nil || done {
			return taken, errors.Join(append(p.errs, err)...)
		}
	}
}

// A pruner is one run of Prune.
type pruner struct {
	r      *Repo
	opt    PruneOptions
	now    time.Time
	read   map[object.ID]*past // tags never change
	spared map[int]bool        // turns that could not be taken
	errs   []error
}

// plan decides which turns go, from refs and list as they are now.
func (p *pruner) plan() ([]Pruned, listing, error) {
	l, err := p.r.readList()
	if err != nil {
		return nil, nil, err
	}
	turns, err := p.past(l)
	if err != nil {
		return nil, nil, err
	}
	// An open rewind may be about to be closed.
	open, err := p.r.tags(openPrefix)
	if err != nil {
		return nil, nil, err
	}
	kept := map[int]bool{}
	for n, tag := range open {
		t, _ := p.r.load(n, tag)
		kept[n] = true
		for _, u := range t.Undoes {
			kept[u] = true
		}
	}
	for n := range p.spared {
		kept[n] = true
	}
	p.decide(turns, kept)
	var plan []Pruned
	for _, t := range turns {
		if t.why != "" {
			plan = append(plan, Pruned{Turn: t.n, Tag: t.tag.String(), Bytes: t.bytes, Why: t.why})
		}
	}
	return plan, l, nil
}

// decide says of every turn whether it goes and why: the fewest of the oldest that
// bring the store below its limits, and what goes anyway.
func (p *pruner) decide(turns []*past, kept map[int]bool) {
	cut := sort.Search(len(turns), func(cut int) bool {
		count, size := p.judge(turns, cut, kept)
		return p.opt.Keep.exceeded(count, size) == ""
	})
	p.judge(turns, cut, kept)
}

// judge says of every turn why it goes if the first cut ones may go for the
// limits' sake, "" for one that stays. It returns the number and size of those.
func (p *pruner) judge(turns []*past, cut int, kept map[int]bool) (count int, size int64) {
	over := ""
	if cut > 0 {
		over = "turns"
		if p.opt.Keep.Turns == 0 || len(turns) <= p.opt.Keep.Turns {
			over = "size"
		}
	}
	needed := map[int]bool{}
	for i, t := range slices.Backward(turns) { // newest first: a rewind is newer than what it undoes
		switch age := p.now.Sub(t.ended); {
		case kept[t.n] || needed[t.n]:
			t.why = ""
		case t.lost:
			t.why = "lost"
		case p.opt.All:
			t.why = "all"
		case age < Young:
			t.why = ""
		case t.gone:
			t.why = "worktree"
		case p.opt.Keep.Age > 0 && age > p.opt.Keep.Age:
			t.why = "age"
		case i < cut:
			t.why = over
		default:
			t.why = ""
		}
		if t.why == "" {
			count, size = count+1, size+t.bytes
			for _, n := range t.undoes {
				needed[n] = true
			}
		}
	}
	return count, size
}

// prunePart is how many turns go while the lock is held once.
const prunePart = 32

// part takes the first turns of the plan. done: there was nothing left to do.
func (p *pruner) part(ctx context.Context) (taken []Pruned, done bool, err error) {
	unlock, err := p.r.lockNumbers(ctx)
	if err != nil {
		return nil, true, err
	}
	defer unlock()
	p.r.opt.Step("prune")
	plan, l, err := p.plan()
	if err != nil {
		return nil, true, err
	}
	if err := ctx.Err(); err != nil {
		return nil, true, err
	}
	if len(plan) == 0 {
		p.sweep(l)
		return nil, true, nil
	}
	plan = plan[:min(len(plan), prunePart)]
	left := listing{}
	for n, at := range l {
		left[n] = at
	}
	highest := plan[len(plan)-1].Turn // which may be in no list
	if err := p.r.useUp(highest); err != nil {
		return nil, true, trouble(edit.CommitFailed, "the git directory cannot be written", err)
	}
	for _, t := range plan {
		delete(left, t.Turn)
	}
	if err := p.r.writeList(l, left); err != nil {
		return nil, true, err
	}
	for _, t := range plan {
		if err := p.take(t); err != nil {
			p.spared[t.Turn] = true
			p.errs = append(p.errs, trouble(edit.CommitFailed, fmt.Sprintf("turn %d cannot be pruned", t.Turn), err))
			if at, ok := l[t.Turn]; ok {
				p.errs = append(p.errs, p.r.addLine(t.Turn, at))
			}
			continue
		}
		taken = append(taken, t)
	}
	return taken, false, nil
}
