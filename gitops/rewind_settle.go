package gitops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

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
				p.hows[path], p.came[path] = "git", true
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
		if s := p.steps[dir]; p.kept(dir) || s != nil && s.target != nil { // what came with HEAD stands there
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
