package gitops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

// A Verification is what Verify found.
type Verification struct {
	Turns    []int    // the turns that were checked, of all worktrees, ascending
	Clones   []string // the names of those of other clones
	Objects  int      // that were read and hashed
	Restored []int    // closed turns whose lost refs were put back
	Gaps     []int    // numbers between the first turn and the last that no turn has, as after a rollback or a prune
	Failures edit.Errors
	Notes    []edit.Note
}

// Verify reads and hashes every object that the turns need, of all worktrees and
// fetched of other clones, or those with the given names, and compares what refs, tags, meta.json and the
// list of closed turns say. The rest of a commit's tree on which a turn rests is
// only looked up: the turn can do without, and git fsck checks it.
//
// A turn that is listed, has no ref and is whole gets its ref back. What is
// damaged or lost is a failure, code Damaged, one for each object and turn. The
// error is for what kept Verify from its work.
func (r *Repo) Verify(ctx context.Context, names []string) (*Verification, error) {
	v := &verifier{
		r: r, found: &Verification{},
		walker: walker{ctx: ctx, db: r.db, partial: r.layout.Config.Extensions["partialclone"] != "", hashed: map[object.ID]error{}, trees: map[treeKey]outcome{}},
	}
	if err := r.Recover(ctx); err != nil {
		v.found.Failures = append(v.found.Failures, toError(err))
	}
	if err := v.survey(); err != nil {
		return nil, err
	}
	all := slices.Sorted(maps.Keys(v.known()))
	wanted := func(t *Turn) bool { return len(names) == 0 || slices.Contains(names, t.Name()) }
	for _, n := range all {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if wanted(&Turn{N: n}) {
			v.turn(n)
		}
	}
	if err := v.clones(wanted); err != nil {
		return nil, err
	}
	for _, name := range names {
		clone, n, ok := ParseName(name)
		t := &Turn{N: n, Clone: clone}
		if !ok || clone == "" && !slices.Contains(all, n) || clone != "" && !slices.Contains(v.found.Clones, name) {
			v.found.Failures = append(v.found.Failures, toError(t.missing()))
		}
	}
	if len(names) == 0 && len(all) > 0 {
		for n := all[0]; n < all[len(all)-1]; n++ {
			if _, ok := slices.BinarySearch(all, n); !ok {
				v.found.Gaps = append(v.found.Gaps, n)
			}
		}
	}
	v.found.Objects = len(v.walker.hashed)
	return v.found, ctx.Err()
}

// clones checks the turns that were fetched of other clones. Nothing lists them,
// so nothing of theirs can be put back.
func (v *verifier) clones(wanted func(*Turn) bool) error {
	refs, err := v.r.refs.List(clonesPrefix)
	if err != nil {
		return trouble(edit.Damaged, "the turns of other clones cannot be listed", err)
	}
	var turns []*Turn
	tags := map[string]object.ID{}
	for _, x := range refs {
		if clone, n, ok := parseClone(x.Name); ok {
			t := &Turn{N: n, Clone: clone}
			turns, tags[t.Name()] = append(turns, t), x.ID
		}
	}
	slices.SortFunc(turns, func(a, b *Turn) int { return cmp.Or(strings.Compare(a.Clone, b.Clone), a.N-b.N) })
	for _, t := range turns {
		if v.walker.ctx.Err() != nil {
			return v.walker.ctx.Err()
		}
		if wanted(t) {
			v.found.Clones = append(v.found.Clones, t.Name())
			v.objects(t, tags[t.Name()], false)
		}
	}
	return nil
}

func toError(err error) *edit.Error {
	var known *edit.Error
	if errors.As(err, &known) {
		return known
	}
	return &edit.Error{Code: edit.Internal, Err: err}
}

// A verifier is one run of Verify.
type verifier struct {
	r      *Repo
	found  *Verification
	walker walker

	closed, open map[int]object.ID // what the refs name
	listed       listing
}

// survey reads refs and list at one moment.
func (v *verifier) survey() (err error) {
	if v.closed, err = v.r.tags(turnsPrefix); err != nil {
		return err
	}
	if v.open, err = v.r.tags(openPrefix); err != nil {
		return err
	}
	v.listed, err = v.r.readList()
	return err
}

