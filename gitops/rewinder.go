package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// A step is what happens to one path of a turn that is taken back.
type step struct {
	before, after *edit.File // of the turn
	now           *edit.File // on disk, or what the turns taken back so far make of it
	target        *edit.File // what shall be there
	dir           bool       // a directory that the turn made, or a newer one, stands there
	nothing       bool       // it is as it shall be already
	why           string     // the conflict; empty: none
	left          string     // why it is not this turn's to take back; empty: it is
	note          string
	who           string // the program that has it open
	wall, kind    string // the path above it that is no directory, and what it is
	lines         []int  // of a conflict
	how           string // merged, renamed; empty: as the kinds say
	unstored      *metaSkip
}

// stays reports whether the path is left as it is.
func (s *step) stays() bool { return s.why != "" || s.left != "" }

// A rewinder plans the taking back of turns, the newest first: each is inverted
// on what the ones before it leave.
type rewinder struct {
	r   *Repo
	opt *RewindOptions

	batch   *object.Batch         // takes merged texts; nil: the plan holds them
	disk    map[string]*edit.File // what was there when it was looked at
	glances map[*edit.File]glance // of files in disk
	state   map[string]*edit.File // what will be there
	held    map[string]int        // directories: how many files of the state will be below them
	hows    map[string]string
	homes   map[string]string // a moved file: where it goes → where it is
	blocked map[string]bool   // in conflict in a newer turn: left alone in the older ones

	rmdir   map[string]bool // directories that a turn made
	mkdir   map[string]bool // empty directories that a turn removed
	modes   map[string]edit.DirMode
	dirMode map[string]*delta // of a directory that may have to be made: who knows its permissions

	failures  []*edit.Error
	conflicts map[string]Conflict
	notes     []edit.Note
	left      []Left
	git       *gitPlan        // nil: HEAD and what came with its moves stay
	back      bool            // HEAD goes back in the turn at hand
	found     map[string]bool // paths of the options that some turn has

	// of the turn at hand
	d     *delta
	steps map[string]*step
	order []string
	named func() (map[string]bool, error) // by edit calls and applies: what is in use there is a conflict
}

func (r *Repo) rewinder(opt *RewindOptions) *rewinder {
	return &rewinder{
		r: r, opt: opt, disk: map[string]*edit.File{}, glances: map[*edit.File]glance{}, state: map[string]*edit.File{}, held: map[string]int{}, hows: map[string]string{}, homes: map[string]string{},
		blocked: map[string]bool{}, rmdir: map[string]bool{}, mkdir: map[string]bool{}, modes: map[string]edit.DirMode{},
		dirMode: map[string]*delta{}, found: map[string]bool{}, conflicts: map[string]Conflict{},
	}
}

// take inverts one turn.
func (p *rewinder) take(d *delta) error {
	p.d, p.steps, p.order = d, map[string]*step{}, nil
	// Seldom asked, and every turn since must be read for it.
	p.named = sync.OnceValues(func() (map[string]bool, error) { return p.r.namedPaths(d.turn) })
	changes := d.changes
	if p.opt.Paths != nil {
		changes = p.limited(changes)
	}
	if err := p.look(changes); err != nil {
		return err
	}
	if err := p.renames(changes); err != nil {
		return err
	}
	if err := p.groups(changes); err != nil {
		return err
	}
	p.settle(changes)
	return nil
}

// now is what stands at a path, after what was taken back so far.
func (p *rewinder) now(path string) (*edit.File, error) {
	if f, ok := p.state[path]; ok {
		if f == nil && p.held[path] > 0 {
			f = &edit.File{Mode: fs.ModeDir | 0o777}
		}
		return f, nil
	}
	if f, ok := p.disk[path]; ok && (f != nil || p.held[path] == 0) {
		return f, nil
	}
	f, err := p.r.tree.Lookup(path)
	if err != nil {
		return nil, &edit.Error{Code: edit.Unreadable, Path: path, Err: err}
	}
	p.disk[path] = f
	if f == nil && p.held[path] > 0 {
		f = &edit.File{Mode: fs.ModeDir | 0o777}
	}
	return f, nil
}

