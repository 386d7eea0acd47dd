package edit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// A target is where an operation's names lead.
type target struct {
	source, dest place
	moves        bool // dest counts: the operation moves the file elsewhere
}

// paths are the resolved paths that an operation touches.
func (t target) paths() []string {
	if t.moves {
		return []string{t.source.resolved, t.dest.resolved}
	}
	return []string{t.source.resolved}
}

// survey places all names, takes the snapshot and finds what refuses the whole
// request.
func (p *planner) survey() (errs Errors) {
	p.targets = make([]target, len(p.ops))
	refuse := func(i int, name string, err error) {
		e := new(Error)
		if !errors.As(err, &e) {
			e = &Error{Code: Unreadable, Err: err}
		}
		c := *e
		c.Op, c.Line = i+1, p.ops[i].Line
		if c.Path == "" {
			c.Path = name
		}
		errs = append(errs, &c)
	}
	for i := range p.ops {
		op, t := &p.ops[i], &p.targets[i]
		var err error
		if t.source, err = p.find(i, op.Path, op.Kind != Delete && op.MoveTo == ""); err != nil {
			refuse(i, op.Path, err)
			continue
		}
		if err := p.see(op, t.source, op.MoveTo != ""); err != nil {
			refuse(i, op.Path, err)
		}
		if op.MoveTo == "" {
			continue
		}
		if t.dest, err = p.find(i, op.MoveTo, false); err != nil {
			refuse(i, op.MoveTo, err)
			continue
		}
		if !op.Copy {
			p.recase(t.source.resolved, t.dest.resolved)
		}
		if err := p.see(op, t.dest, false); err != nil {
			refuse(i, op.MoveTo, err)
		}
		t.moves = !p.same(t.source.resolved, t.dest.resolved)
	}
	if len(errs) > 0 {
		return errs
	}
	p.list()
	if errs := p.entries(); len(errs) > 0 {
		return errs
	}
	return p.overlap()
}

// list makes the list of touched paths, once all of them are known.
func (p *planner) list() {
	p.touched = slices.Sorted(maps.Keys(p.start))
	for i := len(p.targets) - 1; i >= 0; i-- {
		for _, path := range p.targets[i].paths() {
			p.first[path] = i
		}
	}
}

