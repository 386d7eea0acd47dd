package edit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"
	"github.com/chordgit/chordgit/edit/internal/match"
)

// A Meanwhile says that somebody else changed a path since the turn of the agent
// that sends the request began, and that the agent cannot have seen it.
type Meanwhile struct {
	// Seen is the newest content that the agent can have seen, nil if it saw the
	// path absent. It is empty (a zero File) where nobody knows.
	Seen *File
	// Logged says that the agent's reads are known: it did not look at the path
	// after the change.
	Logged bool
	// Told is the newest content that the agent wrote itself, putting text into the
	// changed file, and of which it was told then; nil if it did not. Old says that
	// this is what stands there: nothing came since.
	Told *File
	Old  bool
}

const changedMeanwhile Code = "changed-meanwhile"

// mostBuried is how many lines a message quotes of a change made meanwhile.
const mostBuried = 10

// carry carries an operation out and looks at what somebody else did to its file
// since the agent's turn began. What finds its place by text fits the file as it
// is. What carries whole content, or drops it, would bury the other change.
func (r *run) carry() Errors {
	was := map[string]*node{}
	for _, path := range r.target.paths() {
		was[path] = r.picture[path]
	}
	errs := r.do()
	if len(errs) == 0 {
		errs = r.overMeanwhile()
	}
	if len(errs) > 0 { // as if it had not been tried
		for path, n := range was {
			if n == nil {
				delete(r.picture, path)
			} else {
				r.picture[path] = n
			}
		}
	}
	return errs
}

// overMeanwhile leaves a note about a change made meanwhile, one a path, or
// refuses to bury it.
func (r *run) overMeanwhile() Errors {
	path := r.target.source.resolved
	m, err := r.meanwhile(path)
	if err != nil {
		return Errors{err}
	}
	if m == nil {
		return nil
	}
	note := func(lines []int, format string, args ...any) {
		told := slices.ContainsFunc(r.runs, func(o *run) bool {
			return o != nil && slices.ContainsFunc(o.notes, func(n Note) bool { return n.Code == changedMeanwhile && n.Path == path })
		})
		if !told {
			r.notes = append(r.notes, Note{Code: changedMeanwhile, Path: path, Op: r.number, Lines: lines, Msg: fmt.Sprintf(format, args...)})
		}
	}
	if r.start[path] == nil {
		note(nil, "somebody else deleted the file since the turn began; it was made again")
		return nil
	}
	known := m.Seen
	if m.Told != nil && !r.wholesale() {
		known = m.Told
	}
	c := r.compare(path, known)
	switch {
	case m.Old && !r.wholesale():
	case !r.wholesale() || len(c.hunks) > 0 && len(c.buried) == 0:
		note(numbers(c.changed), "somebody else changed the file since the turn began%s; that change stands in it, too: read it again before relying on the code around", where(c.changed, ", at line"))
	case m.Logged && !r.opt.Force:
		e := &Error{Code: StaleOverwrite, Path: path, Lines: numbers(c.buried), Msg: "somebody else changed the file since the turn began, and it was not read since: this would bury that change" + where(c.buried, " at line"), Facts: c.quote()}
		return Errors{e}
	default:
		note(numbers(c.buried), "somebody else changed the file since the turn began, and this went over that change%s; the replaced bytes are in the turn", where(c.buried, " at line"))
	}
	return nil
}

// unseen reports whether what comes to stand at a path, with bytes that came from
// there or from origin, carries a change made meanwhile: what a request sends as a
// whole does not.
func (p *planner) unseen(path, origin string) bool {
	for i, r := range p.runs {
		if k := p.ops[i].Kind; r != nil && p.dead[p.groups[i]] == nil && (k == Write || k == Add) && p.targets[i].source.resolved == path {
			return false
		}
	}
	changed := func(at string) bool { return p.others[at] != nil && p.start[at] != nil }
	return changed(path) || origin != "" && changed(origin)
}

// where names places behind a phrase, nothing if there are none.
func where(at []int, phrase string) string {
	if len(at) == 0 {
		return ""
	}
	return fmt.Sprintf("%s%s %s", phrase, plural(len(at)), list(at, len(at)))
}

