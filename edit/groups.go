package edit

import (
	"fmt"
	"path"
	"slices"
)

// group finds each operation's group and the groups it builds on.
func (p *planner) group() {
	p.groups = make([]string, len(p.ops))
	p.needs = make([]map[string]bool, len(p.ops))
	maker := map[string]string{} // path → group of the next operation that makes it
	for i := len(p.ops) - 1; i >= 0; i-- {
		t := p.targets[i]
		p.groups[i] = t.source.resolved
		switch {
		case p.ops[i].Kind == Delete && maker[t.source.resolved] != "":
			// It only makes room, so it falls with what it makes room for.
			p.groups[i] = maker[t.source.resolved]
		case t.moves:
			maker[t.dest.resolved] = p.groups[i]
		}
	}
	last := map[string]string{} // path → group that touched it last
	for i, t := range p.targets {
		p.needs[i] = map[string]bool{}
		for _, touched := range t.paths() {
			// What lies below a path builds on its having gone.
			for at := touched; at != "."; at = path.Dir(at) {
				if g, ok := last[at]; ok && g != p.groups[i] {
					p.needs[i][g] = true
				}
			}
		}
		for _, touched := range t.paths() {
			last[touched] = p.groups[i]
		}
	}
	p.members, p.builders = map[string][]int{}, map[string][]int{}
	for i, g := range p.groups {
		p.members[g] = append(p.members[g], i)
		for needed := range p.needs[i] {
			p.builders[needed] = append(p.builders[needed], i)
		}
	}
}

// A failure is why a group dropped out.
type failure struct {
	op     int // the operation that failed
	errs   Errors
	root   string // path of the failure that caused it, its own if it failed itself
	rootOp int    // the operation of that failure
	reason Code   // empty if it failed itself
}

// perform runs the operations until none of those that are left fails. A group
// that dropped out never comes back in. Only what is unreadable returns errors
// here.
func (p *planner) perform() Errors {
	p.dead, p.fallen = map[string]*failure{}, map[string]*failure{}
	for {
		p.picture = map[string]*node{}
		for path, f := range p.start {
			if f != nil {
				p.picture[path] = &node{mode: f.Mode, same: f, origin: path}
			}
		}
		p.runs = make([]*run, len(p.ops))
		again := false
		for i := range p.ops {
			if p.dead[p.groups[i]] != nil {
				continue
			}
			if root, skipped := p.blocked(i); root != nil {
				reason := RolledBack
				if skipped {
					reason = Skipped
				}
				again = p.drop(i, &failure{op: i, root: root.root, rootOp: root.rootOp, reason: reason}) || again
				continue
			}
			r := &run{planner: p, op: &p.ops[i], target: p.targets[i], path: p.targets[i].source.resolved, number: i + 1}
			errs := r.carry()
			for _, e := range errs {
				e.Op, e.Line = i+1, cmpOr(e.Line, p.ops[i].Line)
				if e.Path == "" {
					e.Path = r.path
				}
			}
			if refusesAll(errs) {
				return errs
			}
			if len(errs) > 0 {
				again = p.drop(i, &failure{op: i, errs: errs, root: errs[0].Path, rootOp: i}) || again
				continue
			}
			p.runs[i] = r
		}
		if !again {
			return nil
		}
	}
}

// refusesAll reports failures that refuse the whole request.
func refusesAll(errs Errors) bool {
	return slices.ContainsFunc(errs, func(e *Error) bool {
		return e.Code == Unreadable || e.Code == Stale || e.Code == Placeholder || e.Code == ReaderLine
	})
}

func cmpOr(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}

// blocked tells why an operation cannot run: a group it builds on dropped out,
// or one of its paths belongs to such a group since an earlier failure.
func (p *planner) blocked(i int) (f *failure, skipped bool) {
	for g := range p.needs[i] {
		if d := p.dead[g]; d != nil && (f == nil || d.op < f.op) {
			f = d
		}
	}
	for _, path := range p.targets[i].paths() {
		if d := p.fallen[path]; d != nil && (f == nil || d.op < f.op) {
			f = d
		}
	}
	return f, f != nil && f.rootOp < i
}

// drop takes a group out. It reports whether the picture must be made again,
// because an operation of the group has left its mark in it.
func (p *planner) drop(i int, f *failure) (again bool) {
	g := p.groups[i]
	for _, j := range p.members[g] {
		for _, path := range p.targets[j].paths() {
			if d := p.fallen[path]; d == nil || f.op < d.op {
				p.fallen[path] = f
			}
		}
		again = again || p.runs[j] != nil
	}
	p.dead[g] = f
	for _, j := range p.builders[g] { // earlier operations that build on the group
		again = again || j < i && p.runs[j] != nil
	}
	return again
}

// failures tells why an operation was not carried out.
func (p *planner) failures(i int) []*Error {
	f := p.dead[p.groups[i]]
	if f.op == i && f.reason == "" {
		return f.errs
	}
	e := &Error{Path: p.targets[i].source.resolved, Op: i + 1, Line: p.ops[i].Line}
	if f.rootOp < i {
		e.Code, e.Msg = Skipped, fmt.Sprintf("skipped, because %s failed", Quote(f.root))
	} else {
		e.Code, e.Msg = RolledBack, fmt.Sprintf("rolled back, because %s failed: it matched, was not written and must be sent again together with it", Quote(f.root))
	}
	return []*Error{e}
}