// entries asks the index about the paths where it matters: those that are not
// on disk, and all of them while a merge or the like is in progress or Index is
// set. A plain edit does not read it.
func (p *planner) entries() (errs Errors) {
	var ask []string
	for _, path := range p.touched {
		if p.start[path] == nil || p.opt.Merging || p.opt.Index {
			ask = append(ask, path)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	found, err := p.tree.Entries(ask)
	if err != nil {
		return Errors{{Code: Unreadable, Msg: "the index cannot be read", Err: err}}
	}
	for i, path := range ask {
		e, op := found[i], p.first[path]
		refuse := func(code Code, format string, args ...any) {
			errs = append(errs, &Error{Code: code, Path: path, Op: op + 1, Line: p.ops[op].Line, Msg: fmt.Sprintf(format, args...)})
		}
		if p.opt.Index && (e == nil) != (p.start[path] == nil) || e != nil && e.Differs {
			p.differs[path] = true // told by the operation on it
		}
		switch {
		case e == nil:
		case e.Gitlink:
			refuse(BadPath, "%s is a submodule: its files belong to a repository of its own", Quote(e.Path))
		case e.SkipWorktree && p.start[path] == nil:
			p.sparse[path] = true // told by the operation on it
		case e.Unmerged:
			p.notes = append(p.notes, Note{Code: "unmerged", Path: path, Op: op + 1, Msg: "the path is unmerged; the bytes on disk are edited"})
		}
	}
	return errs
}

// find places one name and keeps the note that says how it was read.
func (p *planner) find(i int, name string, follow bool) (place, error) {
	lexical, note, err := p.lexical(name)
	if err != nil {
		return place{}, err
	}
	pl, err := p.place(lexical, follow)
	if err != nil {
		return pl, err
	}
	if note != nil {
		note.Path, note.Op, note.Line = pl.resolved, i+1, p.ops[i].Line
		p.notes = append(p.notes, *note)
	}
	for _, n := range []string{name, lexical} {
		if n != pl.resolved && !slices.Contains(p.names[pl.resolved], n) {
			p.names[pl.resolved] = append(p.names[pl.resolved], n)
		}
	}
	return pl, nil
}

// see adds a path to the snapshot and refuses what is no regular file.
func (p *planner) see(op *Op, pl place, moved bool) error {
	f, err := p.lookup(pl.resolved)
	if err != nil {
		return &Error{Code: Unreadable, Err: err}
	}
	p.start[pl.resolved] = f
	switch {
	case f == nil || f.Regular():
		return nil
	case f.IsLink() && moved:
		return &Error{Code: NotRegular, Msg: "a symbolic link cannot be moved"}
	case f.IsLink():
		return nil // deleted itself, or in the way
	case f.IsDir():
		return &Error{Code: NotRegular, Msg: "is a directory"}
	}
	return &Error{Code: NotRegular, Msg: "is " + f.KindName() + ", which is never opened"}
}

// folds reports whether the tree takes two paths for one.
func (p *planner) folds(a, b string) bool { return p.opt.Folds && strings.EqualFold(a, b) }

// recase lets a move to another case of its own name find the place free: what a
// lookup finds there is the file itself.
func (p *planner) recase(from, to string) {
	if _, touched := p.start[to]; !touched && p.folds(from, to) && path.Base(from) != path.Base(to) {
		p.seen[to] = nil
	}
}

// same reports whether two paths are one directory entry under two spellings.
func (p *planner) same(a, b string) bool {
	if a == b || p.folds(a, b) && path.Base(a) == path.Base(b) {
		return true
	}
	f, g := p.start[a], p.start[b]
	return f != nil && g != nil && f.Stat.Ino != 0 && f.Stat.Ino == g.Stat.Ino && f.Stat.Dev == g.Stat.Dev && f.Stat.Nlink == 1
}

// overlap refuses requests in which one touched path is a directory above
// another, unless every operation on the upper one comes first and the last of
// them takes it away; and those in which two names lead to one file.
func (p *planner) overlap() (errs Errors) {
	refuse := func(i int, a, b, how string) {
		errs = append(errs, &Error{Code: Overlap, Path: a, Op: i + 1, Line: p.ops[i].Line,
			Msg: fmt.Sprintf("apply_patch contains overlapping operations: %s %s; send one operation for it", how, Quote(b))})
	}
	inodes, spellings := map[[2]uint64]string{}, map[string]string{}
	for _, path := range p.touched {
		f := p.start[path]
		if f == nil {
			continue
		}
		var other string
		if f.Stat.Ino != 0 {
			key := [2]uint64{f.Stat.Dev, f.Stat.Ino}
			other, inodes[key] = inodes[key], path
		}
		if p.opt.Folds { // some systems give an inode to each spelling
			key := strings.ToLower(path)
			other, spellings[key] = cmp.Or(other, spellings[key]), path
		}
		if other != "" && !p.moved(other, path) {
			refuse(p.first[path], path, other, "it is the same file as")
		}
	}
	spelt := map[string]string{} // resolved path → the name without links that led there
	for i, t := range p.targets {
		other, ok := spelt[t.source.resolved]
		if ok && other != t.source.lexical {
			refuse(i, t.source.lexical, other, "it leads to the same file as")
		}
		spelt[t.source.resolved] = t.source.lexical
	}
	for _, lower := range p.touched {
		for upper := path.Dir(lower); upper != "."; upper = path.Dir(upper) {
			if _, ok := p.start[upper]; !ok {
				continue
			}
			if !p.gone(upper, p.first[lower]) {
				refuse(p.first[lower], lower, upper, "it lies below")
			}
		}
	}
	return errs
}

// moved reports whether one of two paths is the other's Move target.
func (p *planner) moved(a, b string) bool {
	return slices.ContainsFunc(p.targets, func(t target) bool {
		s, d := t.source.resolved, t.dest.resolved
		return d != "" && !t.moves && (s == a && d == b || s == b && d == a)
	})
}

// gone reports whether the operations on a path all come before operation i
// and leave nothing there.
func (p *planner) gone(path string, i int) bool {
	gone := false
	for j, t := range p.targets {
		if !slices.Contains(t.paths(), path) {
			continue
		}
		if j > i {
			return false
		}
		gone = p.ops[j].Kind == Delete || t.moves && !p.ops[j].Copy && t.source.resolved == path
	}
	return gone
}
