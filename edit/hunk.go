package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A spot is where a hunk goes: it takes the place of count lines from line at.
type spot struct {
	hunk      *Hunk
	at, count int
}

// hunks applies the hunks of one section to a text and returns the new text.
// All of them are matched against the lines as they were when the section
// began; nil text means that nothing changes.
func (r *run) hunks(op *Op, text []byte) ([]byte, *Error) {
	doc := split(text)
	m := &matcher{run: r, op: op, finder: newFinder(doc, len(op.Hunks))}
	spots, err := m.match()
	if err != nil && err.Code == NoMatch {
		// A lone CR beside LFs is data, unless the text is only found with it as
		// a line break.
		if again := doc.withLoneCR(); again != nil {
			n := &matcher{run: r, op: op, finder: newFinder(again, len(op.Hunks))}
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
		return text, nil
	}
	return splice(doc, spots), nil
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
	finder *finder
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
	lines := len(m.finder.doc.lines)
	if len(old) == 0 {
		at := lines
		if !h.EOF && anchor >= 0 {
			at, m.cursor = anchor+1, anchor+1
		} else if !h.EOF {
			m.note("appended", i+1, nil, "hunk %d has no lines to find its place by and was added at the end of the file", i+1)
		}
		m.repeated(i, at)
		return spot{h, at, 0}, nil
	}
	// An anchor repeated as the first line of the hunk is that line.
	if anchor >= 0 && bytes.Equal(trimmed.norm(m.finder.doc.line(anchor)), trimmed.norm(old[0])) {
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
		at := m.finder.equal([]byte(text), start)
		if at < 0 {
			if in := m.finder.containing(trimmed.norm([]byte(text)), start, 2); len(in) == 1 {
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
	h := &m.op.Hunks[i]
	for p := range passes {
		at, total := m.finder.places(old, start, p)
		if total == 0 {
			continue
		}
		if total > 1 && missing != "" {
			return spot{}, &Error{Code: Ambiguous, Lines: numbers(at), Msg: fmt.Sprintf("the anchor %s of hunk %d was not found, and its lines stand at lines %s", quoted(missing), i+1, list(at, total))}
		}
		if total > 1 && m.opt.RefuseAmbiguous {
			return spot{}, &Error{Code: Ambiguous, Lines: numbers(at), Msg: fmt.Sprintf("hunk %d matches at lines %s", i+1, list(at, total))}
		}
		if code := p.note(); code != "" {
			m.note(code, i+1, []int{at[0] + 1}, "hunk %d matched at line %d with %s", i+1, at[0]+1, [...]string{"", "trailing blanks ignored", "blanks at both ends ignored"}[p])
		}
		if total > 1 {
			m.note("also-matches", i+1, numbers(at[1:]), "hunk %d also matches at line%s %s", i+1, plural(total-1), list(at[1:], total-1))
		}
		return spot{h, at[0], len(old)}, nil
	}
	return spot{}, m.notFound(i, old, start)
}

// tail finds a hunk that is pinned to the end of the file, where only blank
// lines may follow it.
func (m *matcher) tail(i int, old [][]byte, start int) (spot, *Error) {
	doc := m.finder.doc
	for left := 0; ; left++ {
		at := len(doc.lines) - left - len(old)
		if at < start {
			break
		}
		for p := range passes {
			pat := make([][]byte, len(old))
			for j, l := range old {
				pat[j] = p.norm(l)
			}
			if !m.finder.equalAt(pat, at, p) {
				continue
			}
			if code := p.note(); code != "" {
				m.note(code, i+1, []int{at + 1}, "hunk %d matched at line %d with blanks ignored", i+1, at+1)
			}
			if left > 0 {
				m.note("eof-blank-lines", i+1, nil, "%d blank line%s at the end of the file stand behind hunk %d", left, plural(left), i+1)
			}
			return spot{&m.op.Hunks[i], at, len(old)}, nil
		}
		if len(doc.lines)-left == 0 || len(bytes.TrimSpace(doc.line(len(doc.lines)-left-1))) > 0 {
			break
		}
	}
	return spot{}, m.notFound(i, old, max(start, len(doc.lines)-len(old)))
}

// repeated notes a pure insertion whose lines already stand where it goes.
func (m *matcher) repeated(i, at int) {
	doc, lines := m.finder.doc, m.op.Hunks[i].new()
	for _, from := range []int{at, at - len(lines)} {
		if from >= 0 && from+len(lines) <= len(doc.lines) && m.finder.equalAt(lines, from, exact) {
			m.note("repeated-insertion", i+1, []int{from + 1}, "the lines that hunk %d adds stand there already, at line %d", i+1, from+1)
			return
		}
	}
}

// splice builds the text that the spots make of a document. What no hunk
// covers is copied as it is; a new line takes the ending of the line it
// replaces or adjoins, and every line ends in a line break.
func splice(doc *document, spots []spot) []byte {
	w := &writer{out: make([]byte, 0, len(doc.text)+growth(spots))}
	copied := 0 // lines of the document that are written or dropped
	for _, s := range spots {
		w.copy(doc, copied, s.at)
		s.write(w, doc)
		copied = s.at + s.count
	}
	w.copy(doc, copied, len(doc.lines))
	w.terminate()
	return w.out
}

func growth(spots []spot) int {
	n := 64
	for _, s := range spots {
		for _, l := range s.hunk.Lines {
			n += len(l.Text) + 2
		}
	}
	return n
}

// write writes one hunk's lines. In a run that replaces r lines the i-th new
// line takes the ending of the i-th of them, of the last if there are more; in
// a run that replaces none, of the old line before it in the hunk, else the
// next old line, else the file's line before, else the one after.
func (s spot) write(w *writer, doc *document) {
	lines := s.hunk.Lines
	old := s.at // the document's line that the next context or removed line is
	for i := 0; i < len(lines); {
		if lines[i].Kind == Context {
			w.copy(doc, old, old+1)
			old, i = old+1, i+1
			continue
		}
		removed, end := 0, i
		for end < len(lines) && lines[end].Kind != Context {
			if lines[end].Kind == Removed {
				removed++
			}
			end++
		}
		added := 0
		for _, l := range lines[i:end] {
			if l.Kind != Added {
				continue
			}
			var ending []byte
			switch {
			case removed > 0:
				ending = doc.endingNear(old + min(added, removed-1))
			case old > s.at, old == s.at+s.count && old > 0:
				ending = doc.endingNear(old - 1)
			default:
				if ending = doc.ending(old); ending == nil {
					ending = doc.endingNear(old)
				}
			}
			w.line([]byte(l.Text), ending)
			added++
		}
		old, i = old+removed, end
	}
}

// A writer puts lines one after another; a line that had no ending gets one as
// soon as another follows.
type writer struct {
	out  []byte
	open bool   // the last line has no ending
	last []byte // the ending it would get
}

// copy writes lines from up to before to as they stand in the document.
func (w *writer) copy(doc *document, from, to int) {
	if from >= to {
		return
	}
	w.terminate()
	w.out = append(w.out, doc.text[doc.lines[from].start:doc.next(to-1)]...)
	if len(doc.ending(to-1)) == 0 {
		w.open, w.last = true, doc.endingNear(to-1)
	}
}

func (w *writer) line(text, ending []byte) {
	w.terminate()
	w.out = append(append(w.out, text...), ending...)
}

func (w *writer) terminate() {
	if w.open {
		w.out = append(w.out, w.last...)
		w.open = false
	}
}

// numbers turns places into line numbers.
func numbers(at []int) []int {
	out := make([]int, len(at))
	for i, a := range at {
		out[i] = a + 1
	}
	return out
}

// list names places by line number: the first ten, and how many more.
func list(at []int, total int) string {
	var b strings.Builder
	for i, a := range at[:min(len(at), 10)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, a+1)
	}
	if total > 10 {
		fmt.Fprintf(&b, " (+%d more)", total-10)
	}
	return b.String()
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
