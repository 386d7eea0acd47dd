package gitops

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// EndOptions say how an open turn is closed.
type EndOptions struct {
	KeepEmpty   bool // record a turn in which nothing changed
	Reread      bool // read every file, whatever its times say
	Interrupted bool // the agent did not come to its end
}

// End captures the whole worktree once more and closes the open turn of a
// session. It returns the closed turn, nil if nothing changed in it and so
// nothing is recorded.
//
// Errors: NoTurn if the session has no open turn, Damaged if its start is lost,
// CommitFailed if it could not be recorded: then it stays open.
func (r *Repo) End(ctx context.Context, session string, opt EndOptions) (*Turn, error) {
	unlock, err := r.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	open, err := r.openTurn(session)
	if err != nil {
		return nil, err
	}
	if open == nil {
		return nil, r.noOpenTurn(session)
	}
	how := closing{status: StatusComplete, keepEmpty: opt.KeepEmpty, reread: opt.Reread}
	if opt.Interrupted {
		how.status = StatusInterrupted
	}
	t, _, err := r.finish(ctx, open, how)
	return t, err
}

// closing says how a turn is closed.
type closing struct {
	status    string
	keepEmpty bool
	keepSame  bool // leave it open if nothing changed
	reread    bool
	late      bool // by somebody else than its agent

	// behind is a rewind: the turn is dropped if nothing else changed in it, and stays
	// open otherwise. Nil: it is closed.
	behind *Turn
}

// finish closes an open turn with what is on disk now, under the worktree's
// lock. Same reports that nothing changed: then there is no turn to return, and
// the open one was dropped unless it was to be kept.
func (r *Repo) finish(ctx context.Context, open *Turn, how closing) (t *Turn, same bool, err error) {
	before, err := r.side(open, "before")
	if err != nil {
		return nil, false, damaged(open.N, err)
	}
	c, err := r.capture(ctx, open, how.reread)
	if err != nil {
		return nil, false, err
	}
	defer c.close()
	ctx = context.WithoutCancel(ctx)
	e := &ending{r: r, c: c, open: open, before: before}
	if t, same, err = e.turn(how); err != nil {
		return nil, false, err
	}
	if how.behind != nil {
		same, err = e.isDropped(how)
		return nil, same, err
	}
	if !same && !how.keepEmpty {
		if same, err = e.sameBehind(); err != nil {
			return nil, false, damaged(open.N, err)
		}
	}
	unlock, err := r.lockNumbers(ctx)
	if err != nil {
		return nil, false, err
	}
	defer unlock()
	if same && !how.keepEmpty {
		return nil, true, e.drop(how)
	}
	if err := r.tagTrees(t, c.batch, before.root, &c.tree); err != nil {
		return nil, false, unrecorded(err)
	}
	r.opt.Step("ending")
	if err := r.keepAll(t.N, e.keep); err != nil {
		return nil, false, unrecorded(err)
	}
	if err := r.closeLocked(t); err != nil {
		return nil, false, unrecorded(err)
	}
	if err := c.batch.Verify(); err != nil {
		return nil, false, unrecorded(err)
	}
	r.opt.Step("ended")
	if err := r.sessionEnds(open, t); err != nil {
		return nil, false, err
	}
	r.opt.Step("noted")
	if err := r.unmark(open); err != nil {
		return nil, false, err
	}
	r.opt.Step("unmarked")
	r.save(c, turnRef(t.N), t.tag)
	r.opt.Step("saved")
	return t, same, nil
}

// An ending compares the two ends of a turn.
type ending struct {
	r      *Repo
	c      *captured
	open   *Turn
	before *side

	diff []object.Difference
	meta meta

	recased  map[string]bool   // where the file system folds case; see there
	came     map[string]string // the owners of what came with moves of HEAD
	gitTrees gitstate.Trees
	keep     []object.ID // what no ref of the user's keeps any more
}

