package gitops

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// groups spreads conflicts over paths that go only together: a move's two ends,
// and files that stand where a directory was or is. A directory that holds what
// the turn did not make stays, and so does everything that needs it gone.
func (p *rewinder) groups(changes []edit.Change) error {
	for _, path := range p.order {
		s := p.steps[path]
		if s.stays() {
			continue
		}
		if s.dir && s.target != nil {
			occupied, err := p.occupied(path)
			if err != nil {
				return err
			}
			if occupied {
				s.why = "occupied"
			}
		}
		if s.target != nil && s.why == "" {
			wall, kind, err := p.walled(path)
			if err != nil {
				return err
			}
			if wall != "" {
				s.why, s.wall, s.kind = "gone since", wall, kind
			}
		}
	}
	for again := true; again; {
		again = false
		join := func(a, b string) {
			x, y := p.steps[a], p.steps[b]
			if x == nil || y == nil || x.stays() == y.stays() {
				return
			}
			for _, s := range []*step{x, y} {
				if !s.stays() && !s.nothing {
					s.why, again = "occupied", true
				}
			}
		}
		for _, c := range changes {
			if c.From != "" && p.opt.Paths == nil {
				join(c.From, c.Path)
			}
			for up := parent(c.Path); up != "."; up = parent(up) {
				join(up, c.Path)
			}
		}
	}
	return nil
}

// walled finds the directory above a path that is a file or link now, which stays,
// or cannot be looked into, and says what it is.
func (p *rewinder) walled(path string) (wall, kind string, err error) {
	for up := parent(path); up != "."; up = parent(up) {
		if s := p.steps[up]; s != nil && !s.stays() && s.target == nil {
			continue // it gives way
		}
		f, err := p.now(up)
		switch {
		case noRights(err):
			return up, "not to be looked into", nil
		case err != nil:
			return "", "", err
		}
		if f != nil && !f.IsDir() {
			return up, f.KindName(), nil
		}
	}
	return "", "", nil
}

// occupied reports whether a directory holds anything but what is taken back.
func (p *rewinder) occupied(dir string) (bool, error) {
	if p.held[dir] > 0 { // by what newer turns are to bring back, perhaps
		for at, f := range p.state {
			if s := p.steps[at]; f != nil && strings.HasPrefix(at, dir+"/") && (s == nil || s.target != nil || s.stays()) {
				return true, nil
			}
		}
	}
	names, isDir, err := p.list(dir)
	if noRights(err) {
		return true, nil
	}
	if err != nil || !isDir {
		return false, err
	}
	for _, name := range names {
		at := dir + "/" + name
		if s := p.steps[at]; s != nil && s.target == nil && !s.stays() && !s.dir {
			continue
		}
		if f, ok := p.state[at]; ok && f == nil {
			continue
		}
		if !slices.Contains(p.d.made, at) && !p.rmdir[at] {
			return true, nil
		}
		if f, err := p.lookupDir(at); err != nil || !f.IsDir() { // a file is where the turn made a directory
			return err == nil, err
		}
		if occupied, err := p.occupied(at); err != nil || occupied {
			return occupied, err
		}
	}
	return false, nil
}

// list is what stands in a directory on the disk.
func (p *rewinder) list(dir string) (names []string, isDir bool, err error) {
	f, err := p.r.tree.Lookup(dir)
	if err == nil && f.IsDir() {
		isDir = true
		names, err = p.r.tree.List(dir)
	}
	if err != nil {
		err = &edit.Error{Code: edit.Unreadable, Path: dir, Err: err}
	}
	return names, isDir, err
}

// lookupDir is what stands on the disk where a directory comes, goes or has its
// permissions changed; nil too where the user may not look: there all stays.
func (p *rewinder) lookupDir(dir string) (*edit.File, error) {
	f, err := p.r.tree.Lookup(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, &edit.Error{Code: edit.Unreadable, Path: dir, Err: err}
	}
	return f, nil
}

// plan makes one plan of all that was taken back.
func (p *rewinder) plan() (*edit.Plan, error) {
	plan := &edit.Plan{Failures: p.failures, Notes: p.notes}
	for _, path := range slices.Sorted(maps.Keys(p.state)) {
		before, after := p.disk[path], p.state[path]
		if before.IsDir() {
			before = nil // it goes with what is in it
		}
		if before == nil && after == nil || before != nil && after == before {
			delete(p.hows, path)
			continue
		}
		if before != nil && after != nil && before.Mode == after.Mode && after.Data == nil && before.ID != "" && before.ID == after.ID {
			continue // a later turn made what an older one takes back
		}
		plan.Changes = append(plan.Changes, edit.Change{Path: path, Before: before, After: after})
	}
	fate := map[string]*edit.Change{}
	for i := range plan.Changes {
		fate[plan.Changes[i].Path] = &plan.Changes[i]
	}
	for to, from := range p.homes {
		if c, source := fate[to], fate[from]; c != nil && source != nil && c.Before == nil && source.After == nil && c.After.Regular() && source.Before.Regular() {
			c.From = from
		}
	}
	return plan, p.dirs(plan)
}

