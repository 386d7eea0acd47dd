package gitops

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// A delta is what a turn changed, and what is known of the paths that it may
// have changed without anything being stored.
type delta struct {
	turn      *Turn
	changes   []edit.Change
	made      []string // directories, parents first
	remake    []string // empty directories that the turn removed
	dirModes  []edit.DirMode
	proof     *proof              // nil: every Before that is nil was seen to be absent
	unstored  map[string]metaSkip // found at the end and not stored
	open      []string            // directories of which the end is not known in whole
	empty     map[string]bool     // directories that were empty at the start
	unstable  map[string]bool     // what is stored of the start may be a mixture
	untouched []Left
	edited    map[string]bool // changed on top of what came with a move of HEAD
}

// delta reads what a turn changed. back: HEAD goes back to where it was. If not,
// what was changed on top of a move of HEAD goes back to what the move brought.
func (r *Repo) delta(t *Turn, back bool) (*delta, error) {
	d := &delta{turn: t, made: t.MadeDirs}
	var err error
	if d.changes, err = r.changes(t, true); err != nil {
		return nil, err
	}
	if err := d.onTop(r, back); err != nil {
		return nil, damaged(t.N, err)
	}
	d.dirModes = slices.DeleteFunc(t.dirModes(), func(m edit.DirMode) bool { return m.Before == 0 })
	if t.Scope != ScopeWorktree {
		d.remake = emptied(t.RemovedDirs, d.changes)
		return d, nil
	}
	before, err := r.side(t, "before")
	if err != nil {
		return nil, damaged(t.N, err)
	}
	m := t.meta
	d.proof = m.proof(before)
	// What is not listed has the usual permissions, if it was there.
	d.dirModes = slices.DeleteFunc(d.dirModes, func(dir edit.DirMode) bool {
		_, listed := m.Modes.Before[pathcode.Encode(dir.Path)+"/"]
		return !listed && !d.proof.isDir(dir.Path)
	})
	d.unstored = m.Skipped.finish()
	for p, start := range m.Skipped.start() {
		switch end, ok := d.unstored[p]; {
		case !ok:
		case end.Size != start.Size || end.Mtime != start.Mtime:
			d.untouched = append(d.untouched, Left{Path: p, Why: "changed in this turn, not covered (" + start.Why + ")"})
			fallthrough
		default:
			delete(d.unstored, p) // what it was at the start is not stored either
		}
	}
	d.open = m.Incomplete.finish()
	for _, encoded := range m.EmptyDirs.After.Del {
		// One that is filled is none that the turn removed.
		if p := pathcode.Decode(encoded); slices.Contains(t.RemovedDirs, p) {
			d.remake = append(d.remake, p)
		}
	}
	d.empty = map[string]bool{}
	for _, p := range m.EmptyDirs.start() {
		d.empty[p] = true
	}
	d.unstable = map[string]bool{}
	for _, p := range m.Unstable.Before {
		d.unstable[pathcode.Decode(p)] = true
	}
	return d, d.leftOut()
}

