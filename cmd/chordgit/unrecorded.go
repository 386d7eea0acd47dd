package main

import (
	"context"
	"os"
	"path"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/snapshot"
)

// A workplace is where a request is carried out: a worktree with its record
// ([gitops.Repo]), or a directory that keeps none.
type workplace interface {
	Top() string
	Tree() edit.Tree
	PlanOptions() edit.Options
	Content(*edit.File) []byte
	Apply(context.Context, gitops.Turn, func(edit.Tree) (*edit.Plan, error)) (*gitops.Turn, error)
	Close() error
}

// unrecorded is a directory in no worktree: changes are written as safely as
// elsewhere, but nothing of the old content is kept, so none can be taken back.
type unrecorded struct {
	top  string
	tree *snapshot.Worktree
	step func(string)
}

// openUnrecorded opens a directory, named by its real path.
func openUnrecorded(dir string, opt gitops.Options) (*unrecorded, error) {
	tree, err := snapshot.Open(dir, snapshot.Options{Step: opt.Step, NoExchange: opt.NoExchange, NoSync: opt.NoSync})
	if err != nil {
		return nil, err
	}
	u := &unrecorded{top: dir, tree: tree, step: opt.Step}
	if u.step == nil {
		u.step = func(string) {}
	}
	return u, nil
}

func (u *unrecorded) Top() string     { return u.top }
func (u *unrecorded) Tree() edit.Tree { return unindexed{u.tree} }
func (u *unrecorded) Close() error    { return u.tree.Close() }

func (u *unrecorded) PlanOptions() edit.Options {
	return edit.Options{Umask: u.tree.Umask(), Roots: []string{filepath.ToSlash(u.top)}}
}

func (u *unrecorded) Content(f *edit.File) []byte {
	if f == nil {
		return nil
	}
	return f.Data
}

// Apply is [gitops.Repo].Apply without the record: there is never a turn.
func (u *unrecorded) Apply(ctx context.Context, _ gitops.Turn, making func(edit.Tree) (*edit.Plan, error)) (*gitops.Turn, error) {
	u.step("plan")
	plan, err := making(u.Tree())
	if err != nil || plan.Empty() {
		return nil, err
	}
	if err := u.load(plan); err != nil {
		return nil, err
	}
	u.step("check")
	if err := u.tree.Check(plan); err != nil {
		return nil, err
	}
	// The process's number tells the temporaries of runs at the same time apart.
	res, err := u.tree.Apply(ctx, os.Getpid(), plan, nil)
	plan.Notes = append(plan.Notes, res.Notes...)
	return nil, err
}

// load reads the bytes that the plan goes without: there is no store to get
// them from when they are compared, or put back.
func (u *unrecorded) load(plan *edit.Plan) error {
	before := map[string]*edit.File{}
	for _, c := range plan.Changes {
		if before[c.Path] = c.Before; c.Before.Regular() && c.Before.Data == nil {
			if err := u.tree.Load(c.Path, c.Before); err != nil {
				return err
			}
		}
	}
	for _, c := range plan.Changes {
		if c.After.Regular() && c.After.Data == nil && before[c.From] != nil {
			c.After.Data = before[c.From].Data
		}
	}
	return nil
}

// unindexed is a directory as a planner sees it.
type unindexed struct{ *snapshot.Worktree }

func (u unindexed) Entries(paths []string) ([]*edit.Entry, error) {
	return make([]*edit.Entry, len(paths)), nil
}

// Meanwhile: no turn is open where none is recorded.
func (u unindexed) Meanwhile(string, *edit.File) (*edit.Meanwhile, error) { return nil, nil }

func (u unindexed) Names(dir string, limit int) []string {
	names, _ := u.List(dir)
	names = names[:min(len(names), limit)]
	for i, n := range names {
		names[i] = path.Join(dir, n)
	}
	return names
}
