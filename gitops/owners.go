package gitops

import (
	"cmp"
	"slices"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

// Who wrote a path of a turn. A path of another session's is OwnerSession and
// its id.
const (
	OwnerSelf      = "self"      // the turn's own session
	OwnerAmbiguous = "ambiguous" // of several one, nobody can tell which
	OwnerOutside   = "outside"   // no agent: a person, or another program
	OwnerOther     = "other"     // an apply or rewind without a session
	OwnerSession   = "session:"
)

// Owner says who wrote a path that the turn changed.
func (t *Turn) Owner(path string) string {
	if who, ok := t.meta.Owners.Paths[encodePath(path)]; ok {
		return who
	}
	return cmp.Or(t.meta.Owners.Default, OwnerSelf)
}

// An activity is a time in which a session may have written to the worktree.
type activity struct {
	session    string
	start, end int64           // nanoseconds
	paths      map[string]bool // what it names; nil: any path
	other      bool            // an apply or rewind of no session
}

// owners decides who wrote each path of the delta.
func (e *ending) owners(how closing) error {
	acts, err := e.r.activities(e.open, e.meta.Scans)
	if err != nil {
		return err
	}
	e.meta.Owners = metaOwners{Default: OwnerSelf}
	e.meta.Late = how.late && !e.heardSince()
	set := func(p, who string) {
		if who == OwnerSelf {
			return
		}
		if e.meta.Owners.Paths == nil {
			e.meta.Owners.Paths = map[string]string{}
		}
		e.meta.Owners.Paths[encodePath(p)] = who
	}
	for _, d := range e.diff {
		set(d.Path, e.owner(d.Path, d.After.ID, acts))
	}
	for encoded := range e.meta.Modes.After {
		if p := decodePath(encoded); e.meta.Owners.Paths[encoded] == "" {
			set(p, e.owner(p, object.ID{}, acts))
		}
	}
	return nil
}

// heardSince reports whether the session gave a sign of life after its begin.
func (e *ending) heardSince() bool { return false }

// owner applies the evidence to one path.
func (e *ending) owner(p string, after object.ID, acts []activity) string {
	changed, known := e.lastChange(p)
	if known && changed < e.meta.Scans.Before.Ended && e.old(p) {
		return OwnerOutside
	}
	var named, active []string
	who := func(a *activity) string {
		switch {
		case a.other:
			return OwnerOther
		case a.session == e.open.Session:
			return OwnerSelf
		}
		return OwnerSession + a.session
	}
	for i := range acts {
		a := &acts[i]
		switch {
		case a.paths[p]:
			named = append(named, who(a))
		case a.paths == nil && (!known || changed >= a.start && changed <= a.end):
			active = append(active, who(a))
		}
	}
	for _, list := range [][]string{named, active} {
		slices.Sort(list)
		switch list = slices.Compact(list); len(list) {
		case 0:
		case 1:
			return list[0]
		default:
			return OwnerAmbiguous
		}
	}
	return OwnerOutside
}

// lastChange is when a path was changed last, by the file system's clock: its
// ctime, or where that is older than the turn the one of a new directory above,
// with which it was moved here; for one that is gone the mtime of the nearest
// directory above that is still there.
func (e *ending) lastChange(p string) (int64, bool) {
	if f, ok := e.c.Found(p); ok {
		changed := f.Ctime
		if changed >= e.meta.Scans.Before.Ended {
			return changed, true
		}
		for up := parent(p); up != "." && !e.before.isDir(up); up = parent(up) {
			if dir, ok := e.c.Found(up); ok {
				changed = max(changed, dir.Ctime)
			}
		}
		return changed, true
	}
	for up := parent(p); ; up = parent(up) {
		if f, ok := e.c.Found(up); ok && f.Mode.IsDir() {
			return f.Mtime, true
		}
		if up == "." {
			return 0, false
		}
	}
}

// old reports whether no directory above a path is new.
func (e *ending) old(p string) bool {
	for up := parent(p); up != "."; up = parent(up) {
		if !e.before.isDir(up) {
			return false
		}
	}
	return true
}

// activities lists who was at work between the two captures of a turn: its own
// session, other sessions with a turn here, applies and rewinds.
func (r *Repo) activities(t *Turn, scans metaScans) ([]activity, error) {
	from, to := scans.Before.Ended, scans.After.Ended
	acts := []activity{{session: t.Session, start: from, end: to}}
	open, err := r.openTurns()
	if err != nil {
		return nil, err
	}
	for _, o := range open {
		if o.N != t.N && o.Session != t.Session {
			acts = append(acts, activity{session: o.Session, start: o.meta.Scans.Before.Ended, end: to})
		}
	}
	for o, err := range r.Turns() {
		if err != nil {
			continue // named by whoever lists the turns
		}
		if o.Scope == ScopePaths && o.N < t.N {
			continue // it was done before the start was captured
		}
		if o.Ended.UnixNano() < from-int64(coarse) {
			break // newest first: all others ended before
		}
		switch {
		case o.Scope == ScopePaths:
			named := map[string]bool{}
			for _, p := range o.Paths {
				named[p] = true
			}
			acts = append(acts, activity{
				session: o.Session, start: o.Started.UnixNano(), end: o.Ended.UnixNano(), paths: named,
				other: o.Kind == KindRewind || o.Session == "" && (t.Session != "" || o.Parent != t.N),
			})
		case o.Session != t.Session && o.meta.Scans.After.Ended >= from:
			acts = append(acts, activity{session: o.Session, start: o.meta.Scans.Before.Ended, end: o.meta.Scans.After.Ended})
		}
	}
	return acts, nil
}

// coarse is how far the clocks of the system and of a file system may be apart.
const coarse = 2e9