// set gives a path its state.
func (p *rewinder) set(path string, f *edit.File) {
	n := 0
	if f != nil {
		n++
	}
	if p.state[path] != nil {
		n--
	}
	for up := parent(path); n != 0 && up != "."; up = parent(up) {
		p.held[up] += n
	}
	p.state[path] = f
}

// A glance is what a survey found out about a regular file.
type glance struct {
	id    string
	inUse bool // a program can still write to it
}

// survey looks at the files of many paths, several at a time, ahead of the
// decisions, which come one by one. What it cannot look at is left to them.
func (p *rewinder) survey(changes []edit.Change) {
	if len(changes) < fewParts {
		return
	}
	var mu sync.Mutex
	_ = inParts(len(changes), func(from, to int) error {
		s := p.r.tree.Survey()
		defer s.Close()
		for _, c := range changes[from:to] {
			f, err := s.Lookup(c.Path)
			if err != nil {
				continue
			}
			var g glance
			known := f.Regular() && (c.Before.Regular() && c.Before.Stat.Size == f.Stat.Size || c.After.Regular() && c.After.Stat.Size == f.Stat.Size)
			if known {
				if g.id, g.inUse, err = s.ID(c.Path, f); err != nil {
					continue
				}
			}
			mu.Lock()
			if _, ok := p.disk[c.Path]; !ok {
				p.disk[c.Path] = f
				if known {
					p.glances[f] = g
				}
			}
			mu.Unlock()
		}
		return nil
	})
}

// same reports whether what is there has kind and bytes of what is stored.
func (p *rewinder) same(path string, now, stored *edit.File) (bool, error) {
	if g, ok := p.glances[now]; ok && stored.Regular() {
		if g.id == stored.ID {
			now.ID = g.id
		}
		return g.id == stored.ID, nil
	}
	return p.r.same(path, now, stored)
}

// look decides each path by itself.
func (p *rewinder) look(changes []edit.Change) error {
	p.survey(changes)
	for _, c := range changes {
		s := &step{before: c.Before, after: c.After, target: c.Before}
		p.steps[c.Path], p.order = s, append(p.order, c.Path)
		now, err := p.now(c.Path)
		if noRights(err) {
			s.why = whyUnreadable
			continue
		}
		if err != nil {
			return err
		}
		if now.IsDir() && (slices.Contains(p.d.made, c.Path) || p.rmdir[c.Path]) {
			s.dir, now = true, nil
		}
		s.now = now
		if skip, ok := p.d.unstored[c.Path]; ok && c.After == nil {
			s.unstored = &skip
		}
		if p.blocked[c.Path] {
			s.left = "in conflict in a later turn"
			continue
		}
		if err := p.owned(c, s); err != nil {
			return err
		}
		if s.stays() {
			if err := p.isBack(c.Path, s); err != nil {
				return err
			}
			continue
		}
		err = p.decide(c.Path, s)
		if err == nil && !s.stays() && !s.nothing {
			err = p.readable(c.Path, s.now)
		}
		if noRights(err) {
			s.why = whyUnreadable
		} else if err != nil {
			return err
		}
	}
	return nil
}

// whyUnreadable is the conflict of a path at which the user may not look: nobody
// knows what would be replaced, and it could not be stored.
const whyUnreadable = "unreadable"

// noRights reports whether something in the worktree is kept from the user.
func noRights(err error) bool {
	return errors.Is(err, &edit.Error{Code: edit.Unreadable}) && errors.Is(err, fs.ErrPermission)
}