// dirs adds the directories that go or come: those that a turn made go if they
// are left empty, missing ones above a file come, and empty ones that it
// removed.
func (p *rewinder) dirs(plan *edit.Plan) error {
	gone, needed := map[string]bool{}, map[string]bool{}
	for _, c := range plan.Changes {
		gone[c.Path] = c.After == nil
		for up := parent(c.Path); c.After != nil && up != "."; up = parent(up) {
			needed[up] = true
		}
	}
	for dir := range p.mkdir {
		f, err := p.now(dir)
		if noRights(err) {
			plan.Failures = append(plan.Failures, &edit.Error{Code: edit.Conflict, Path: dir, Why: whyUnreadable, Msg: "unreadable: an empty directory was here, and what is above it cannot be read now"})
			continue
		}
		if err != nil {
			return err
		}
		if c := gone[dir]; f != nil && !f.IsDir() && !c {
			plan.Failures = append(plan.Failures, &edit.Error{Code: edit.Conflict, Path: dir, Why: "kind", Msg: "kind: an empty directory was here, and it is " + f.KindName() + " now"})
			p.conflicts[dir] = Conflict{Turn: p.d.turn.N, InWay: dir}
			continue
		}
		wall, kind, err := p.walled(dir)
		if err != nil {
			return err
		}
		if wall != "" {
			plan.Failures = append(plan.Failures, &edit.Error{Code: edit.Conflict, Path: dir, Why: "gone since", Msg: "gone since: an empty directory was here, and " + edit.Quote(wall) + " is " + kind + " now"})
			p.conflicts[dir] = Conflict{Turn: p.d.turn.N, InWay: wall}
			continue
		}
		for ; dir != "."; dir = parent(dir) {
			needed[dir] = true
		}
	}
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(p.rmdir))) {
		f, err := p.lookupDir(dir)
		if err != nil {
			return err
		}
		if !f.IsDir() || needed[dir] {
			continue
		}
		// One in which nothing is taken back, and which holds something, stays.
		goes := slices.ContainsFunc(plan.Changes, func(c edit.Change) bool { return strings.HasPrefix(c.Path, dir+"/") || c.Path == dir })
		if !goes {
			names, _, err := p.list(dir)
			if err != nil && !noRights(err) {
				return err
			}
			goes = err == nil && !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(plan.Rmdir, dir+"/"+name) })
		}
		if goes {
			plan.Rmdir = append(plan.Rmdir, dir)
			if usual := 0o777 &^ p.r.tree.Umask(); permissions(f.Mode) != usual {
				plan.DirModes = append(plan.DirModes, edit.DirMode{Path: dir, Before: f.Mode & modeBits})
			}
		}
	}
	for dir := range needed {
		f, err := p.r.tree.Lookup(dir)
		if err != nil {
			return &edit.Error{Code: edit.Unreadable, Path: dir, Err: err}
		}
		if f.IsDir() {
			continue
		}
		plan.Mkdir = append(plan.Mkdir, dir)
		if d := p.dirMode[dir]; d != nil && d.turn.Scope == ScopeWorktree {
			mode := d.turn.meta.dirMode(pathcode.Encode(dir)+"/", false)
			if mode != 0 && permissions(mode) != 0o777&^p.r.tree.Umask() {
				plan.DirModes = append(plan.DirModes, edit.DirMode{Path: dir, After: mode})
			}
		} else if m, ok := p.modes[dir]; ok && m.Before != 0 {
			plan.DirModes = append(plan.DirModes, edit.DirMode{Path: dir, After: m.Before})
		}
	}
	slices.Sort(plan.Mkdir)
	return p.dirChmods(plan)
}

// dirChmods adds the directories whose permissions a turn changed and that are
// as it left them.
func (p *rewinder) dirChmods(plan *edit.Plan) error {
	for _, path := range slices.Sorted(maps.Keys(p.modes)) {
		m := p.modes[path]
		f, err := p.lookupDir(path)
		if err != nil {
			return err
		}
		if !f.IsDir() || m.After == 0 || slices.Contains(plan.Rmdir, path) {
			continue
		}
		switch now := permissions(f.Mode); now {
		case permissions(m.Before):
		case permissions(m.After):
			plan.DirModes = append(plan.DirModes, edit.DirMode{Path: path, Before: m.After, After: m.Before})
		default:
			plan.Notes = append(plan.Notes, edit.Note{Code: "permissions", Path: path, Msg: "its permissions changed since and stay"})
		}
	}
	return nil
}