// known are the numbers that belong to a turn.
func (v *verifier) known() map[int]bool {
	all := map[int]bool{}
	for n := range v.closed {
		all[n] = true
	}
	for n := range v.open {
		all[n] = true
	}
	for n := range v.listed {
		all[n] = true
	}
	return all
}

// tags are the numbers below a prefix of refs, and the tags that they name.
func (r *Repo) tags(prefix string) (map[int]object.ID, error) {
	numbers, err := r.numbers(prefix)
	if err != nil {
		return nil, trouble(edit.Damaged, "the turns cannot be listed", err)
	}
	tags := map[int]object.ID{}
	for _, n := range numbers {
		id, err := r.refs.Read(fmt.Sprint(prefix, n))
		switch {
		case errors.Is(err, ref.ErrNotFound): // removed meanwhile
		case err != nil:
			return nil, trouble(edit.Damaged, fmt.Sprintf("the ref of turn %d cannot be read", n), err)
		default:
			tags[n] = id
		}
	}
	return tags, nil
}

// turn checks one turn and puts right what refs and list lack.
func (v *verifier) turn(n int) {
	t := &Turn{N: n}
	tag, closed := v.closed[n]
	line, listed := v.listed[n]
	switch {
	case closed:
		v.found.Turns = append(v.found.Turns, n)
		v.objects(t, tag, false)
		switch {
		case !listed:
			v.repair(n, func() error { return v.enlist(t) })
		case line.tag != tag:
			v.fail(t, "", "", fmt.Errorf("its ref names tag %s, the list of closed turns %s: somebody moved the ref", tag, line.tag))
		}
	case listed:
		v.lost(t, line)
	}
	if tag, open := v.open[n]; open && !closed {
		v.found.Turns = append(v.found.Turns, n)
		v.objects(t, tag, true)
	}
}

// lost puts back the ref of a listed turn if all its objects are there.
func (v *verifier) lost(t *Turn, line listed) {
	n := t.N
	v.found.Turns = append(v.found.Turns, n)
	if _, err := v.r.refs.Read(turnRef(n)); err != nil && !errors.Is(err, ref.ErrNotFound) {
		v.fail(t, "", "", fmt.Errorf("its ref cannot be read (%w); remove the file %s in the git directory and verify again", err, turnRef(n)))
		return
	}
	before := len(v.found.Failures)
	if !v.objects(t, line.tag, false) {
		lost := &edit.Error{Code: edit.Damaged, Msg: fmt.Sprintf("turn %d is lost: its ref is gone, and not all of its objects are left", n)}
		v.found.Failures = slices.Insert(v.found.Failures, before, lost)
		return
	}
	v.repair(n, func() error {
		// A prune may have taken it meanwhile; its line goes first.
		if now, err := v.r.readList(); err != nil || now[n].tag != line.tag {
			return err
		}
		if err := v.r.refs.Create(turnRef(n), t.tag); err != nil {
			return err
		}
		v.found.Restored = append(v.found.Restored, n)
		v.note("restored", fmt.Sprintf("turn %d had lost its ref (removed by hand, or by git fetch --prune with refs/*): put back", n))
		return nil
	})
}

// enlist adds the line that a closed turn lacks.
func (v *verifier) enlist(t *Turn) error {
	// A prune may have taken it meanwhile, ref and line together.
	if id, err := v.r.refs.Read(turnRef(t.N)); err != nil || id != t.tag {
		return nil
	}
	if err := v.r.addLine(t.N, listed{tag: t.tag, bytes: t.StoredBytes}); err != nil {
		return err
	}
	v.note("listed", fmt.Sprintf("turn %d was missing in the list of closed turns: added", t.N))
	return nil
}

// repair does something under the number lock.
func (v *verifier) repair(n int, do func() error) {
	v.r.opt.Step("put back")
	unlock, err := v.r.lockNumbers(v.walker.ctx)
	if err == nil {
		err = do()
		unlock()
	}
	if err != nil {
		v.found.Failures = append(v.found.Failures, toError(trouble(edit.CommitFailed, fmt.Sprintf("turn %d: its ref or line cannot be put back", n), err)))
	}
}

