package gitops

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/pathcode"
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
	if who, ok := t.meta.Owners.Paths[pathcode.Encode(path)]; ok {
		return who
	}
	return cmp.Or(t.meta.Owners.Default, OwnerSelf)
}

// IsOwner reports whether a word can stand in [RewindOptions.Owners].
func IsOwner(who string) bool {
	id, ok := strings.CutPrefix(who, OwnerSession)
	return ok && id != "" || slices.Contains([]string{OwnerSelf, OwnerAmbiguous, OwnerOutside, OwnerOther, OwnerGit}, who)
}

// Trailed reports whether a path of [OwnerOutside] changed after a call of the
// turn's session that can have left a process behind: then that may have written
// it.
func (t *Turn) Trailed(path string) bool {
	return slices.Contains(t.meta.Owners.Trailed, pathcode.Encode(path))
}

// An activity is a time in which a session may have written to the worktree.
type activity struct {
	session    string
	start, end int64           // nanoseconds
	paths      map[string]bool // what it names; nil: any path
	other      bool            // an apply or rewind of no session
	unsure     bool            // nobody knows whether it still ran: the session broke off in it
}

// evidence is what the owners of a turn's paths follow from.
type evidence struct {
	acts []activity
	// timeless: the clock was set in the turn, so that times prove nothing.
	timeless bool
}

// owners decides who wrote each path of the delta.
func (e *ending) owners(how closing) error {
	life := everlasting
	if how.late {
		var err error
		if life, err = e.lastSign(); err != nil {
			return err
		}
	}
	until := e.meta.Scans.After.Ended
	if e.open.Kind != KindRun { // of a run see judge
		until = min(until, life.certain)
	}
	ev, err := e.r.evidence(e.open, e.meta.Scans, until)
	if err != nil {
		return err
	}
	e.meta.Owners = metaOwners{Default: OwnerSelf}
	e.meta.Late = how.late && life == everlasting
	set := func(p, who string) {
		if git := e.came[p]; git == OwnerGit || git != "" && who == OwnerSelf {
			who = git
		}
		if who == OwnerSelf {
			return
		}
		if e.meta.Owners.Paths == nil {
			e.meta.Owners.Paths = map[string]string{}
		}
		e.meta.Owners.Paths[pathcode.Encode(p)] = who
	}
	for _, d := range e.diff {
		who := life.judge(e, d.Path, e.owner(d.Path, ev))
		set(d.Path, who)
		if at, _, known := e.lastChange(d.Path); who == OwnerOutside && (!known || ev.trails(e.open.Session, at)) {
			e.meta.Owners.Trailed = append(e.meta.Owners.Trailed, pathcode.Encode(d.Path))
		}
	}
	for encoded := range e.meta.Modes.After {
		if p := pathcode.Decode(encoded); e.meta.Owners.Paths[encoded] == "" {
			set(p, life.judge(e, p, e.owner(p, ev)))
		}
	}
	all := slices.Collect(maps.Keys(e.meta.Modes.After))
	for _, d := range e.diff {
		all = append(all, pathcode.Encode(d.Path))
	}
	e.meta.Owners.compact(all)
	return nil
}

// compact makes git the default where most of what changed merely came with a
// move of HEAD: then a pull of 100,000 files costs no list of them. paths are
// all that changed, encoded.
func (o *metaOwners) compact(paths []string) {
	came := 0
	for _, p := range paths {
		if o.Paths[p] == OwnerGit {
			came++
		}
	}
	if 2*came <= len(paths) {
		return
	}
	others := map[string]string{}
	for _, p := range paths {
		if who := cmp.Or(o.Paths[p], OwnerSelf); who != OwnerGit {
			others[p] = who
		}
	}
	o.Default, o.Paths = OwnerGit, others
}

// owner applies the evidence to one path.
func (e *ending) owner(p string, ev *evidence) string {
	changed, gone, known := e.lastChange(p)
	return ev.owner(p, e.open.Session, change{
		at: changed, gone: gone, known: known, early: known && changed < e.meta.Scans.Before.Ended && e.old(p),
	})
}

// A change is what the file system tells of a path's last change.
type change struct {
	at    int64 // of a path that is gone: the latest time at which it can have been
	gone  bool
	known bool // at is known
	early bool // it is older than the turn
}

