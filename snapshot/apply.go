package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/chordgit/chordgit/edit"
)

// A Result tells what a transaction did beside what was planned.
type Result struct {
	Notes []edit.Note
	// Kept are the paths under which bytes of unknown origin, or bytes that a
	// program can still write to, were kept.
	Kept []string
	// Unfinished is why finish failed. The change stands; its temporaries are
	// left for Recover.
	Unfinished error
}

func (r *Result) note(code edit.Code, p, format string, args ...any) {
	r.Notes = append(r.Notes, edit.Note{Code: code, Path: p, Msg: fmt.Sprintf(format, args...)})
}

// An item is a change on its way to the disk.
type item struct {
	k             int // position in the plan
	c             *edit.Change
	before, after *edit.File // before is nil, too, where a directory gives way
	up, name      string     // the target: its directory and its name in it
	home, tmp     string     // the temporary: its directory and its name in it
	spare         string     // a second temporary, used where names cannot be exchanged
	early         bool       // goes before directories are made and removed
	staged        bool       // the temporary holds the new content
	moved         bool       // the target was exchanged, created or renamed away
	fresh         edit.Stat  // the new content as staged
	old           edit.Stat  // the old content as compared
	is            state      // Recover: what was found at the target
	tmpIs         state      // Recover: what was found at the temporary
}

// A tx is one plan on its way, or on its way back.
type tx struct {
	w       *Worktree
	n       int
	plan    *edit.Plan
	layout  layout
	ds      *dirs
	items   []*item        // as in the plan
	order   []*item        // in the order of their exchange
	staging []staged       // files written and not yet synced
	made    []string       // directories made, parents first
	gone    []goneDir      // directories removed, children first
	left    []string       // paths where somebody else's content stands now
	noted   bool           // that names cannot be exchanged
	modes   []edit.DirMode // of directories that have got their permissions
	stuck   edit.Errors    // what a rollback could not do
	res     *Result
}

type goneDir struct {
	path string
	info fs.FileInfo // nil if unknown
}

// Apply carries the plan out: all of it, or none. Every File of the plan has
// its ID and its bytes are durable in the store. n is the turn's number, which
// makes the names of temporaries. Before finish is called everything is in
// place and durable; finish closes the turn; then the old content goes.
//
// On an error nothing of the plan is left, and what others wrote meanwhile is
// in its place: Stale if something was not as planned, CommitFailed if the
// system refused. With RollbackFailed among the errors (one a path) some paths
// are as the error says, all old bytes are kept, and Recover can go on. Once
// everything is in place there is no error; see [Result].Unfinished. The
// result is never nil. ctx counts until the first file changes.
func (w *Worktree) Apply(ctx context.Context, n int, plan *edit.Plan, finish func() error) (*Result, error) {
	t, err := w.begin(n, plan)
	defer t.close()
	if err != nil {
		return t.res, err
	}
	if err := t.carryOut(ctx); err != nil {
		return t.res, t.rollback(err)
	}
	t.step("finish")
	if finish != nil {
		if err := finish(); err != nil {
			t.res.Unfinished = err
			t.res.note("unfinished", "", "the change stands; the next command closes the turn: %v", err)
			return t.res, nil
		}
	}
	t.unlinkOld()
	for _, e := range t.stuck {
		t.res.note("temporary-left", e.Path, "%s: %v", e.Msg, e.Err)
	}
	t.step("done")
	return t.res, nil
}

func (w *Worktree) begin(n int, plan *edit.Plan) (*tx, error) {
	t := &tx{w: w, n: n, plan: plan, layout: layoutOf(plan), ds: w.dirs(), res: &Result{}}
	var bad edit.Errors
	for k := range plan.Changes {
		c := &plan.Changes[k]
		it := &item{
			k: k, c: c, before: c.Before, after: c.After,
			up: path.Dir(c.Path), name: path.Base(c.Path), home: t.layout.home(c.Path),
			tmp:   fmt.Sprintf(".chordgit-%d-%d.tmp", n, k),
			spare: fmt.Sprintf(".chordgit-%d-%d.tmp", n, k+len(plan.Changes)),
		}
		if it.before.IsDir() && t.layout.rmdir[c.Path] {
			it.before = nil
		}
		if why := it.unfit(); why != "" {
			bad = append(bad, &edit.Error{Code: edit.Internal, Path: c.Path, Msg: why})
		}
		t.items = append(t.items, it)
	}
	if bad != nil {
		return t, bad
	}
	t.arrange()
	return t, nil
}