// turn makes the closed turn of an open one.
func (e *ending) turn(how closing) (*Turn, bool, error) {
	r, m := e.r, &e.meta
	*m = *e.open.meta
	m.Status, m.Ended = how.status, time.Now().UTC().Truncate(time.Millisecond)
	head, err := r.git().Head()
	if err != nil {
		return nil, false, err
	}
	m.Head.After = head
	m.Scans.After = metaScan{e.c.Began, e.c.Ended}
	facts := e.c.Facts(m.usual())
	for _, p := range m.EmptyDirs.start() {
		if _, seen := e.c.Found(p); !seen && e.isDir(p) { // a rule that is new hides it
			facts.EmptyDirs = append(facts.EmptyDirs, p)
		}
	}
	m.factsAfter(facts)
	e.nested(facts.Nested)
	if e.diff, err = object.Diff(e.c.batch, e.before.root, e.c.tree); err != nil {
		return nil, false, damaged(e.open.N, err)
	}
	moved, err := e.git()
	if err != nil {
		return nil, false, err
	}
	if err := e.late(); err != nil {
		return nil, false, damaged(e.open.N, err)
	}
	if err := e.dirs(); err != nil {
		return nil, false, damaged(e.open.N, err)
	}
	e.moves()
	e.stats()
	t := &Turn{N: e.open.N}
	*t = *e.open
	if t.git, err = e.gitTrees.Write(e.c.batch); err != nil {
		return nil, false, unrecorded(err)
	}
	t.Status, t.Ended, t.meta = m.Status, m.Ended, m
	t.MadeDirs, t.RemovedDirs = mapStrings(m.MadeDirs, pathcode.Decode), mapStrings(m.RemovedDirs, pathcode.Decode)
	t.Moves, t.StoredBytes = m.Moves, m.Stats.StoredBytes
	if err := e.owners(how); err != nil {
		return nil, false, err
	}
	t.Late = m.Late
	return t, !moved && len(e.diff) == 0 && len(m.Modes.After) == 0 &&
		len(m.EmptyDirs.After.Add) == 0 && len(m.EmptyDirs.After.Del) == 0 &&
		len(m.Skipped.After.Add) == 0 && len(m.Incomplete.After.Add) == 0, nil
}

// nested notes the repositories below the top at the end.
func (e *ending) nested(paths []string) {
	m := &e.meta
	m.Nested = slices.Clone(m.Nested)
	for _, p := range paths {
		encoded := pathcode.Encode(p)
		i := slices.IndexFunc(m.Nested, func(n metaNested) bool { return n.Path == encoded })
		if i < 0 {
			m.Nested = append(m.Nested, metaNested{Path: encoded, Kind: e.r.nestedKind(p), Made: true})
			i = len(m.Nested) - 1
		}
		m.Nested[i].After = e.r.nestedHead(p)
	}
}

// recased are the paths of which a difference is one of case alone, under both
// names. Not every file system that takes both for one tells of it by the times of
// the file.
func recased(diff []object.Difference) map[string]bool {
	gone := map[string]string{}
	for _, d := range diff {
		if d.After.ID.IsZero() {
			gone[strings.ToLower(d.Path)] = d.Path
		}
	}
	paths := map[string]bool{}
	for _, d := range diff {
		if was, ok := gone[strings.ToLower(d.Path)]; ok && d.Before.ID.IsZero() {
			paths[was], paths[d.Path] = true, true
		}
	}
	return paths
}

// late finds what was made while the start was being captured: its last change
// is older than the end of that capture, and no new directory brought it here.
// It is a person's, and was not absent when the turn began.
func (e *ending) late() error {
	ended := e.meta.Scans.Before.Ended
	proof := e.meta.proof(e.before)
	if e.r.tree.Folds() {
		e.recased = recased(e.diff)
	}
	for _, d := range e.diff {
		if !d.Before.ID.IsZero() || e.recased[d.Path] {
			continue
		}
		late := true
		for p := d.Path; p != "." && late; p = parent(p) {
			absent, err := proof.absent(p)
			if err != nil {
				return err
			}
			if p != d.Path && !absent { // a directory where a file was is as new
				was, there, err := e.before.entry(p)
				if err != nil {
					return err
				}
				absent = there && !was.Mode.IsDir()
			}
			f, ok := e.c.Found(p)
			late = ok && (!absent || f.Ctime < ended)
		}
		if absent, err := proof.absent(d.Path); err != nil {
			return err
		} else if late && absent {
			e.meta.Skipped.Before = append(e.meta.Skipped.Before, metaSkip{Path: pathcode.Encode(d.Path), Why: whyLate})
		}
	}
	return nil
}

