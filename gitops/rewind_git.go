package gitops

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// A gitPlan takes back what turns did to git's own state, the newest first: each
// is inverted on what the ones before it leave. What is no longer as a turn left
// it is a conflict and stays.
type gitPlan struct {
	r *Repo

	now, refs       map[string]string // refs as they are, and as they will be
	stashNow, stash []stashed
	headNow, head   metaHead
	indexNow, index map[string]indexPath // of the paths that change
	moves           []metaMove
	came            map[string]bool // files that go with HEAD
	took, refused   bool

	// stay are the refs, and the paths of the index, that a newer turn had in
	// conflict: what older ones did to them stays as well.
	stay, stayIndex map[string]bool

	failures []*edit.Error
	notes    []edit.Note
}

func (r *Repo) newGitPlan() (*gitPlan, error) {
	g := &gitPlan{r: r, came: map[string]bool{}, stay: map[string]bool{}, stayIndex: map[string]bool{}, indexNow: map[string]indexPath{}, index: map[string]indexPath{}}
	var err error
	if g.now, err = r.userRefs(); err != nil {
		return nil, err
	}
	g.refs = maps.Clone(g.now)
	if g.stashNow, err = r.stashes(); err != nil {
		return nil, err
	}
	g.stash = g.stashNow
	g.headNow, err = r.head()
	g.head = g.headNow
	return g, err
}

// empty reports whether there is nothing to do. A nil plan is empty.
func (g *gitPlan) empty() bool {
	return g == nil || g.head.at() == g.headNow.at() && len(g.index) == 0 && maps.Equal(g.now, g.refs) && sameStashes(g.stashNow, g.stash)
}

// at is where HEAD is, apart from where its branch is.
func (h metaHead) at() string {
	if h.Ref != "" {
		return h.Ref
	}
	return h.OID
}

func (g *gitPlan) conflict(why, format string, args ...any) {
	g.failures = append(g.failures, &edit.Error{Code: edit.Conflict, Why: why, Msg: fmt.Sprintf(format, args...)})
}

// take inverts one turn. Files reports whether what came with its moves of HEAD
// goes, too: HEAD and its branch are as the turn left them, and go back.
func (g *gitPlan) take(t *Turn) (files bool, err error) {
	m := &t.meta.Git
	if g.refused {
		return false, nil
	}
	if op := g.r.layout.Operation(); op != "" && op != m.Operation.After && !g.took {
		g.refused = true
		g.conflict("operation", "a %s is under way that was not when turn %d ended: HEAD, branches, index and the files that came with them stay; finish or abort it and try again", op, t.N)
		return false, nil
	}
	g.took = true
	g.operation(t)
	asLeft := g.asLeft(t)
	elsewhere, err := g.r.checkedOut()
	if err != nil {
		return false, err
	}
	for _, x := range m.Refs {
		now := g.refs[x.Name]
		if now == x.Before && !g.stay[x.Name] {
			continue
		}
		if g.mayMove(t, x, now, elsewhere) {
			g.set(x.Name, x.Before)
			continue
		}
		g.stay[x.Name] = true
		asLeft = asLeft && x.Name != t.meta.Head.After.Ref
	}
	g.takeStash(t)
	files = g.takeHead(t, asLeft)
	g.keepBranchOfHead(t)
	if err := g.takeIndex(t, files); err != nil {
		return false, damaged(t.N, err)
	}
	if files {
		for _, x := range slices.Backward(m.Moves) {
			g.moves = append(g.moves, metaMove{x.Kind, x.To, x.From})
		}
	}
	return files, nil
}

func (g *gitPlan) set(ref, id string) {
	if g.refs[ref] = id; id == "" {
		delete(g.refs, ref)
	}
}