// unfit says why a change is none that a transaction can carry out.
func (it *item) unfit() string {
	for component := range strings.SplitSeq(it.c.Path, "/") {
		if component == "" || component == "." || component == ".." {
			return "not a clean relative path"
		}
		if edit.IsGitDir(component) {
			return "the path belongs to git"
		}
	}
	switch {
	case it.before == nil && it.after == nil:
		return "the change has neither a before nor an after"
	case it.before.IsDir() || it.after.IsDir():
		return "a directory is no change of its own"
	case it.after != nil && !it.after.Regular() && !it.after.IsLink():
		return "cannot make " + it.after.KindName()
	}
	return ""
}

// arrange settles the order. What must go before directories can be made or
// removed goes first; then new content, by path; other removals last, so that
// a moved file is never without a name.
func (t *tx) arrange() {
	var early, changes, late []*item
	for _, it := range t.items {
		switch {
		case it.after != nil:
			changes = append(changes, it)
		case t.layout.mkdir[it.c.Path] || t.givesWay(it.up) || t.layout.folded[strings.ToLower(it.c.Path)]:
			it.early = true
			early = append(early, it)
		default:
			late = append(late, it)
		}
	}
	byPath := func(a, b *item) int { return strings.Compare(a.c.Path, b.c.Path) }
	slices.SortStableFunc(changes, byPath)
	slices.SortStableFunc(late, byPath)
	t.order = slices.Concat(early, changes, late)
}

// givesWay reports whether a directory, or one above it, becomes a file.
func (t *tx) givesWay(p string) bool {
	for ; t.layout.rmdir[p]; p = path.Dir(p) {
		if t.layout.created[p] {
			return true
		}
	}
	return false
}

// close gives handles back and touches nothing else: a transaction that is
// abandoned leaves the disk as it is.
func (t *tx) close() {
	for _, s := range t.staging {
		s.file.Close()
	}
	t.ds.close()
}

func (t *tx) step(name string)             { t.w.opt.Step(name) }
func (t *tx) stepOf(name string, it *item) { t.w.opt.Step(fmt.Sprintf("%s:%d", name, it.k)) }

// carryOut does everything up to the point where the change stands.
func (t *tx) carryOut(ctx context.Context) error {
	if err := t.openDirs(); err != nil {
		return err
	}
	// All new content is staged and durable first: a full disk or a directory
	// that may not be written to shows before the first file has changed.
	if err := t.stageAll(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return &edit.Error{Code: edit.CommitFailed, Err: err}
	}
	dirsDone := false
	for _, it := range t.order {
		if !it.early && !dirsDone {
			if err := t.changeDirs(); err != nil {
				return err
			}
			dirsDone = true
		}
		if err := t.exchange(it); err != nil {
			return err
		}
	}
	if !dirsDone {
		if err := t.changeDirs(); err != nil {
			return err
		}
	}
	if err := t.lookAgain(); err != nil {
		return err
	}
	t.step("rmdir")
	t.removeDirs()
	t.setDirModes()
	t.step("sync")
	return t.syncDirs()
}

// changeDirs removes the directories that give way to a file and makes the
// missing ones.
func (t *tx) changeDirs() error {
	for _, p := range t.plan.Rmdir {
		if !t.givesWay(p) {
			continue
		}
		t.step("rmdir:" + p)
		if err := t.rmdir(p); err != nil {
			if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist) {
				return stale(p, "appeared") // something in it that the plan does not know
			}
			return failure(p, err)
		}
	}
	for _, p := range t.plan.Mkdir {
		t.step("mkdir:" + p)
		parent, err := t.ds.get(path.Dir(p))
		if err != nil {
			return failure(p, err)
		}
		name := path.Base(p)
		switch err := parent.root.Mkdir(name, 0o777); {
		case err == nil:
			t.made = append(t.made, p)
			parent.dirty = true
			if err := t.giveToParent(parent, name); err != nil {
				return failure(p, err)
			}
		case errors.Is(err, fs.ErrExist):
			// Somebody made it: theirs, and stays if this is taken back. If it
			// is no directory, opening it says so.
		default:
			return failure(p, err)
		}
		d, err := t.ds.get(p)
		if err != nil {
			return failure(p, err)
		}
		d.dirty = true
	}
	return nil
}

