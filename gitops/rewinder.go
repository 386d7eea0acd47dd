package gitops

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// A step is what happens to one path of a turn that is taken back.
type step struct {
	before, after, now *edit.File // of the turn, of the turn, and on disk
	dir                bool       // a directory that the turn made stands there
	target             *edit.File // what shall be there
	why                string     // the conflict; empty: none
	nothing            bool       // it is as before already
	note               string
	who                string // the program that has it open
}

// A rewinder plans the taking back of one turn.
type rewinder struct {
	r     *Repo
	turn  *Turn
	force bool
	made  []string
	steps map[string]*step
	order []string
}

// look decides each path by itself.
func (p *rewinder) look(changes []edit.Change) error {
	for _, c := range changes {
		s := &step{before: c.Before, after: c.After, target: c.Before}
		p.steps[c.Path], p.order = s, append(p.order, c.Path)
		now, err := p.r.tree.Lookup(c.Path)
		if err != nil {
			return &edit.Error{Code: edit.Unreadable, Path: c.Path, Err: err}
		}
		if now.IsDir() && slices.Contains(p.made, c.Path) {
			s.dir, now = true, nil
		}
		s.now = now
		if err := p.decide(c.Path, s); err != nil {
			return err
		}
	}
	return nil
}

// decide is the table of one path: before, after, now.
func (p *rewinder) decide(path string, s *step) error {
	asBefore, err := p.r.same(path, s.now, s.before)
	if err != nil {
		return err
	}
	asAfter, err := p.r.same(path, s.now, s.after)
	if err != nil {
		return err
	}
	// Somebody who has it open would write on into what we take away. It counts
	// only where the content would go.
	if s.now.Regular() && !asBefore && !p.force {
		if who, busy := p.r.tree.InUse(path, s.now); busy {
			s.why, s.who = "in use", who
			return nil
		}
	}
	switch {
	case asBefore && asAfter: // the turn changed permissions alone, or nothing
		s.nothing = s.now == nil || s.now.Mode == s.before.Mode
		if s.nothing || s.now.Mode == s.after.Mode {
			return nil
		}
		s.nothing, s.note = true, "its permissions changed since and stay"
	case asBefore:
		s.nothing = !s.dir
	case asAfter:
		if s.target != nil && s.now != nil && s.now.Regular() && s.now.Mode != s.after.Mode {
			kept := *s.target
			kept.Mode = s.now.Mode
			s.target, s.note = &kept, "its permissions changed since and stay"
		}
	default:
		s.why = conflict(s)
		if p.force && (s.now == nil || s.now.Regular() || s.now.IsLink()) {
			s.why = ""
			if s.now.Regular() {
				s.now.ID = "" // known by its hash, but stored nowhere yet
			}
		}
	}
	return nil
}

// conflict says how a path that is neither as before nor as after differs.
func conflict(s *step) string {
	switch {
	case s.now != nil && !s.now.Regular() && !s.now.IsLink():
		return "kind"
	case s.now == nil:
		return "gone since"
	case s.after == nil:
		return "exists again"
	case s.now.Mode.Type() != s.after.Mode.Type():
		return "kind"
	case s.now.IsLink():
		return "link"
	}
	return "edited since"
}

// groups spreads conflicts over paths that go only together: a move's two ends,
// and files that stand where a directory was or is. A directory that holds what
// the turn did not make stays, and so does everything that needs it gone.
func (p *rewinder) groups(changes []edit.Change) error {
	for _, path := range p.order {
		s := p.steps[path]
		if !s.dir || s.target == nil {
			continue
		}
		occupied, err := p.occupied(path)
		if err != nil {
			return err
		}
		if occupied {
			s.why = "occupied"
		}
	}
	for again := true; again; {
		again = false
		join := func(a, b string) {
			x, y := p.steps[a], p.steps[b]
			if x == nil || y == nil || x.why != "" == (y.why != "") {
				return
			}
			for _, s := range []*step{x, y} {
				if s.why == "" && !s.nothing {
					s.why, again = "occupied", true
				}
			}
		}
		for _, c := range changes {
			if c.From != "" {
				join(c.From, c.Path)
			}
			for up := parent(c.Path); up != "."; up = parent(up) {
				join(up, c.Path)
			}
		}
	}
	return nil
}

// occupied reports whether a directory holds anything but what is taken back.
func (p *rewinder) occupied(dir string) (bool, error) {
	names, err := p.r.tree.List(dir)
	if err != nil {
		return false, &edit.Error{Code: edit.Unreadable, Path: dir, Err: err}
	}
	for _, name := range names {
		at := dir + "/" + name
		if s := p.steps[at]; s != nil && s.target == nil && s.why == "" && !s.dir {
			continue
		}
		if !slices.Contains(p.made, at) {
			return true, nil
		}
		if occupied, err := p.occupied(at); err != nil || occupied {
			return occupied, err
		}
	}
	return false, nil
}