// readable opens a file that nobody has read yet.
func (p *rewinder) readable(path string, f *edit.File) error {
	if !f.Regular() || f.ID != "" || f.Data != nil || f.Stat.Ino == 0 {
		return nil
	}
	in, err := p.r.tree.Open(path, f)
	if err != nil {
		return &edit.Error{Code: edit.Unreadable, Path: path, Err: err}
	}
	return in.Close()
}

// owned leaves what is not this turn's to take back: what others wrote, and
// what nobody can prove to have been absent.
func (p *rewinder) owned(c edit.Change, s *step) error {
	if c.Before == nil && p.d.proof != nil && (p.back || !p.d.edited[c.Path]) {
		absent, err := p.d.proof.absent(c.Path)
		if err != nil {
			return damaged(p.d.turn.N, err)
		}
		// Where a directory stood the tree proves what it was.
		if !absent && !p.d.proof.isDir(c.Path) && !p.d.empty[c.Path] {
			s.left = "nobody can tell that it was not there before"
			if skip, ok := p.d.turn.meta.Skipped.start()[c.Path]; ok {
				s.left = "it was there before and is not stored (" + skip.Why + ")"
			}
			return nil
		}
	}
	owner := p.d.turn.Owner(c.Path)
	switch {
	case owner != OwnerSelf && p.opt.Turn.Session != "" && (slices.Contains(p.opt.Owners, owner) || p.asked(c.Path)):
		s.why = NotYours
	case owner == OwnerSelf && len(p.opt.Owners) == 0, slices.Contains(p.opt.Owners, owner), p.asked(c.Path):
	case owner == OwnerGit && p.back:
	case owner == OwnerGit:
		s.left = leftCame
	case owner == OwnerAmbiguous:
		s.why = OwnerAmbiguous
	default:
		s.left = "its owner is " + owner
	}
	return nil
}

// isBack finds that a path which is not this turn's to take back is as the turn
// found it: then nobody has anything to do. Of what came with a move of HEAD there
// may be very much, and it is only counted.
func (p *rewinder) isBack(path string, s *step) error {
	if s.left == leftCame || s.dir || s.now != nil && s.before != nil && s.now.Mode != s.before.Mode {
		return nil
	}
	same, err := p.r.same(path, s.now, s.before)
	if same {
		s.nothing, s.why, s.left = true, "", ""
	}
	return err
}

