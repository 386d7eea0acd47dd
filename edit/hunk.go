package edit

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// A spot is where a hunk goes: it takes the place of count lines from line at.
type spot struct {
	hunk      *Hunk
	at, count int
	tolerant  bool   // found by the tolerant step
	lines     []Line // as they will be written: cleaned, in the file's characters
	ending    []byte // of all its new lines; nil: that of the lines around each
}

// hunks applies the hunks of one section to a text and returns the new text.
// All of them are matched against the lines as they were when the section
// began.
func (r *run) hunks(op *Op, src *source) ([]byte, *Error) {
	doc := match.Split(src.text)
	m := &matcher{run: r, op: op, finder: match.NewFinder(doc, len(op.Hunks))}
	spots, err := m.match()
	if err != nil && err.Code == NoMatch {
		// A lone CR beside LFs is data, unless the text is only found with it as
		// a line break.
		if again := doc.WithLoneCR(); again != nil {
			n := &matcher{run: r, op: op, finder: match.NewFinder(again, len(op.Hunks))}
			if s, e := n.match(); e == nil {
				doc, m, spots, err = again, n, s, nil
				m.note("lone-cr", 0, nil, "a carriage return without line feed was taken as a line break")
			}
		}
	}
	if err != nil {
		return nil, err
	}
	r.notes = append(r.notes, m.notes...)
	if !slices.ContainsFunc(spots, func(s spot) bool { return s.hunk.changes() }) {
		return src.text, nil
	}
	if err := r.compose(src, doc, spots); err != nil {
		return nil, err
	}
	w := splice(doc, spots, r.opt.PreserveFinalNewline)
	r.noteControl(w.control, w.controlLines)
	return w.out, nil
}

// changes reports whether the hunk has more than context.
func (h *Hunk) changes() bool {
	return slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Kind != Context })
}

// old returns the lines that must stand in the file.
func (h *Hunk) old() [][]byte {
	var old [][]byte
	for _, l := range h.Lines {
		if l.Kind != Added {
			old = append(old, []byte(l.Text))
		}
	}
	return old
}

// new returns the lines that stand there afterwards.
func (h *Hunk) new() [][]byte {
	var lines [][]byte
	for _, l := range h.Lines {
		if l.Kind != Removed {
			lines = append(lines, []byte(l.Text))
		}
	}
	return lines
}

// A matcher finds the places of one section's hunks.
type matcher struct {
	*run
	op     *Op
	finder *match.Finder
	notes  []Note
	cursor int // first line that the next hunk may take
	ends   int // last line + 1 that an earlier hunk took, for messages
}

func (m *matcher) note(code Code, hunk int, lines []int, format string, args ...any) {
	m.notes = append(m.notes, Note{Code: code, Path: m.path, Op: m.number, Hunk: hunk, Lines: lines, Msg: fmt.Sprintf(format, args...)})
}

func (m *matcher) match() ([]spot, *Error) {
	var spots []spot
	for i := range m.op.Hunks {
		s, err := m.place(i)
		if err != nil {
			err.Path, err.Op, err.Hunk, err.Of, err.Line = m.path, m.number, i+1, len(m.op.Hunks), m.op.Hunks[i].Line
			return nil, err
		}
		spots = append(spots, s)
	}
	// Pure insertions may go before places that earlier hunks found.
	slices.SortStableFunc(spots, func(a, b spot) int { return a.at - b.at })
	return spots, nil
}

// place finds where hunk i goes and moves the cursor behind it.
func (m *matcher) place(i int) (spot, *Error) {
	h := &m.op.Hunks[i]
	start, anchor, missing := m.anchors(i)
	old := h.old()
	lines := len(m.finder.Doc.Lines)
	if len(old) == 0 {
		at := lines
		if !h.EOF && anchor >= 0 {
			at, m.cursor = anchor+1, anchor+1
		} else if !h.EOF {
			m.note("appended", i+1, nil, "hunk %d has no lines to find its place by and was added at the end of the file", i+1)
		}
		m.repeated(i, at)
		return spot{hunk: h, at: at}, nil
	}
	// An anchor repeated as the first line of the hunk is that line.
	if anchor >= 0 && bytes.Equal(bytes.TrimSpace(m.finder.Doc.Line(anchor)), bytes.TrimSpace(old[0])) {
		start = anchor
	}
	var s spot
	var err *Error
	if h.EOF {
		s, err = m.tail(i, old, start)
	} else {
		s, err = m.search(i, old, start, missing)
	}
	if err != nil {
		return s, err
	}
	m.cursor = s.at + s.count
	m.ends = max(m.ends, m.cursor)
	return s, nil
}