// wholesale reports whether the operation carries the whole content of its file
// or drops it. A deletion that names the lines it deletes finds them by text.
func (r *run) wholesale() bool {
	switch r.op.Kind {
	case Write:
		return true
	case Delete:
		return !r.op.Verify
	}
	return r.target.moves && !r.op.Copy
}

// meanwhile asks the tree about a path, once.
func (p *planner) meanwhile(path string) (*Meanwhile, *Error) {
	if m, ok := p.others[path]; ok {
		return m, nil
	}
	m, err := p.tree.Meanwhile(path, p.start[path])
	if err != nil {
		if known := new(Error); errors.As(err, &known) && known.Code == Stale {
			return nil, known
		}
		return nil, &Error{Code: Unreadable, Path: path, Msg: "what stood there when the turn began cannot be read", Err: err}
	}
	p.others[path] = m
	return m, nil
}

// A comparison is what a change made meanwhile comes to, in lines of the file
// as it was found, from 0.
type comparison struct {
	doc     *match.Document
	hunks   []lcs.Diff // from what was seen to what was found; none: not known
	changed []int      // lines of the other change; where it only took lines, the one behind
	buried  []int      // those of them that the operation does not leave
}

// compare finds the lines that differ from what the agent knows. Of what is no text, and
// where nobody knows what was there before, there are none.
func (r *run) compare(path string, known *File) (c comparison) {
	now, ok := r.lines(&node{mode: r.start[path].Mode, same: r.start[path], origin: path})
	if !ok {
		return c
	}
	var seen, after *match.Document
	if known != nil {
		if known.Data == nil {
			return c
		}
		if seen, ok = r.lines(&node{mode: known.Mode, data: known.Data}); !ok {
			return c
		}
	}
	c.doc = now
	c.hunks = diffDocuments(seen, now)
	var ours []lcs.Diff
	if n := r.picture[path]; n != nil {
		if after, ok = r.lines(n); ok {
			ours = diffDocuments(now, after)
		}
	}
	for _, h := range c.hunks {
		lines := lineRange(h.ReplStart, h.ReplEnd, len(now.Lines))
		c.changed = append(c.changed, lines...)
		if after == nil || slices.ContainsFunc(ours, func(o lcs.Diff) bool { return meets(h, o) }) {
			c.buried = append(c.buried, lines...)
		}
	}
	return c
}

// meets reports whether a change of lines touches what another change made: our
// from and to are lines of what theirs ended with.
func meets(theirs, ours lcs.Diff) bool {
	if theirs.ReplStart == theirs.ReplEnd { // they took lines away
		return ours.Start <= theirs.ReplStart && theirs.ReplStart <= ours.End
	}
	return ours.Start < theirs.ReplEnd && theirs.ReplStart < ours.End
}

// lineRange lists lines, or the one behind where there are none.
func lineRange(from, to, count int) (lines []int) {
	if from == to {
		return []int{max(min(from, count-1), 0)}
	}
	for i := from; i < to; i++ {
		lines = append(lines, i)
	}
	return lines
}

// lines are the lines of what stands at a path; false if they cannot be told.
func (r *run) lines(n *node) (*match.Document, bool) {
	src, err := r.text(n)
	if err != nil {
		return nil, false
	}
	return match.Split(src.text), true
}

// diffDocuments compares two texts by lines, their endings left out. Nil has
// none.
func diffDocuments(a, b *match.Document) []lcs.Diff {
	lines := func(d *match.Document) (out []string) {
		if d == nil {
			return nil
		}
		for i := range d.Lines {
			out = append(out, string(d.Line(i)))
		}
		return out
	}
	return lcs.DiffLines(lines(a), lines(b))
}

// quote gives the buried lines.
func (c *comparison) quote() (facts []string) {
	for _, i := range c.buried[:min(len(c.buried), mostBuried)] {
		if i < len(c.doc.Lines) {
			facts = append(facts, fmt.Sprintf("line %d: %s", i+1, quoted(string(c.doc.Line(i)))))
		}
	}
	return facts
}
