package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// diff changes a file by its part of a unified diff: hunks or a binary patch,
// mode, and where it moves or is copied to.
func (r *run) diff(n *node) Errors {
	if n == nil && r.creates() {
		data, errs := r.whole(r.added(), nil)
		if len(errs) == 0 {
			r.create(data)
		}
		return errs
	}
	if n == nil {
		return r.missing()
	}
	dest := r.target.dest.resolved
	if r.op.Copy && !r.target.moves {
		return fail(Exists, "cannot add file that already exists: it is copied onto itself")
	}
	if r.target.moves && r.picture[dest] != nil {
		what := "move"
		if r.op.Copy {
			what = "copy"
		}
		return Errors{{Code: Exists, Path: dest, Msg: fmt.Sprintf("cannot add file that already exists: it is the target of the %s from %s", what, Quote(r.path))}}
	}
	if !n.mode.IsRegular() {
		return fail(NotRegular, "is no regular file")
	}
	m := *n
	switch {
	case r.op.Binary != nil:
		data, errs := r.patched(n)
		if len(errs) > 0 {
			return errs
		}
		m.same, m.data = nil, data
	case len(r.op.Hunks) > 0:
		if errs := r.patch(&m); len(errs) > 0 {
			return errs
		}
	}
	if mode := r.moded(m.mode); mode != m.mode {
		// What is written anew needs its bytes.
		if _, err := r.content(&m); err != nil {
			return Errors{err}
		}
		m.mode = mode
	}
	switch {
	case !r.target.moves:
	case r.op.Copy:
		data, err := r.content(&m)
		if err != nil {
			return Errors{err}
		}
		m = node{mode: m.mode, data: data}
		r.path = dest
	default:
		delete(r.picture, r.path)
		r.path = dest
	}
	r.picture[r.path] = &m
	return nil
}

// creates reports whether the diff makes a file, though it does not say so:
// one hunk at the top with nothing but added lines.
func (r *run) creates() bool {
	return r.op.MoveTo == "" && len(r.op.Hunks) == 1 && r.op.Hunks[0].At <= 1 && len(r.op.Hunks[0].old()) == 0
}

// added is the text of a hunk that makes a file.
func (r *run) added() string {
	var b strings.Builder
	h := &r.op.Hunks[0]
	for _, l := range h.Lines {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	if h.NewBare {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// patch applies the operation's hunks to the text of a node. All of them are
// matched against the lines as they were before the first.
func (r *run) patch(m *node) Errors {
	if errs := r.control(); len(errs) > 0 {
		return errs
	}
	src, err := r.text(m)
	if err != nil {
		return Errors{err}
	}
	doc := match.Split(src.text)
	d := r.differ(doc, m)
	spots, errs := d.match()
	if len(errs) > 0 && errs[0].Code == NoMatch {
		if again := doc.WithLoneCR(); again != nil {
			e := r.differ(again, m)
			if s, more := e.match(); len(more) == 0 {
				doc, d, spots, errs = again, e, s, nil
				d.note("lone-cr", 0, nil, "a carriage return without line feed was taken as a line break")
			}
		}
	}
	if len(errs) > 0 {
		return errs
	}
	r.notes = append(r.notes, d.notes...)
	if errs := r.omissions(src.text); len(errs) > 0 {
		return errs
	}
	if !slices.ContainsFunc(spots, func(s spot) bool { return s.hunk.changes() }) && d.final == asFile {
		return nil
	}
	if err := r.compose(src, doc, spots); err != nil {
		return Errors{err}
	}
	w := weave(doc, spots)
	w.finish(doc, d.final)
	r.noteControl(w.control, w.controlLines)
	if err := r.store(m, src, w.out); err != nil {
		return Errors{err}
	}
	return nil
}

// A final says how a text ends.
type final uint8

const (
	asFile final = iota // as the file did
	newline
	noNewline
)

// finish gives the text its end.
func (w *writer) finish(doc *match.Document, f final) {
	last := len(doc.Lines) - 1
	if f == noNewline || f == asFile && last >= 0 && len(doc.Ending(last)) == 0 {
		w.unterminate()
		return
	}
	w.terminate()
}

// verify checks that a deletion names all that the file holds.
func (r *run) verify(n *node) Errors {
	if !r.op.Verify {
		return nil
	}
	if !n.mode.IsRegular() {
		return fail(NotRegular, "is no regular file")
	}
	if r.op.Binary != nil {
		return r.preImage(n, true)
	}
	if len(r.op.Hunks) == 0 {
		if size := n.size(); size > 0 {
			return fail(NoMatch, "the diff deletes an empty file, this one has %d bytes: a deletion holds all lines of the file", size)
		}
		return nil
	}
	src, err := r.text(n)
	if err != nil {
		return Errors{err}
	}
	d := r.differ(match.Split(src.text), n)
	var old [][]byte
	for _, h := range r.op.Hunks {
		old = append(old, h.old()...)
	}
	lines := len(d.finder.Doc.Lines)
	for p := range match.Tolerant + 1 {
		if len(old) == lines && d.finder.At(old, 0, p) {
			d.found(0, old, 0, p)
			r.notes = append(r.notes, d.notes...)
			return nil
		}
	}
	var f facts
	f.add("a deletion holds all lines of the file: the diff has %d, the file %d", len(old), lines)
	if !d.finder.At(old, 0, match.Trimmed) {
		g := facts{}
		r.explain(&question{finder: d.finder, old: old, whole: true}, &g)
		f.list, f.lines = append(f.list, g.list...), g.lines
	}
	first := []byte(nil)
	if len(old) > 0 {
		first = old[0]
	}
	return Errors{{Code: NoMatch, Lines: f.lines, Facts: f.list, Line: r.op.Hunks[0].Line, Msg: "the file holds other lines than the deletion: " + firstLine(first)}}
}