// anchors walks down the hunk's anchors. It returns where the search starts,
// the line of the last anchor that was found (-1: none), and the text of one
// that was not.
func (m *matcher) anchors(i int) (start, found int, missing string) {
	start, found = m.cursor, -1
	for _, text := range m.op.Hunks[i].Anchors {
		at := m.finder.Equal([]byte(text), start)
		if at < 0 {
			if in := m.finder.Containing(bytes.TrimSpace([]byte(text)), start, 2); len(in) == 1 {
				at = in[0]
				m.note("anchor-partial", i+1, []int{at + 1}, "the anchor %s of hunk %d is only part of line %d", quoted(text), i+1, at+1)
			}
		}
		if at < 0 {
			missing = text
			m.note("anchor-missing", i+1, nil, "the anchor %s of hunk %d was not found", quoted(text), i+1)
			continue
		}
		found, start = at, at+1
	}
	return start, found, missing
}

// search finds a hunk by its old lines.
func (m *matcher) search(i int, old [][]byte, start int, missing string) (spot, *Error) {
	for p := range match.Tolerant {
		at, total := m.finder.Places(old, start, p)
		if total == 0 {
			continue
		}
		if total > 1 && missing != "" {
			return spot{}, &Error{Code: Ambiguous, Lines: numbers(at), Msg: fmt.Sprintf("the anchor %s of hunk %d was not found, and its lines stand at lines %s", quoted(missing), i+1, list(at, total))}
		}
		if total > 1 && m.opt.RefuseAmbiguous {
			return spot{}, &Error{Code: Ambiguous, Lines: numbers(at), Msg: fmt.Sprintf("hunk %d matches at lines %s", i+1, list(at, total))}
		}
		if total > 1 {
			m.note("also-matches", i+1, numbers(at[1:]), "hunk %d also matches at line%s %s", i+1, plural(total-1), list(at[1:], total-1))
		}
		return m.found(i, old, at[0], p), nil
	}
	switch at, total := m.finder.Places(old, start, match.Tolerant); {
	case total > 1:
		return spot{}, &Error{Code: Ambiguous, Lines: numbers(at), Msg: fmt.Sprintf("hunk %d stands nowhere exactly, and by the tolerant step at lines %s", i+1, list(at, total))}
	case total == 1:
		return m.found(i, old, at[0], match.Tolerant), nil
	}
	return spot{}, m.notFound(i, old, start)
}

// tail finds a hunk that is pinned to the end of the file, where only blank
// lines may follow it.
func (m *matcher) tail(i int, old [][]byte, start int) (spot, *Error) {
	doc := m.finder.Doc
	for left := 0; ; left++ {
		at := len(doc.Lines) - left - len(old)
		if at < start {
			break
		}
		for p := range match.Tolerant + 1 {
			if !m.finder.At(old, at, p) {
				continue
			}
			if left > 0 {
				m.note("eof-blank-lines", i+1, nil, "%d blank line%s at the end of the file stand behind hunk %d", left, plural(left), i+1)
			}
			return m.found(i, old, at, p), nil
		}
		if len(doc.Lines)-left == 0 || len(bytes.TrimSpace(doc.Line(len(doc.Lines)-left-1))) > 0 {
			break
		}
	}
	return spot{}, m.notFound(i, old, max(start, len(doc.Lines)-len(old)))
}

// found is the spot of hunk i at line at, and notes what it took to find it.
func (m *matcher) found(i int, old [][]byte, at int, p match.Pass) spot {
	switch p {
	case match.Blanks:
		m.note("trailing-blanks", i+1, []int{at + 1}, "hunk %d matched at line %d with trailing blanks ignored", i+1, at+1)
	case match.Trimmed:
		m.note("trimmed", i+1, []int{at + 1}, "hunk %d matched at line %d with blanks at both ends ignored", i+1, at+1)
	case match.Tolerant:
		var lines []int
		for j, l := range old {
			if !bytes.Equal(m.finder.Doc.Line(at+j), l) && len(lines) < match.Kept {
				lines = append(lines, at+j)
			}
		}
		m.note("tolerant", i+1, numbers(lines), "hunk %d matched at line %d by the tolerant step: punctuation or single spaces differ in line%s %s", i+1, at+1, plural(len(lines)), list(lines, len(lines)))
	}
	return spot{hunk: &m.op.Hunks[i], at: at, count: len(old), tolerant: p == match.Tolerant}
}

// repeated notes a pure insertion whose lines already stand where it goes.
func (m *matcher) repeated(i, at int) {
	lines := m.op.Hunks[i].new()
	for _, from := range []int{at, at - len(lines)} {
		if m.finder.At(lines, from, match.Exact) {
			m.note("repeated-insertion", i+1, []int{from + 1}, "the lines that hunk %d adds stand there already, at line %d", i+1, from+1)
			return
		}
	}
}