// dirs finds the directories that the turn made and removed.
func (e *ending) dirs() error {
	m := &e.meta
	proof := m.proof(e.before)
	made, removed := map[string]bool{}, map[string]bool{}
	above := func(set map[string]bool, p string) {
		for ; p != "." && !set[p]; p = parent(p) {
			set[p] = true
		}
	}
	for _, d := range e.diff {
		if d.Before.ID.IsZero() {
			above(made, parent(d.Path))
		}
		if d.After.ID.IsZero() {
			above(removed, parent(d.Path))
		}
	}
	for _, p := range m.EmptyDirs.After.Add {
		above(made, pathcode.Decode(p))
	}
	for _, p := range m.EmptyDirs.After.Del {
		above(removed, pathcode.Decode(p))
	}
	m.MadeDirs, m.RemovedDirs = nil, nil
	for p := range made {
		// Where a file or link was, a directory was not.
		was, ok, err := e.before.entry(p)
		if err != nil {
			return err
		}
		absent := ok && !was.Mode.IsDir()
		if !absent {
			if absent, err = proof.absent(p); err != nil {
				return err
			}
		}
		if f, there := e.c.Found(p); absent && there && f.Mode.IsDir() {
			m.MadeDirs = append(m.MadeDirs, pathcode.Encode(p))
		}
	}
	for p := range removed {
		if !e.isDir(p) {
			m.RemovedDirs = append(m.RemovedDirs, pathcode.Encode(p))
		}
	}
	slices.Sort(m.MadeDirs) // parents first
	slices.SortFunc(m.RemovedDirs, func(a, b string) int { return strings.Compare(b, a) })
	return nil
}

// isDir reports whether a directory is at a path, seen or, where an ignore rule hides
// it, not.
func (e *ending) isDir(p string) bool {
	if f, seen := e.c.Found(p); seen {
		return f.Mode.IsDir()
	}
	now, err := e.r.tree.Lookup(p)
	return err == nil && now.IsDir()
}

// moves pairs files that went and came with the same bytes, one to one.
func (e *ending) moves() {
	unseen := e.meta.unseen()
	gone := map[object.ID][]string{}
	for _, d := range e.diff {
		if d.After.ID.IsZero() && d.Before.Mode != object.Symlink && !unseen(d.Path) {
			gone[d.Before.ID] = append(gone[d.Before.ID], d.Path)
		}
	}
	come := map[object.ID][]string{}
	for _, d := range e.diff {
		if d.Before.ID.IsZero() && d.After.Mode != object.Symlink {
			come[d.After.ID] = append(come[d.After.ID], d.Path)
		}
	}
	e.meta.Moves = nil
	empty := e.r.db.Format().Hash(object.Blob, nil)
	for id, from := range gone {
		// What came with a move of HEAD is no half of the turn's own.
		if to := come[id]; len(from) == 1 && len(to) == 1 && id != empty && e.came[from[0]] == e.came[to[0]] {
			e.meta.Moves = append(e.meta.Moves, Move{pathcode.Encode(from[0]), pathcode.Encode(to[0])})
		}
	}
	slices.SortFunc(e.meta.Moves, func(a, b Move) int { return strings.Compare(a.From, b.From) })
}

func (e *ending) stats() {
	s := metaStats{Scanned: e.c.Files, StoredBytes: e.meta.Stats.StoredBytes + e.c.batch.Stats().Bytes}
	unseen := e.meta.unseen()
	for _, d := range e.diff {
		switch {
		case d.Before.ID.IsZero():
			s.Created++
		case d.After.ID.IsZero() && unseen(d.Path):
		case d.After.ID.IsZero():
			s.Deleted++
		default:
			s.Changed++
		}
	}
	e.meta.Stats = s
}

// drop forgets a turn in which nothing changed, or leaves it open.
func (e *ending) drop(how closing) error {
	r, open := e.r, e.open
	if how.keepSame {
		r.save(e.c, "", object.ID{})
		return nil
	}
	if err := r.sessionEnds(open, nil); err != nil {
		return err
	}
	if err := r.dropLocked(open); err != nil {
		return err
	}
	r.save(e.c, "", object.ID{})
	return nil
}
