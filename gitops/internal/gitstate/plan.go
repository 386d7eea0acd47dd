package gitstate

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// The codes of a plan's notes: what of git's state goes back, and what stays.
const (
	Restored edit.Code = "git"
	Left     edit.Code = "git-left"
)

// A Turn is what a turn, whose number is N, recorded of git's state.
type Turn struct {
	N      int
	Head   Heads
	Record Record
	Tree   object.ID // the turn's own, in which Trees are git/
}

func (t *Turn) damaged(err error) error {
	return &edit.Error{Code: edit.Damaged, Msg: fmt.Sprintf("turn %d is damaged", t.N), Err: err}
}

// A Plan takes back what turns did to git's own state, the newest first: each
// is inverted on what the ones before it leave. What is no longer as a turn left
// it is a conflict and stays.
type Plan struct {
	// Failures are the conflicts, in the order of the turns. Each has a Why.
	Failures []*edit.Error

	st *State

	now, refs       map[string]string // refs as they are, and as they will be
	stashNow, stash []Stash
	headNow, head   Head
	indexNow, index map[string]indexPath // of the paths that change
	moves           []Move
	took, refused   bool

	// stay are the refs, and the paths of the index, that a newer turn had in
	// conflict: what older ones did to them stays as well.
	stay, stayIndex map[string]bool

	notes []edit.Note
}

// Plan begins a plan on what git's state is now. Errors: Damaged if HEAD or the refs,
// Unreadable if the stashes cannot be read.
func (st *State) Plan() (*Plan, error) {
	p := &Plan{st: st, stay: map[string]bool{}, stayIndex: map[string]bool{}, indexNow: map[string]indexPath{}, index: map[string]indexPath{}}
	var err error
	if p.now, err = st.UserRefs(); err != nil {
		return nil, err
	}
	p.refs = maps.Clone(p.now)
	if p.stashNow, err = st.stashes(); err != nil {
		return nil, err
	}
	p.stash = p.stashNow
	p.headNow, err = st.Head()
	p.head = p.headNow
	return p, err
}

// Empty reports whether there is nothing to do. A nil plan is empty.
func (p *Plan) Empty() bool {
	return p == nil || p.head.at() == p.headNow.at() && len(p.index) == 0 && maps.Equal(p.now, p.refs) && sameStashes(p.stashNow, p.stash)
}

func (p *Plan) conflict(why, format string, args ...any) {
	p.Failures = append(p.Failures, &edit.Error{Code: edit.Conflict, Why: why, Msg: fmt.Sprintf(format, args...)})
}

// Take inverts one turn. Files reports whether what came with its moves of HEAD
// goes, too: HEAD and its branch are as the turn left them, and go back. Errors:
// Damaged if an object of the turn is lost, Unreadable if the index cannot be read.
func (p *Plan) Take(t *Turn) (files bool, err error) {
	m := &t.Record
	if p.refused {
		return false, nil
	}
	moved := len(m.Refs) > 0 || m.Stash != nil || m.Index == IndexChanged || t.Head.Before != t.Head.After
	if op := p.st.Layout.Operation(); op != "" && op != m.Operation.After && moved && !p.took {
		p.refused = true
		p.conflict("operation", "a %s is under way that was not when turn %d ended: HEAD, branches, index and the files that came with them stay; finish or abort it and try again", op, t.N)
		return false, nil
	}
	p.took = true
	p.operation(t)
	asLeft := p.asLeft(t)
	elsewhere, err := p.st.checkedOut()
	if err != nil {
		return false, err
	}
	for _, x := range m.Refs {
		now := p.refs[x.Name]
		if now == x.Before && !p.stay[x.Name] {
			continue
		}
		if p.mayMove(t, x, now, elsewhere) {
			p.set(x.Name, x.Before)
			continue
		}
		p.stay[x.Name] = true
		asLeft = asLeft && x.Name != t.Head.After.Ref
	}
	p.takeStash(t)
	files = p.takeHead(t, asLeft)
	p.keepBranchOfHead(t)
	if err := p.takeIndex(t, files); err != nil {
		return false, err
	}
	if files {
		for _, x := range slices.Backward(m.Moves) {
			p.moves = append(p.moves, Move{x.Kind, x.To, x.From})
		}
	}
	return files, nil
}

func (p *Plan) set(ref, id string) {
	if p.refs[ref] = id; id == "" {
		delete(p.refs, ref)
	}
}

// mayMove reports whether a ref that a turn moved goes back, and says so if not.
func (p *Plan) mayMove(t *Turn, x Ref, now string, elsewhere map[string]string) bool {
	h := &t.Head
	switch {
	case p.stay[x.Name]: // said of a newer turn
	case now != x.After:
		p.conflict("moved since", "%s moved since turn %d and stays: it was %s then and is %s now", shortRef(x.Name), t.N, nameID(x.After), nameID(now))
	case elsewhere[x.Name] != "":
		p.conflict("checked out", "%s is checked out in the worktree %s and stays", shortRef(x.Name), edit.Quote(elsewhere[x.Name]))
	case p.head.Ref == x.Name && p.head.at() != h.After.at() && p.head.at() != h.Before.at():
		p.conflict("checked out", "%s was checked out since turn %d and stays: %s is what is in the worktree", shortRef(x.Name), t.N, nameID(now))
	default:
		return true
	}
	return false
}

// keepBranchOfHead keeps a branch that the turn made, and that HEAD stays at.
func (p *Plan) keepBranchOfHead(t *Turn) {
	for _, x := range t.Record.Refs {
		if x.Before == "" && x.Name == p.head.Ref && x.Name != t.Head.Before.Ref && p.refs[x.Name] == "" {
			p.set(x.Name, x.After)
			p.stay[x.Name] = true
		}
	}
}