// decide is the table of one path: before, after, now.
func (p *rewinder) decide(path string, s *step) error {
	asBefore, err := p.same(path, s.now, s.before)
	if err != nil {
		return err
	}
	asAfter, err := p.asAfter(path, s)
	if err != nil {
		return err
	}
	if !asBefore && !p.opt.Force {
		if busy, err := p.busy(path, s); busy || err != nil {
			return err
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
		p.keepMode(s)
	case s.now.Regular() && s.before.Regular() && s.after.Regular():
		return p.merge(path, s)
	default:
		p.conflict(s, conflict(s))
	}
	return nil
}

// asAfter reports whether a path is as the turn left it. What was not stored at
// its end is known by size and time.
func (p *rewinder) asAfter(path string, s *step) (bool, error) {
	if s.unstored == nil {
		if s.after == nil && below(path, p.d.open) {
			return false, nil // not known to have been absent
		}
		return p.same(path, s.now, s.after)
	}
	if s.now == nil {
		return false, nil
	}
	if s.unstored.Why == "special" {
		return !s.now.Regular() && !s.now.IsLink() && !s.now.IsDir(), nil
	}
	return s.now.Stat.Size == s.unstored.Size && s.now.Stat.Mtime == s.unstored.Mtime, nil
}

// busy leaves a file to the program that writes to it, or of which the start
// may be a mixture. Where a call of an agent names the path it is a conflict.
func (p *rewinder) busy(path string, s *step) (bool, error) {
	why := ""
	if s.now.Regular() && s.now.Data == nil {
		if g, ok := p.glances[s.now]; !ok || g.inUse {
			if who, busy := p.r.tree.InUse(path, s.now); busy {
				why, s.who = "in use", who
			}
		}
	}
	if why == "" && p.d.unstable[path] {
		why = "unstable"
	}
	if why == "" {
		return false, nil
	}
	named, err := p.named()
	if err != nil {
		return false, err
	}
	switch {
	case named == nil || named[path]:
		s.why = why
	default:
		s.left = "another program writes to it"
		if s.who != "" {
			s.left = "another program writes to it: " + edit.Quote(s.who)
		}
	}
	return true, nil
}

// keepMode leaves permissions that changed since.
func (p *rewinder) keepMode(s *step) {
	if s.target.Regular() && s.now.Regular() && s.after.Regular() && s.now.Mode != s.after.Mode {
		kept := *s.target
		kept.Mode = s.now.Mode
		s.target, s.note = &kept, "its permissions changed since and stay"
	}
}

// conflict leaves a path, or takes what was before all the same if that is
// asked for.
func (p *rewinder) conflict(s *step, why string) {
	s.why = why
	if p.opt.Force && (s.now == nil || s.now.Regular() || s.now.IsLink()) {
		s.why = ""
	}
}

// conflict says how a path that is neither as before nor as after differs.
func conflict(s *step) string {
	switch {
	case s.now != nil && !s.now.Regular() && !s.now.IsLink():
		return "kind"
	case s.now == nil:
		return "gone since"
	case s.after == nil && s.unstored == nil:
		return "exists again"
	case s.unstored != nil:
		return "edited since"
	case s.now.Mode.Type() != s.after.Mode.Type():
		return "kind"
	case s.now.IsLink() && s.before.IsLink():
		return "link"
	case s.before != nil && s.before.Mode.Type() != s.now.Mode.Type():
		return "kind"
	}
	return "edited since"
}

// unknown forgets the id of what is on disk unless the turn has that content:
// then it is known by its hash alone, and stored nowhere yet.
func (s *step) unknown() {
	if s.now == nil || s.now.Stat.Ino == 0 {
		return
	}
	for _, f := range []*edit.File{s.before, s.after} {
		if f != nil && f.ID == s.now.ID {
			return
		}
	}
	s.now.ID = ""
}

// settle makes the decisions the state for the turns before.
func (p *rewinder) settle(changes []edit.Change) {
	n, came := p.d.turn.N, 0
	for _, path := range p.order {
		s := p.steps[path]
		s.unknown()
		if s.note != "" && !s.stays() {
			p.notes = append(p.notes, edit.Note{Code: "permissions", Path: path, Msg: s.note})
		}
		switch {
		case s.why != "":
			p.blocked[path] = true
			code := edit.Conflict
			switch s.why {
			case OwnerAmbiguous:
				code = edit.Ambiguous
			case NotYours:
				code = edit.Denied
			}
			p.conflicts[path] = s.told(path, n)
			p.failures = append(p.failures, &edit.Error{Code: code, Path: path, Why: s.why, Lines: s.lines, Msg: fmt.Sprintf("%s: %s", s.why, p.explain(s))})
		case s.left == leftCame:
			p.blocked[path] = true
			came++
		case s.left != "":
			p.blocked[path] = true
			p.left = append(p.left, Left{path, s.left})
		case !s.nothing:
			p.set(path, s.target)
			p.hows[path] = s.how
			if p.back && (p.d.edited[path] || p.d.turn.Owner(path) == OwnerGit) {
				p.hows[path], p.git.came[path] = "git", true
			}
		}
	}
	p.noteGit(came)
	for _, c := range changes {
		if s := p.steps[c.From]; c.From != "" && s != nil && !s.stays() && !p.steps[c.Path].stays() {
			p.homes[c.From] = c.Path
		}
	}
	for _, dir := range p.d.made {
		if p.kept(dir) {
			continue
		}
		if p.opt.Paths == nil || below(dir, p.opt.Paths) || p.holds(dir) {
			p.rmdir[dir] = true
			delete(p.mkdir, dir)
		}
	}
	for _, dir := range p.d.remake {
		if p.kept(dir) {
			continue
		}
		if p.opt.Paths == nil || below(dir, p.opt.Paths) {
			p.mkdir[dir] = true
			delete(p.rmdir, dir)
		}
	}
	for _, m := range p.d.dirModes {
		if p.opt.Paths == nil || below(m.Path, p.opt.Paths) {
			p.modes[m.Path] = m
		}
	}
	for _, c := range changes {
		for up := parent(c.Path); up != "."; up = parent(up) {
			p.dirMode[up] = p.d
		}
	}
	for _, dir := range p.d.remake {
		p.dirMode[dir] = p.d
	}
	if p.opt.Paths == nil {
		p.left = append(p.left, p.d.untouched...)
	}
}

// kept reports whether a directory stands, or lies, where a path is left as it
// is.
func (p *rewinder) kept(dir string) bool {
	for ; dir != "."; dir = parent(dir) {
		if s := p.steps[dir]; s != nil && s.stays() {
			return true
		}
	}
	return false
}

// holds reports whether a path of the turn lies in a directory.
func (p *rewinder) holds(dir string) bool {
	return slices.ContainsFunc(p.order, func(path string) bool { return strings.HasPrefix(path, dir+"/") || path == dir })
}

// told is what a person is told of a conflict.
func (s *step) told(path string, turn int) Conflict {
	c := Conflict{Turn: turn, Before: s.before != nil, After: s.after != nil}
	c.Now = s.now.Regular() || s.now.IsLink()
	switch {
	case s.wall != "":
		c.InWay, c.Now = s.wall, false
	case s.now != nil && !c.Now:
		c.InWay = path
	case s.why != "occupied":
		c.Force = true
	}
	return c
}

// explain says what a conflict's reason means here.
func (p *rewinder) explain(s *step) string {
	n := p.d.turn.N
	switch s.why {
	case "gone since":
		if s.wall != "" {
			return fmt.Sprintf("%s is %s now", edit.Quote(s.wall), s.kind)
		}
		return fmt.Sprintf("turn %d left a file here that is no longer there", n)
	case "exists again":
		return fmt.Sprintf("turn %d removed it, and there is another one now", n)
	case "kind":
		return fmt.Sprintf("it is %s now", s.now.KindName())
	case "link":
		return fmt.Sprintf("the link has another target than turn %d gave it", n)
	case "binary":
		return fmt.Sprintf("changed since turn %d, and no text that could be merged", n)
	case whyUnreadable:
		return "it cannot be read now: permission denied"
	case "overlap":
		if s.note != "" {
			return s.note
		}
		return fmt.Sprintf("changed since turn %d where that changed it (%s)", n, lineWords(s.lines))
	case "in use":
		if s.who != "" {
			return "it is open for writing in " + edit.Quote(s.who)
		}
		return "another program has it open for writing"
	case "unstable":
		return "a program was writing to it when the turn began: what is stored may be a mixture"
	case "occupied":
		return "it goes only together with paths that cannot go"
	case NotYours:
		return "an agent takes back only what its own session wrote"
	case OwnerAmbiguous:
		return fmt.Sprintf("turn %d and others were at work when it changed: --owner self,ambiguous takes it back", n)
	}
	return fmt.Sprintf("changed since turn %d", n)
}

// lineWords names lines.
func lineWords(lines []int) string {
	switch {
	case len(lines) == 0:
		return "all of it"
	case len(lines) == 1:
		return fmt.Sprintf("line %d", lines[0])
	case len(lines) > 10:
		return fmt.Sprintf("lines %d to %d", lines[0], lines[len(lines)-1])
	}
	return "lines " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(lines)), ", "), "[]")
}

func parent(p string) string { return path.Dir(p) }

func splitPath(p string) (dir, name string) { return path.Dir(p), path.Base(p) }