// mayMove reports whether a ref that a turn moved goes back, and says so if not.
func (g *gitPlan) mayMove(t *Turn, x metaRef, now string, elsewhere map[string]string) bool {
	h := &t.meta.Head
	switch {
	case g.stay[x.Name]: // said of a newer turn
	case now != x.After:
		g.conflict("moved since", "%s moved since turn %d and stays: it was %s then and is %s now", shortRef(x.Name), t.N, nameID(x.After), nameID(now))
	case elsewhere[x.Name] != "":
		g.conflict("checked out", "%s is checked out in the worktree %s and stays", shortRef(x.Name), edit.Quote(elsewhere[x.Name]))
	case g.head.Ref == x.Name && g.head.at() != h.After.at() && g.head.at() != h.Before.at():
		g.conflict("checked out", "%s was checked out since turn %d and stays: %s is what is in the worktree", shortRef(x.Name), t.N, nameID(now))
	default:
		return true
	}
	return false
}

// keepBranchOfHead keeps a branch that the turn made, and that HEAD stays at.
func (g *gitPlan) keepBranchOfHead(t *Turn) {
	for _, x := range t.meta.Git.Refs {
		if x.Before == "" && x.Name == g.head.Ref && x.Name != t.meta.Head.Before.Ref && g.refs[x.Name] == "" {
			g.set(x.Name, x.After)
			g.stay[x.Name] = true
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
func (g *gitPlan) operation(t *Turn) {
	op := t.meta.Git.Operation
	switch {
	case op.Before != "" && op.After != op.Before:
		g.note("a %s was under way when turn %d began; it does not come back", op.Before, t.N)
	case op.After != "" && op.Before != op.After && g.r.layout.Operation() == op.After:
		g.note("the %s that began in turn %d is still under way: finish or abort it with git", op.After, t.N)
	}
}

func (g *gitPlan) note(format string, args ...any) {
	g.notes = append(g.notes, edit.Note{Code: GitLeft, Msg: fmt.Sprintf(format, args...)})
}

// asLeft reports whether HEAD and its branch are as the turn left them, or, after a
// rewind that died, back already.
func (g *gitPlan) asLeft(t *Turn) bool {
	h := t.meta.Head.After
	if g.isAt(h) || g.isAt(t.meta.Head.Before) {
		return true
	}
	return g.head.at() == h.at() && slices.ContainsFunc(t.meta.Git.Refs, func(x metaRef) bool {
		return x.Name == h.Ref && x.Before == g.refs[h.Ref]
	})
}

// isAt reports whether HEAD, and the branch that it names, are there.
func (g *gitPlan) isAt(h metaHead) bool {
	return g.head.at() == h.at() && (h.Ref == "" || g.refs[h.Ref] == h.OID)
}

// takeHead brings HEAD back to where it was, once the refs are, and reports
// whether it is there. asLeft: it was as the turn left it.
func (g *gitPlan) takeHead(t *Turn, asLeft bool) bool {
	before, after := t.meta.Head.Before, t.meta.Head.After
	stays := true
	switch {
	case g.stay["HEAD"]:
		return false
	case before.at() == after.at() || g.head.at() == before.at():
		stays = false
	case g.head.at() != after.at():
		g.conflict("moved since", "HEAD moved since turn %d and stays: it was at %s then and is at %s now", t.N, shortRef(after.at()), shortRef(g.head.at()))
	case !asLeft:
		g.conflict("moved since", "HEAD stays at %s, which is no longer as turn %d left it", shortRef(after.at()), t.N)
	case before.Ref != "" && g.refs[before.Ref] != before.OID:
		g.conflict("moved since", "HEAD stays at %s: %s was at %s when turn %d began and is %s now", shortRef(after.at()), shortRef(before.Ref), nameID(before.OID), t.N, nameID(g.refs[before.Ref]))
	default:
		g.head, stays = before, false
	}
	g.stay["HEAD"] = stays
	return g.isAt(before)
}

// checkedOut tells the worktrees in which branches are checked out, but for this
// one.
func (r *Repo) checkedOut() (map[string]string, error) {
	out := map[string]string{}
	heads, err := filepath.Glob(filepath.Join(r.layout.CommonDir, "worktrees", "*", "HEAD"))
	if err != nil {
		return nil, err
	}
	for _, file := range append(heads, filepath.Join(r.layout.CommonDir, "HEAD")) {
		dir := filepath.Dir(file)
		data, err := os.ReadFile(file)
		branch, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: ")
		if err != nil || !ok || dir == r.layout.GitDir {
			continue
		}
		if name := filepath.Base(dir); dir == r.layout.CommonDir {
			out[branch] = "main"
		} else {
			out[branch] = name
		}
	}
	return out, nil
}

// describe notes what goes, and what stays.
func (g *gitPlan) describe() []edit.Note {
	list := g.notes
	goes := func(format string, args ...any) {
		list = append(list, edit.Note{Code: GitRestored, Msg: fmt.Sprintf(format, args...)})
	}
	for _, name := range slices.Sorted(maps.Keys(g.moved())) {
		switch was, will := g.now[name], g.refs[name]; {
		case will == "":
			goes("%s goes, it was at %s", shortRef(name), shortID(was))
		case was == "":
			goes("%s comes back at %s", shortRef(name), shortID(will))
		default:
			goes("%s goes from %s to %s", shortRef(name), shortID(was), shortID(will))
		}
	}
	for _, s := range without(g.stashNow, g.stash) {
		goes("stash %s goes%s", shortID(s.ID), s.told())
	}
	for _, s := range without(g.stash, g.stashNow) {
		goes("stash %s comes back%s", shortID(s.ID), s.told())
	}
	if g.head.at() != g.headNow.at() {
		to := g.head
		if to.Ref != "" {
			to.OID = g.refs[to.Ref]
		}
		goes("HEAD goes from %s to %s", g.headNow.short(), to.short())
	}
	switch n := len(g.index); n {
	case 0:
	case 1:
		goes("1 path of the index goes back")
	default:
		goes("%d paths of the index go back", n)
	}
	var announced []string
	for _, c := range g.indexChanges() {
		if slices.ContainsFunc(c.after, func(e repo.IndexEntry) bool { return e.IntentToAdd }) {
			announced = append(announced, c.path)
		}
	}
	if len(announced) > 0 {
		list = append(list, edit.Note{Code: GitLeft, Msg: fmt.Sprintf("announced in the index (git add -N), which cannot be set again here: %s; git add -N does it", someNames(announced))})
	}
	return list
}

// moved are the refs that will be others.
func (g *gitPlan) moved() map[string]bool {
	moved := map[string]bool{}
	for _, refs := range []map[string]string{g.now, g.refs} {
		for name := range refs {
			if g.now[name] != g.refs[name] {
				moved[name] = true
			}
		}
	}
	return moved
}

// leftCame is why a path stays that came with a move of HEAD. Such paths are
// counted, not listed: nobody reads the names of what a pull brought.
const leftCame = "it came with a move of HEAD"

// noteGit says what of a turn stays because it is git's: the files that came with
// moves of HEAD, and what a sparse checkout hides.
func (p *rewinder) noteGit(came int) {
	t := p.d.turn
	if m := t.HeadMove(); came > 0 && m != nil {
		p.notes = append(p.notes, edit.Note{Code: HeadMoved, Msg: m.stay(came, p.opt.Git)})
	}
	p.notes = append(p.notes, t.sparseNote()...)
}

// sparseNote says how much of the turn a sparse checkout hides; nil: nothing.
func (t *Turn) sparseNote() []edit.Note {
	what := "files are"
	switch n := t.hidden(); n {
	case 0:
		return nil
	case 1:
		what = "file is"
		fallthrough
	default:
		return []edit.Note{{Code: Sparse, Msg: fmt.Sprintf("%d %s outside the sparse checkout at one end of the turn and left alone", n, what)}}
	}
}

// hidden counts the paths that a sparse checkout hides at one end of the turn.
func (t *Turn) hidden() (n int) {
	start, end := t.meta.Skipped.start(), t.meta.Skipped.finish()
	for p, s := range end {
		if s.Why == whySparse || start[p].Why == whySparse {
			n++
		}
	}
	for p, s := range start {
		if _, too := end[p]; !too && s.Why == whySparse {
			n++
		}
	}
	return n
}