// emptied lists the removed directories in which nothing was: those that held a
// file come back with it, or stay away with it.
func emptied(removed []string, changes []edit.Change) []string {
	held := map[string]bool{}
	for _, c := range changes {
		for up := parent(c.Path); c.Before != nil && up != "."; up = parent(up) {
			held[up] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(removed), func(dir string) bool { return held[dir] })
}

// onTop finds what was changed on top of a move of HEAD.
func (d *delta) onTop(r *Repo, back bool) error {
	d.edited = map[string]bool{}
	for _, p := range d.turn.meta.Git.Edited {
		d.edited[pathcode.Decode(p)] = true
	}
	if len(d.edited) == 0 || back {
		return nil
	}
	e, ok, err := object.Lookup(r.db, d.turn.tree, gitstate.TreeCarried)
	if err == nil && !ok { // an absent tree is no empty one
		err = errors.New("it has no " + gitstate.TreeCarried)
	}
	if err != nil {
		return err
	}
	carried := &side{r: r, t: d.turn, root: e.ID, trees: map[string]map[string]object.Entry{}}
	for i := range d.changes {
		if c := &d.changes[i]; d.edited[c.Path] {
			if c.Before, err = carried.file(c.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// leftOut lists what the turn made and no capture stored: nobody can take it
// back, so it stays.
func (d *delta) leftOut() error {
	m := d.turn.meta
	before := m.Skipped.start()
	for _, x := range m.Skipped.After.Add {
		p := pathcode.Decode(x.Path)
		if _, ok := before[p]; ok || x.Why == whySparse {
			continue
		}
		absent, err := d.proof.absent(p)
		if err != nil {
			return damaged(d.turn.N, err)
		}
		if absent {
			d.untouched = append(d.untouched, Left{Path: p, Why: "created in this turn, not stored (" + x.Why + ")"})
		}
	}
	for _, encoded := range m.Ignored.After.Add {
		p := pathcode.Decode(encoded)
		absent, err := d.proof.absent(strings.TrimSuffix(p, "/"))
		if err != nil {
			return damaged(d.turn.N, err)
		}
		if absent {
			d.untouched = append(d.untouched, Left{Path: p, Why: "created in this turn, ignored, not stored"})
		}
	}
	for _, n := range m.Nested {
		switch p := pathcode.Decode(n.Path); {
		case n.Made:
			d.untouched = append(d.untouched, Left{Path: p + "/.git", Why: "a repository made in this turn: its files go, its .git stays"})
		case n.Before != "" && n.After == "":
			d.untouched = append(d.untouched, Left{Path: p + "/.git", Why: "the turn removed this repository: its files come back, its .git is lost"})
		}
	}
	return nil
}

// dirModes lists the directories whose permissions the turn changed, and those
// of directories that it removed or made where they are known.
func (t *Turn) dirModes() (list []edit.DirMode) {
	m := t.meta
	names := map[string]bool{}
	for _, modes := range []map[string]string{m.Modes.Before, m.Modes.After} {
		for p := range modes {
			if strings.HasSuffix(p, "/") {
				names[p] = true
			}
		}
	}
	made, removed := map[string]bool{}, map[string]bool{}
	for _, p := range t.MadeDirs {
		made[p] = true
	}
	for _, p := range t.RemovedDirs {
		removed[p] = true
	}
	start, end := m.unlooked(false), m.unlooked(true)
	for _, encoded := range slices.Sorted(maps.Keys(names)) {
		d := edit.DirMode{Path: strings.TrimSuffix(pathcode.Decode(encoded), "/")}
		if _, listed := m.Modes.Before[encoded]; listed || !made[d.Path] && !start(d.Path) {
			d.Before = m.dirMode(encoded, false)
		}
		if _, listed := m.Modes.After[encoded]; listed || !removed[d.Path] && !end(d.Path) {
			d.After = m.dirMode(encoded, true)
		}
		if d.Before != d.After {
			list = append(list, d)
		}
	}
	return list
}

// unlooked tells of a directory whether it may have been there at one end of the
// turn without being looked at, so that its permissions are not known.
func (m *meta) unlooked(after bool) func(dir string) bool {
	skipped, incomplete, ignored := m.Skipped.start(), m.Incomplete.start(), m.Ignored.start()
	if after {
		skipped, incomplete, ignored = m.Skipped.finish(), m.Incomplete.finish(), m.Ignored.finish()
	}
	shut := map[string]bool{}
	for _, p := range incomplete {
		shut[cmp.Or(p, ".")] = true
	}
	hidden := map[string]bool{} // of these not even the permissions are kept
	for _, p := range ignored {
		hidden[strings.TrimSuffix(p, "/")] = true
	}
	maps.Copy(shut, hidden)
	return func(dir string) bool {
		if _, ok := skipped[dir]; ok || hidden[dir] {
			return true
		}
		for up := dir; up != "."; {
			if up = parent(up); shut[up] {
				return true
			}
		}
		return false
	}
}

// dirMode is the permission of a directory at one end of the turn; 0 if it is
// not known.
func (m *meta) dirMode(encoded string, after bool) fs.FileMode {
	text, ok := "", false
	if after {
		text, ok = m.Modes.After[encoded]
	}
	if !ok && (!after || m.Scope == ScopeWorktree) {
		text, ok = m.Modes.Before[encoded]
	}
	if !ok {
		text = m.Modes.Base["dir"]
	}
	mode, _ := parseMode(text)
	return mode
}

// below reports whether a path is one of some directories or in one.
func below(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool {
		return d == "" || d == "." || path == d || strings.HasPrefix(path, d+"/")
	})
}
