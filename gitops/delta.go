package gitops

import (
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// differences lists the paths of a captured turn's delta: those whose kind, bytes
// or permissions differ, sorted. What a sparse checkout hides at one end is no
// change.
//
// What only one end saw, since the other did not look there, is listed only with
// all: nobody saw it change.
func (r *Repo) differences(t *Turn, before, after *side, all bool) ([]object.Difference, error) {
	diff, err := object.Diff(r.db, before.root, after.root)
	if err != nil {
		return nil, err
	}
	chmod, err := t.meta.chmods(before, after)
	if err != nil {
		return nil, err
	}
	start, end := t.meta.Skipped.start(), t.meta.Skipped.finish()
	unseen, appeared := t.meta.unseen(), t.meta.unseenBefore()
	diff = slices.DeleteFunc(diff, func(d object.Difference) bool {
		switch {
		case start[d.Path].Why == whySparse, end[d.Path].Why == whySparse:
			return true
		case all, !d.Before.ID.IsZero() && !d.After.ID.IsZero():
			return false
		case d.After.ID.IsZero():
			return unseen(d.Path)
		}
		return appeared(d.Path)
	})
	diff = append(diff, chmod...)
	slices.SortStableFunc(diff, func(a, b object.Difference) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(diff, func(a, b object.Difference) bool { return a.Path == b.Path }), nil
}

// unseen tells of which paths the end of the turn is not known: those in
// directories that were not looked into, and those that could not be read.
func (m *meta) unseen() func(path string) bool {
	return unseenIn(m.Incomplete.finish(), m.Skipped.finish())
}

// unseenBefore is unseen for the start.
func (m *meta) unseenBefore() func(path string) bool {
	return unseenIn(m.Incomplete.start(), m.Skipped.start())
}

func unseenIn(open []string, skipped map[string]metaSkip) func(path string) bool {
	return func(path string) bool {
		switch skipped[path].Why {
		case "deadline", "unreadable", "vanished":
			return true
		}
		return below(path, open)
	}
}

// Appeared returns the files that the end of a captured turn found where its
// start did not look: nobody can tell whether they are the turn's, so that
// [Repo.Changes] does not have them and no rewind removes them. Those that last
// changed when nothing of the turn ran are left out. Nil for almost every turn.
// Errors are those of Changes.
func (r *Repo) Appeared(t *Turn) ([]edit.Change, error) {
	if t.Scope != ScopeWorktree || t.Status == StatusOpen || len(t.meta.Incomplete.start())+len(t.meta.Skipped.start()) == 0 {
		return nil, nil
	}
	changes, err := r.changes(t, true)
	if err != nil {
		return nil, err
	}
	appeared := t.meta.unseenBefore()
	return slices.DeleteFunc(changes, func(c edit.Change) bool {
		return c.Before != nil || c.After == nil || !appeared(c.Path) ||
			t.Owner(c.Path) == OwnerOutside && !t.Trailed(c.Path)
	}), nil
}

// chmods lists the files whose permissions differ.
func (m *meta) chmods(before, after *side) (list []object.Difference, err error) {
	for encoded := range m.Modes.After {
		if strings.HasSuffix(encoded, "/") {
			continue
		}
		p := pathcode.Decode(encoded)
		b, ok1, err1 := before.entry(p)
		a, ok2, err2 := after.entry(p)
		switch {
		case err1 != nil:
			return nil, err1
		case err2 != nil:
			return nil, err2
		case !ok1 || !ok2 || b.Mode.IsDir() || a.Mode.IsDir():
			continue
		}
		if m.mode(p, b.Mode&0o100 != 0, false) != m.mode(p, a.Mode&0o100 != 0, true) {
			list = append(list, object.Difference{Path: p, Before: b, After: a})
		}
	}
	return list, nil
}

// A proof tells what is known of the start of a captured turn: what was there,
// and what was proved not to be.
type proof struct {
	before *side
	there  map[string]bool // found and not stored, and the directories above; "." is the top
	dirs   map[string]bool // of these the directories
	closed map[string]bool // directories of which not everything was seen
}

func (m *meta) proof(before *side) *proof {
	p := &proof{before: before, there: map[string]bool{}, dirs: map[string]bool{}, closed: map[string]bool{}}
	found := func(path string) {
		p.there[path] = true
		for path = parent(path); path != "." && !p.dirs[path]; path = parent(path) {
			p.there[path], p.dirs[path] = true, true
		}
	}
	for path := range m.Skipped.start() {
		found(path)
	}
	for _, path := range m.Ignored.start() {
		dir, isDir := strings.CutSuffix(path, "/")
		found(dir)
		p.dirs[dir], p.closed[dir] = isDir, isDir
	}
	for _, path := range m.Incomplete.start() {
		if path == "" {
			path = "."
		}
		found(path)
		p.closed[path] = true
	}
	for _, path := range m.EmptyDirs.start() {
		found(path)
		p.dirs[path] = true
	}
	for _, n := range m.Nested {
		if !n.Made {
			found(pathcode.Decode(n.Path))
		}
	}
	return p
}

// isDir reports whether a directory is known to have been at the path.
func (p *proof) isDir(path string) bool { return p.dirs[path] || p.before.isDir(path) }

// absent reports whether nothing was at the path when the turn began. False
// means that it was there, or that nobody knows.
func (p *proof) absent(path string) (bool, error) {
	if p.there[path] {
		return false, nil
	}
	for up := path; ; up = parent(up) {
		if p.closed[up] {
			return false, nil
		}
		if up == "." {
			break
		}
	}
	_, ok, err := p.before.entry(path)
	return err == nil && !ok, err
}

// Ignored are the paths that an ignore rule hid at the start or the end of a
// captured turn and that are not covered, with "/" behind directories, sorted.
func (t *Turn) Ignored() []string {
	list := append(t.meta.Ignored.start(), t.meta.Ignored.finish()...)
	slices.Sort(list)
	return slices.Compact(list)
}