func nameID(id string) string {
	if id == "" {
		return "not there"
	}
	return shortID(id)
}

// operation says what of a merge and the like does not come back.
func (p *Plan) operation(t *Turn) {
	op := t.Record.Operation
	switch {
	case op.Before != "" && op.After != op.Before:
		p.note("a %s was under way when turn %d began; it does not come back", op.Before, t.N)
	case op.After != "" && op.Before != op.After && p.st.Layout.Operation() == op.After:
		p.note("the %s that began in turn %d is still under way: finish or abort it with git", op.After, t.N)
	}
}

func (p *Plan) note(format string, args ...any) {
	p.notes = append(p.notes, edit.Note{Code: Left, Msg: fmt.Sprintf(format, args...)})
}

// asLeft reports whether HEAD and its branch are as the turn left them, or, after a
// rewind that died, back already.
func (p *Plan) asLeft(t *Turn) bool {
	h := t.Head.After
	if p.isAt(h) || p.isAt(t.Head.Before) {
		return true
	}
	return p.head.at() == h.at() && slices.ContainsFunc(t.Record.Refs, func(x Ref) bool {
		return x.Name == h.Ref && x.Before == p.refs[h.Ref]
	})
}

// isAt reports whether HEAD, and the branch that it names, are there.
func (p *Plan) isAt(h Head) bool {
	return p.head.at() == h.at() && (h.Ref == "" || p.refs[h.Ref] == h.OID)
}

// takeHead brings HEAD back to where it was, once the refs are, and reports
// whether it is there. asLeft: it was as the turn left it.
func (p *Plan) takeHead(t *Turn, asLeft bool) bool {
	before, after := t.Head.Before, t.Head.After
	stays := true
	switch {
	case p.stay["HEAD"]:
		return false
	case before.at() == after.at() || p.head.at() == before.at():
		stays = false
	case p.head.at() != after.at():
		p.conflict("moved since", "HEAD moved since turn %d and stays: it was at %s then and is at %s now", t.N, shortRef(after.at()), shortRef(p.head.at()))
	case !asLeft:
		p.conflict("moved since", "HEAD stays at %s, which is no longer as turn %d left it", shortRef(after.at()), t.N)
	case before.Ref != "" && p.refs[before.Ref] != before.OID:
		p.conflict("moved since", "HEAD stays at %s: %s was at %s when turn %d began and is %s now", shortRef(after.at()), shortRef(before.Ref), nameID(before.OID), t.N, nameID(p.refs[before.Ref]))
	default:
		p.head, stays = before, false
	}
	p.stay["HEAD"] = stays
	return p.isAt(before)
}

// checkedOut tells the worktrees in which branches are checked out, but for this
// one.
func (st *State) checkedOut() (map[string]string, error) {
	out := map[string]string{}
	heads, err := fs.Glob(os.DirFS(st.Layout.CommonDir), "worktrees/*/HEAD")
	if err != nil {
		return nil, err
	}
	for _, head := range append(heads, "HEAD") {
		dir := filepath.Join(st.Layout.CommonDir, filepath.Dir(head))
		data, err := os.ReadFile(filepath.Join(dir, "HEAD"))
		branch, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: ")
		if err != nil || !ok || dir == st.Layout.GitDir {
			continue
		}
		if name := filepath.Base(dir); dir == st.Layout.CommonDir {
			out[branch] = "main"
		} else {
			out[branch] = name
		}
	}
	return out, nil
}

// Notes tell what goes back, with code Restored, and what stays, with code Left.
func (p *Plan) Notes() []edit.Note {
	list := p.notes
	goes := func(format string, args ...any) {
		list = append(list, edit.Note{Code: Restored, Msg: fmt.Sprintf(format, args...)})
	}
	for _, name := range slices.Sorted(maps.Keys(p.moved())) {
		switch was, will := p.now[name], p.refs[name]; {
		case will == "":
			goes("%s goes, it was at %s", shortRef(name), shortID(was))
		case was == "":
			goes("%s comes back at %s", shortRef(name), shortID(will))
		default:
			goes("%s goes from %s to %s", shortRef(name), shortID(was), shortID(will))
		}
	}
	for _, s := range without(p.stashNow, p.stash) {
		goes("stash %s goes%s", shortID(s.ID), s.Told())
	}
	for _, s := range without(p.stash, p.stashNow) {
		goes("stash %s comes back%s", shortID(s.ID), s.Told())
	}
	if p.head.at() != p.headNow.at() {
		to := p.head
		if to.Ref != "" {
			to.OID = p.refs[to.Ref]
		}
		goes("HEAD goes from %s to %s", p.headNow.Short(), to.Short())
	}
	switch n := len(p.index); n {
	case 0:
	case 1:
		goes("1 path of the index goes back")
	default:
		goes("%d paths of the index go back", n)
	}
	var announced []string
	for _, c := range p.indexChanges() {
		if slices.ContainsFunc(c.after, func(e repo.IndexEntry) bool { return e.IntentToAdd }) {
			announced = append(announced, c.path)
		}
	}
	if len(announced) > 0 {
		list = append(list, edit.Note{Code: Left, Msg: fmt.Sprintf("announced in the index (git add -N), which cannot be set again here: %s; git add -N does it", someNames(announced))})
	}
	return list
}

// moved are the refs that will be others.
func (p *Plan) moved() map[string]bool {
	moved := map[string]bool{}
	for _, refs := range []map[string]string{p.now, p.refs} {
		for name := range refs {
			if p.now[name] != p.refs[name] {
				moved[name] = true
			}
		}
	}
	return moved
}
