package snapshot

import (
	"errors"
	"path"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// A layout is a plan's view of directories.
type layout struct {
	mkdir, rmdir map[string]bool
	removed      map[string]bool // paths whose file, link or the like goes
	created      map[string]bool // paths that get content
	// Of the created ones, and of the removed ones, the lower-case spelling: on a file
	// system that takes two names for one the old spelling must go first.
	folded, leaves map[string]bool
	before         map[string]*edit.File
}

func layoutOf(plan *edit.Plan) layout {
	l := layout{
		mkdir: map[string]bool{}, rmdir: map[string]bool{}, removed: map[string]bool{},
		created: map[string]bool{}, folded: map[string]bool{}, leaves: map[string]bool{}, before: map[string]*edit.File{},
	}
	for _, p := range plan.Mkdir {
		l.mkdir[p] = true
	}
	for _, p := range plan.Rmdir {
		l.rmdir[p] = true
	}
	for i := range plan.Changes {
		c := &plan.Changes[i]
		l.before[c.Path] = c.Before
		if c.After == nil {
			l.removed[c.Path], l.leaves[strings.ToLower(c.Path)] = true, true
			continue
		}
		l.created[c.Path] = true
		if c.Before == nil {
			l.folded[strings.ToLower(c.Path)] = true
		}
	}
	return l
}

// home is the nearest directory above p that is there before and after the
// plan: a temporary in it survives whatever happens to the others.
func (l layout) home(p string) string {
	for p = path.Dir(p); l.mkdir[p] || l.rmdir[p]; {
		p = path.Dir(p)
	}
	return p
}

// Check looks at every path of the plan again. Differences are reported
// together, as [edit.Errors] with code Stale whose Why is content, mode, kind,
// appeared or vanished. Stat decides; bytes are read where only the times
// differ and where they prove nothing, being younger than the worktree's Open
// less two seconds, as for a file that was saved twice within one tick.
func (w *Worktree) Check(plan *edit.Plan) error {
	ds := w.dirs()
	defer ds.close()
	l := layoutOf(plan)
	var all edit.Errors
	add := func(p, why string, err error) {
		switch {
		case err != nil:
			all = append(all, &edit.Error{Code: edit.Unreadable, Path: p, Err: cause(err)})
		case why != "":
			all = append(all, stale(p, why))
		}
	}
	for i := range plan.Changes {
		c := &plan.Changes[i]
		why, err := w.check(ds, l, c)
		add(c.Path, why, err)
	}
	for _, p := range plan.Mkdir {
		f, err := ds.lookup(p)
		if f != nil && !f.IsDir() && !l.removed[p] {
			add(p, "appeared", nil)
		}
		add(p, "", err)
	}
	if all == nil {
		return nil
	}
	return all
}

func (w *Worktree) check(ds *dirs, l layout, c *edit.Change) (why string, err error) {
	up, name := path.Split(c.Path)
	up = path.Clean(up)
	b := c.Before
	d, err := ds.get(up)
	var nd *notDirError
	switch {
	case errors.As(err, &nd) && !l.removed[nd.path]:
		return "kind", nil // a directory above it is a link or a file now
	case gone(err) && b == nil && l.mkdir[up]:
		return "", nil
	case gone(err):
		return "vanished", nil
	case err != nil:
		return "", err
	}
	f, err := d.reach(name)
	if f != nil && b == nil && d.fold && l.leaves[strings.ToLower(c.Path)] {
		f = nil // the same entry, which goes under its other spelling first
	}
	switch {
	case err != nil:
		return "", err
	case f.IsDir() && l.rmdir[c.Path], b == nil && f == nil:
		return "", nil
	case b == nil:
		return "appeared", nil
	case f == nil:
		return "vanished", nil
	case f.Mode.Type() != b.Mode.Type():
		return "kind", nil
	case f.Regular() && (f.Mode^b.Mode)&permissions != 0:
		return "mode", nil
	}
	if old, now := b.Stat, f.Stat; f.Regular() && old != (edit.Stat{}) {
		if old.Dev != now.Dev || old.Ino != now.Ino || old.Size != now.Size {
			return "content", nil
		}
		if old.Mtime == now.Mtime && old.Ctime == now.Ctime && max(now.Mtime, now.Ctime) < w.racy {
			return "", nil
		}
	}
	s, err := w.at(d, name, b)
	return s.why, err
}
