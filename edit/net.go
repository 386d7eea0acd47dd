package edit

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"sort"
)

// result is the net change of the picture and the story of every operation.
func (p *planner) result() (*Plan, Errors) {
	plan := &Plan{FailedGroups: len(p.dead)}
	for _, n := range p.notes {
		if n.Op == 0 || p.runs[n.Op-1] != nil {
			plan.Notes = append(plan.Notes, n)
		}
	}
	for i, r := range p.runs {
		out := Outcome{Op: i + 1, Path: p.targets[i].source.resolved}
		if r == nil {
			plan.Failures = append(plan.Failures, p.failures(i)...)
		} else {
			out = r.outcome
			out.Op, out.Path, out.OK = i+1, r.path, true
			plan.Notes = append(plan.Notes, r.notes...)
		}
		plan.Outcomes = append(plan.Outcomes, out)
	}
	boundFacts(plan.Failures, factsMost)
	errs := p.net(plan)
	return plan, append(errs, p.mkdir(plan)...)
}

// What an answer says beyond the reason of each failure, in lines.
const (
	factsMost     = 200 // of a request
	factsMostList = 40  // of a list of edits
	factsMostItem = 3   // of one of several failing items of a list
)

// boundFacts keeps the first so many facts of all failures together.
func boundFacts(errs []*Error, most int) {
	for _, e := range errs {
		e.Facts = e.Facts[:min(len(e.Facts), most)]
		most -= len(e.Facts)
	}
}

// net compares first and last state of every touched path.
func (p *planner) net(plan *Plan) (errs Errors) {
	links := map[string]string{} // resolved path → the link that led there
	for i, t := range p.targets {
		if path := t.source.resolved; p.runs[i] != nil && t.source.link != nil && t.source.lexical != path && links[path] == "" {
			links[path] = t.source.lexical
		}
	}
	for _, path := range p.touched {
		before, n := p.start[path], p.picture[path]
		if before == nil && n == nil {
			continue
		}
		c := Change{Path: path, Before: before, Names: p.names[path]}
		if n != nil {
			same, err := p.unchanged(path, before, n)
			if err != nil {
				errs = append(errs, err)
			}
			if same {
				continue
			}
			if before == nil && n.origin != "" && p.picture[n.origin] == nil {
				c.From = n.origin
			} else if n.mode.IsRegular() {
				// No move that the plan can name: it must hold the bytes itself.
				if _, err := (&run{planner: p}).content(n); err != nil {
					err.Path = cmp.Or(err.Path, n.origin)
					errs = append(errs, err)
				}
			}
			c.After = n.file()
			c.Unseen = p.unseen(path, n.origin)
			if before.Regular() && before.Stat.Nlink > 1 {
				plan.Notes = append(plan.Notes, Note{Code: "hard-link", Path: path, Msg: fmt.Sprintf("a hard link: the file has %d names, the others keep the old content", before.Stat.Nlink)})
			}
		}
		if link := links[path]; link != "" {
			plan.Notes = append(plan.Notes, Note{Code: "symlink", Path: path, Msg: fmt.Sprintf("reached through the link %s, which stays", Quote(link))})
		}
		plan.Changes = append(plan.Changes, c)
	}
	return errs
}

// unchanged compares a path's first and last state. Only bytes that may be
// equal are read.
func (p *planner) unchanged(path string, before *File, n *node) (bool, *Error) {
	switch {
	case before == nil || n.mode != before.Mode || n.size() != before.Stat.Size:
		return false, nil
	case n.same == before:
		return true, nil
	case before.IsLink():
		return false, nil
	}
	r := &run{planner: p}
	old, err := r.content(&node{same: before, origin: path})
	if err != nil {
		return false, err
	}
	data, err := r.content(n)
	if err != nil {
		return false, err
	}
	return bytes.Equal(old, data), nil
}

// mkdir lists the directories that the created files lack. A file where one of
// them should be refuses the request, unless it goes.
func (p *planner) mkdir(plan *Plan) (errs Errors) {
	made := map[string]bool{}
	for _, c := range plan.Changes {
		if c.After == nil || c.Before != nil {
			continue
		}
		for dir := path.Dir(c.Path); dir != "." && !made[dir]; dir = path.Dir(dir) {
			f, err := p.lookup(dir)
			if f.IsDir() {
				break
			}
			if _, touched := p.start[dir]; !touched && (f != nil || err != nil) {
				i := p.first[c.Path]
				errs = append(errs, &Error{Code: NotRegular, Path: c.Path, Op: i + 1, Line: p.ops[i].Line, Err: err,
					Msg: fmt.Sprintf("lies below %s, which is %s", Quote(dir), f.KindName())})
				break
			}
			made[dir] = true
			plan.Mkdir = append(plan.Mkdir, dir)
		}
	}
	sort.Strings(plan.Mkdir)
	return errs
}

// A node is what stands at a path in the picture.
type node struct {
	mode   fs.FileMode
	same   *File  // its content is this file's of the snapshot, untouched
	data   []byte // its content, if same is nil
	origin string // the path its bytes came from, empty for a new file
}

func (n *node) file() *File {
	if n.same != nil {
		return &File{Mode: n.mode, Data: n.same.Data, ID: n.same.ID, Stat: Stat{Size: n.same.Stat.Size}}
	}
	data := n.data
	if data == nil {
		data = []byte{}
	}
	return &File{Mode: n.mode, Data: data, Stat: Stat{Size: int64(len(data))}}
}

func (n *node) size() int64 {
	if n.same != nil {
		return n.same.Stat.Size
	}
	return int64(len(n.data))
}