func (v *verifier) note(code edit.Code, msg string) {
	v.found.Notes = append(v.found.Notes, edit.Note{Code: code, Msg: msg})
}

// fail reports damage: in which part of the turn ("before", "meta.json"), and of
// which file.
func (v *verifier) fail(t *Turn, part, path string, err error) {
	msg := "turn " + t.Name()
	if part != "" {
		msg += ", " + part
	}
	v.found.Failures = append(v.found.Failures, &edit.Error{Code: edit.Damaged, Path: path, Msg: msg, Err: err})
}

// objects checks all that is behind a turn's tag, and reports whether it is
// whole.
func (v *verifier) objects(t *Turn, tag object.ID, open bool) bool {
	before := len(v.found.Failures)
	err := v.r.loadInto(t, tag)
	v.walker.hashed[tag] = err
	unread := new(object.Error)
	switch {
	case t.meta != nil && t.newer() != nil:
		v.note("newer", t.newer().Error()+": its objects are checked, what they mean is not, and it cannot be taken back here")
	case errors.As(err, &unread) && !t.tree.IsZero(): // told with the tree
	case err != nil:
		v.fail(t, "", "", err)
	default:
		v.meaning(t, open)
	}
	if !t.tree.IsZero() {
		v.root(t, open)
	}
	return len(v.found.Failures) == before
}

// meaning checks meta.json and the tag's trailers.
func (v *verifier) meaning(t *Turn, open bool) {
	for _, wrong := range t.meta.wrong(t.N) {
		v.fail(t, "meta.json", "", errors.New(wrong))
	}
	if t.Status == StatusOpen && !open {
		v.fail(t, "meta.json", "", errors.New("a closed turn whose status is open"))
	}
	if keys := t.disagreements(); len(keys) > 0 {
		v.note("disagree", fmt.Sprintf("turn %s: its tag and its meta.json disagree about %s; meta.json counts", t.Name(), strings.Join(keys, ", ")))
	}
}

// root checks what a turn's tree holds.
func (v *verifier) root(t *Turn, open bool) {
	entries, err := object.ReadTree(v.r.db, t.tree)
	if err == nil {
		err = object.CheckOrder(entries)
	}
	v.walker.hashed[t.tree] = err
	if err != nil {
		v.fail(t, "", "", err)
		return
	}
	sides := map[string]bool{}
	for _, e := range entries {
		side := e.Name == "before" || e.Name == "after"
		if side && e.Mode.IsDir() {
			sides[e.Name] = true
		}
		how, paths := whole, pathSet(nil)
		if side && t.meta != nil && t.meta.Scope == ScopePaths {
			how, paths = touched, newPathSet(t.Paths)
		}
		switch {
		case e.Mode.IsDir():
			v.tell(t, e.Name, v.walker.tree(e.ID, how, paths))
		case e.Mode != object.Gitlink:
			if err := v.walker.blob(e.ID); err != nil {
				v.fail(t, edit.Quote(e.Name), "", err)
			}
		}
	}
	if !sides["before"] {
		v.fail(t, "", "", errors.New("it has no before/"))
	}
	if !sides["after"] && (t.meta == nil || t.Status != StatusOpen) {
		v.fail(t, "", "", errors.New("it has no after/"))
	}
}

// tell reports what was found in a part of a turn.
func (v *verifier) tell(t *Turn, part string, found outcome) {
	part = edit.Quote(part)
	for _, f := range found.own.named {
		v.fail(t, part, f.path, f.err)
	}
	if more := found.own.more; more > 0 {
		v.fail(t, part, "", fmt.Errorf("and %d more objects", more))
	}
	if all := found.others.count(); all > 0 {
		first := found.others.named[0]
		v.note("incomplete", fmt.Sprintf("turn %s, %s: of the commit under it %d of the objects cannot be used, the first at %s (%v); the turn does not need them, git fsck tells more", t.Name(), part, all, edit.Quote(first.path), first.err))
	}
}