// plan makes one plan of all steps.
func (p *rewinder) plan(delta *edit.Plan) (*edit.Plan, error) {
	plan := &edit.Plan{}
	home := map[string]string{} // where a moved file is now → where it goes
	for _, c := range delta.Changes {
		if c.From != "" {
			home[c.From] = c.Path
		}
	}
	for _, path := range p.order {
		s := p.steps[path]
		if s.note != "" && s.why == "" {
			plan.Notes = append(plan.Notes, edit.Note{Code: "permissions", Path: path, Msg: s.note})
		}
		switch {
		case s.why != "":
			plan.Failures = append(plan.Failures, &edit.Error{Code: edit.Conflict, Path: path, Why: s.why, Msg: fmt.Sprintf("%s: %s", s.why, p.explain(s))})
			continue
		case s.nothing:
			continue
		}
		c := edit.Change{Path: path, Before: s.now, After: s.target}
		if from, ok := home[path]; ok && s.now == nil && p.steps[from] != nil && p.steps[from].target == nil && p.steps[from].why == "" && !p.steps[from].nothing {
			c.From = from
		}
		plan.Changes = append(plan.Changes, c)
	}
	if err := p.dirs(plan); err != nil {
		return nil, err
	}
	return plan, nil
}

// explain says what a conflict's reason means here.
func (p *rewinder) explain(s *step) string {
	n := p.turn.N
	switch s.why {
	case "gone since":
		return fmt.Sprintf("turn %d left a file here that is no longer there", n)
	case "exists again":
		return fmt.Sprintf("turn %d removed it, and there is another one now", n)
	case "kind":
		return fmt.Sprintf("it is %s now", s.now.KindName())
	case "link":
		return fmt.Sprintf("the link has another target than turn %d gave it", n)
	case "in use":
		if s.who != "" {
			return "it is open for writing in " + edit.Quote(s.who)
		}
		return "another program has it open for writing"
	case "occupied":
		return "it goes only together with paths that cannot go"
	}
	return fmt.Sprintf("changed since turn %d", n)
}

// dirs adds the directories that go or come: those that the turn made go if
// they are left empty, missing ones above a file come.
func (p *rewinder) dirs(plan *edit.Plan) error {
	gone, needed := map[string]bool{}, map[string]bool{}
	for _, c := range plan.Changes {
		gone[c.Path] = c.After == nil
		for up := parent(c.Path); c.After != nil && up != "."; up = parent(up) {
			needed[up] = true
		}
	}
	for _, dir := range slices.Backward(slices.Sorted(slices.Values(p.made))) {
		f, err := p.r.tree.Lookup(dir)
		if err != nil {
			return &edit.Error{Code: edit.Unreadable, Path: dir, Err: err}
		}
		below := slices.ContainsFunc(plan.Changes, func(c edit.Change) bool { return strings.HasPrefix(c.Path, dir+"/") || c.Path == dir })
		if f.IsDir() && below && !needed[dir] {
			plan.Rmdir = append(plan.Rmdir, dir)
		}
	}
	for dir := range needed {
		f, err := p.r.tree.Lookup(dir)
		if err != nil {
			return &edit.Error{Code: edit.Unreadable, Path: dir, Err: err}
		}
		if !f.IsDir() {
			plan.Mkdir = append(plan.Mkdir, dir)
		}
	}
	slices.Sort(plan.Mkdir)
	return nil
}

// same reports whether what is at a path has the kind and bytes of a stored
// file. Its ID is set on the way, so bytes are read once.
func (r *Repo) same(path string, now, stored *edit.File) (bool, error) {
	if now == nil || stored == nil {
		return now == nil && stored == nil, nil
	}
	if now.Mode.Type() != stored.Mode.Type() || !now.Regular() && !now.IsLink() {
		return false, nil
	}
	if now.IsLink() {
		return string(now.Data) == string(stored.Data), nil
	}
	if now.Stat.Size != stored.Stat.Size {
		return false, nil
	}
	if now.ID == "" {
		in, err := r.tree.Open(path, now)
		if err != nil {
			return false, &edit.Error{Code: edit.Unreadable, Path: path, Err: err}
		}
		id, err := store{r.db}.ID(in, now.Stat.Size)
		in.Close()
		if err != nil {
			return false, &edit.Error{Code: edit.Unreadable, Path: path, Err: err}
		}
		now.ID = id
	}
	return now.ID == stored.ID, nil
}

func parent(p string) string { return path.Dir(p) }

func splitPath(p string) (dir, name string) { return path.Dir(p), path.Base(p) }