// owner says who wrote a path, in the eyes of a session.
func (ev *evidence) owner(p, session string, c change) string {
	if c.early && !ev.timeless {
		return OwnerOutside
	}
	var named, active []string
	who := func(a *activity) string {
		switch {
		case a.unsure:
			return OwnerAmbiguous
		case a.other:
			return OwnerOther
		case a.session == session:
			return OwnerSelf
		}
		return OwnerSession + a.session
	}
	before := false // a call of the session's ran before a deletion
	for i := range ev.acts {
		a := &ev.acts[i]
		switch {
		case a.paths[p]:
			named = append(named, who(a))
		case a.paths != nil:
		case !c.known || c.at >= a.start && c.at <= a.end:
			active = append(active, who(a))
		case c.gone && a.session == session && a.start < c.at:
			before = true
		}
	}
	one := func(list []string) string {
		slices.Sort(list)
		if list = slices.Compact(list); len(list) == 1 {
			return list[0]
		}
		return OwnerAmbiguous
	}
	switch {
	case len(named) > 0:
		return one(named)
	case ev.timeless:
		return OwnerAmbiguous
	case len(active) > 0:
		return one(active)
	case before:
		return OwnerAmbiguous
	}
	return OwnerOutside
}

// trails reports whether a call that counts for every path ended before a time.
func (ev *evidence) trails(session string, at int64) bool {
	return slices.ContainsFunc(ev.acts, func(a activity) bool {
		return a.session == session && a.paths == nil && !a.other && a.end <= at
	})
}

// lastChange is when a path was changed last, by the file system's clock: its
// ctime (mtime where there is none), or where that is older than the turn the one of a new directory above,
// with which it was moved here; for one that is gone the mtime of the nearest
// directory above that is still there, which tells only the latest time that it
// can have been. When a name changed its case is not known.
func (e *ending) lastChange(p string) (at int64, gone, known bool) {
	if e.recased[p] {
		return 0, false, false
	}
	if f, ok := e.c.Found(p); ok {
		changed := cmp.Or(f.Ctime, f.Mtime)
		if changed >= e.meta.Scans.Before.Ended {
			return changed, false, true
		}
		for up := parent(p); up != "." && !e.before.isDir(up); up = parent(up) {
			if dir, ok := e.c.Found(up); ok {
				changed = max(changed, cmp.Or(dir.Ctime, dir.Mtime))
			}
		}
		return changed, false, true
	}
	for up := parent(p); up != "."; up = parent(up) {
		if f, ok := e.c.Found(up); ok && f.Mode.IsDir() {
			return f.Mtime, true, true
		}
	}
	fi, err := os.Stat(e.r.layout.Top)
	if err != nil {
		return 0, true, false
	}
	return fi.ModTime().UnixNano(), true, true
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

// evidence lists who was at work between the two captures of a turn: its own
// session, until a time; other sessions with a turn here; applies and rewinds.
func (r *Repo) evidence(t *Turn, scans metaScans, until int64) (*evidence, error) {
	from, to := scans.Before.Ended, scans.After.Ended
	ev := &evidence{}
	if err := r.addCalls(ev, t.Session, from, until, to); err != nil {
		return nil, err
	}
	open, err := r.OpenTurns()
	if err != nil {
		return nil, err
	}
	for _, o := range open {
		if o.N != t.N && o.Session != t.Session {
			if err := r.addCalls(ev, o.Session, o.meta.Scans.Before.Ended, to, to); err != nil {
				return nil, err
			}
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
			ev.acts = append(ev.acts, activity{
				session: o.Session, start: o.Started.UnixNano(), end: o.Ended.UnixNano(), paths: named,
				other: o.Kind == KindRewind || o.Session == "" && (t.Session != "" || o.Parent != t.N),
			})
		case o.Session != t.Session && o.meta.Scans.After.Ended >= from:
			if err := r.addCalls(ev, o.Session, o.meta.Scans.Before.Ended, o.meta.Scans.After.Ended, to); err != nil {
				return nil, err
			}
		}
	}
	return ev, nil
}

// addCalls adds the calls of a session's turn from one time until another. A
// session whose calls are not logged counts as one call all the time. One that
// was running when the session broke off, before the end of all that is looked
// at, is unsure from its last sign of life on.
func (r *Repo) addCalls(ev *evidence, session string, from, until, to int64) error {
	log, err := r.callsOf(session)
	if err != nil {
		return err
	}
	if !log.covers(from, until) {
		ev.acts = append(ev.acts, activity{session: session, start: from, end: until})
		return nil
	}
	ev.timeless = ev.timeless || log.clockSet(from)
	for _, c := range log.calls {
		if c.Kind == CallRead || c.end < from || c.start > until {
			continue
		}
		a := activity{session: session, start: c.start, end: c.end}
		if c.Kind == CallEdit && len(c.Paths) > 0 {
			a.paths = map[string]bool{}
			for _, p := range c.Paths {
				a.paths[p] = true
			}
		} else if c.end == never && until < to {
			a.end = until
			ev.acts = append(ev.acts, activity{session: session, start: until + 1, end: to, unsure: true})
		}
		ev.acts = append(ev.acts, a)
	}
	return nil
}

// coarse is how far the clocks of the system and of a file system may be apart.
const coarse = 2e9
