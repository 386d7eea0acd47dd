package gitops

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/chordgit/chordgit/edit"
)

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
		switch {
		case !now.IsDir():
		case slices.Contains(p.d.made, c.Path) || p.rmdir[c.Path]:
			s.dir, now = true, nil
		case c.Before == nil && slices.Contains(p.d.turn.RemovedDirs, c.Path):
			now = nil // back already; what is in it has a step of its own
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
	same, err := p.same(path, s.now, s.before)
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