// rmdir removes an empty directory and remembers it.
func (t *tx) rmdir(p string) error {
	parent, err := t.ds.get(path.Dir(p))
	if err != nil {
		return err
	}
	info, err := parent.root.Lstat(path.Base(p))
	if err != nil {
		return err
	}
	dirty := t.ds.drop(p) // some systems keep a directory that is open
	if err := rmdir(parent, path.Base(p)); err != nil {
		if d, e := t.ds.get(p); e == nil {
			d.dirty = dirty
		}
		return err
	}
	parent.dirty = true
	t.gone = append(t.gone, goneDir{p, info})
	return nil
}

// removeDirs removes the directories that the changes left empty. One that is
// not empty, or cannot go, stays: it harms nothing.
func (t *tx) removeDirs() {
	for _, p := range t.plan.Rmdir {
		if t.givesWay(p) {
			continue
		}
		switch err := t.rmdir(p); {
		case err == nil || gone(err):
		case errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist):
			t.res.note("directory-kept", p, "the directory is not empty and stays")
		default:
			t.res.note("directory-kept", p, "the directory stays: %v", cause(err))
		}
	}
}

// exchange gives one path its new state and compares what came out of it with
// what the plan was made against. The comparison comes second: what is saved
// between a comparison and a rename would be lost without a trace.
func (t *tx) exchange(it *item) error {
	t.stepOf("exchange", it)
	var err error
	switch {
	case it.before == nil:
		err = t.in(it)
	case it.after == nil:
		err = t.out(it)
	default:
		err = t.swap(it)
	}
	if err != nil {
		return failure(it.c.Path, err)
	}
	it.moved = true
	if it.before == nil {
		return nil
	}
	t.stepOf("compare", it)
	home, err := t.ds.get(it.home)
	if err != nil {
		return failure(it.c.Path, err)
	}
	s, err := t.w.at(home, it.tmp, it.before)
	switch {
	case err != nil:
		return failure(it.c.Path, err)
	case s.why != "":
		return stale(it.c.Path, s.why)
	case s.writer && !t.w.opt.Force:
		return inUse(it.c.Path, s.stat)
	}
	it.old = s.stat
	return nil
}

// inUse is the refusal because somebody can still write to the file.
func inUse(p string, st edit.Stat) *edit.Error {
	who := "another program"
	if names := writers(st.Dev, st.Ino); names != "" {
		who = edit.Quote(names)
	}
	return &edit.Error{Code: edit.Stale, Path: p, Why: "in use", Msg: "changed after planning: it is open for writing in " + who}
}

// failure turns a system's error into what it means for the plan.
func failure(p string, err error) *edit.Error {
	var nd *notDirError
	switch {
	case errors.As(err, &nd), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR):
		return stale(p, "kind")
	case errors.Is(err, fs.ErrNotExist):
		return stale(p, "vanished")
	case errors.Is(err, fs.ErrExist):
		return stale(p, "appeared")
	}
	return &edit.Error{Code: edit.CommitFailed, Path: p, Err: cause(err)}
}

// lookAgain is the second look at all old content, after the last exchange: a
// program that had looked a name up before may have opened it since.
func (t *tx) lookAgain() error {
	t.step("look")
	var all edit.Errors
	for _, it := range t.order {
		if it.before == nil {
			continue
		}
		home, err := t.ds.get(it.home)
		if err != nil {
			return failure(it.c.Path, err)
		}
		switch why, err := t.w.atRest(home, it.tmp, it.old); {
		case err != nil:
			all = append(all, failure(it.c.Path, err))
		case why == "writer" && t.w.opt.Force:
		case why == "writer":
			all = append(all, inUse(it.c.Path, it.old))
		case why != "":
			all = append(all, stale(it.c.Path, why))
		}
	}
	if d := t.ds.moved(); d != nil {
		all = append(all, stale(d.path, "kind"))
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}
