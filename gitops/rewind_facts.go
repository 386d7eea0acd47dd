package gitops

import (
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// gitFacts are what a rewind that takes git's state back records of that.
type gitFacts struct {
	*gitstate.Facts
	plan   *gitstate.Plan
	owners map[string]string
	again  string // the command that does what is missing after a crash
}

// gitFacts makes the record of the rewind's plan for git.
func (res *Rewound) gitFacts(again string) *gitFacts {
	f := &gitFacts{Facts: res.git.Facts(), plan: res.git, owners: map[string]string{}, again: again}
	for _, c := range res.Plan.Changes {
		if res.came[c.Path] {
			f.owners[pathcode.Encode(c.Path)] = OwnerGit
		}
	}
	f.Record.Carried = len(f.owners)
	return f
}

// into puts the facts into a turn's draft.
func (f *gitFacts) into(t *Turn, d *draft) error {
	trees, err := f.plan.Trees(d.batch)
	if err != nil {
		return err
	}
	if t.git, err = trees.Write(d.batch); err != nil {
		return err
	}
	d.meta.Git, d.meta.Head.After = f.Record, f.After
	if len(f.owners) > 0 {
		d.meta.Owners = metaOwners{Default: OwnerSelf, Paths: f.owners}
	}
	return nil
}

// carryOut takes git's own state back, after the files.
func (f *gitFacts) carryOut(r *Repo, t *Turn) error {
	if err := f.plan.CarryOut("chordgit: rewind of turn " + numbersOf(t.Undoes)); err != nil {
		return err
	}
	if err := r.releaseNeedless(t); err != nil {
		return err
	}
	return r.unpend()
}
