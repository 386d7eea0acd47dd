package edit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// Facts about a text that was not found. They are for whoever mends the
// request, and cost a bounded amount of work: searches linear in the file, and
// a comparison with what is most alike that has a budget for the whole request.

// facts collects what is known, and the file lines that it names.
type facts struct {
	list  []string
	lines []int
}

func (f *facts) add(format string, args ...any) {
	f.list = append(f.list, fmt.Sprintf(format, args...))
}

// at adds a fact about a line, from 0.
func (f *facts) at(line int, format string, args ...any) {
	f.add(format, args...)
	f.lines = append(f.lines, line+1)
}

// A question is a text that was looked for in vain: lines that must stand
// whole, or a text that may begin and end within a line.
type question struct {
	finder *match.Finder
	old    [][]byte
	whole  bool
	start  int // first line that counts
}

// lines are the old lines, less what stands behind a final line break.
func (q *question) lines() [][]byte {
	if n := len(q.old); !q.whole && n > 1 && len(q.old[n-1]) == 0 {
		return q.old[:n-1]
	}
	return q.old
}

// trim is what a difference in blanks at the ends of a line is to the search:
// nothing for whole lines, all for a text.
func (q *question) trim(line []byte) []byte {
	if q.whole {
		return q.finder.Doc.Trim(line)
	}
	return line
}

// notFound says why the old lines of hunk i stand nowhere from line start on.
func (m *matcher) notFound(i int, old [][]byte, start int) *Error {
	h := &m.op.Hunks[i]
	q := &question{finder: m.finder, old: old, whole: true, start: start}
	var f facts
	if lines := h.new(); h.changes() && len(lines) > 0 {
		if at, total := m.finder.Places(lines, start, match.Exact); total == 1 {
			f.at(at[0], "already applied: its new lines stand at line %d", at[0]+1)
		}
	}
	if at, total := m.finder.Places(old, 0, match.Trimmed); total > 0 && at[0] < start {
		f.at(at[0], "it stands earlier, at line %d", at[0]+1)
		switch {
		case h.EOF:
			f.add("the hunk is pinned to the end of the file")
		case m.ends > at[0]:
			f.add("hunks go downwards, and the one before ends at line %d", m.ends)
		default:
			f.add("hunks go downwards from their anchor")
		}
	}
	m.explain(q, &f)
	switch {
	case i == 1:
		f.add("hunk 1 matched in memory but was not applied")
	case i > 1:
		f.add("hunks 1–%d matched in memory but were not applied", i)
	}
	return &Error{Code: NoMatch, Lines: f.lines, Facts: f.list,
		Msg: fmt.Sprintf("hunk not found (%d/%d): %s", i+1, len(m.op.Hunks), firstLine(old[0]))}
}

// notFoundText says why an old text stands nowhere in the file.
func (p *replacer) notFoundText(item int) *Error {
	rep := &p.items[item]
	first, _, _ := strings.Cut(rep.Old, "\n")
	msg := "old_string not found in file: " + firstLine([]byte(first))
	if p.told >= factsMostList { // no more of them would be told
		return &Error{Code: NoMatch, Path: p.path, Op: p.number, Msg: msg}
	}
	q := &question{finder: p.hay.finder, old: bytes.Split([]byte(rep.Old), []byte{'\n'})}
	var f facts
	if rep.New != "" {
		if hits, total := p.hay.all(rep.New, false, false, 0); total == 1 {
			f.at(hits[0].line-1, "already applied: new_string stands at line %d", hits[0].line)
		}
	}
	p.explain(q, &f)
	if p.op.Batch {
		if hits, total := p.hay.tolerant(rep.Old, true, false); total > 0 {
			at := lines(hits)
			f.add("the tolerant step, which only a single edit has, would match line%s %s", plural(len(at)), listed(at, total))
		}
	}
	return &Error{Code: NoMatch, Path: p.path, Op: p.number, Lines: f.lines, Facts: f.list, Msg: msg}
}

// explain adds what the file and the request have to say. What was found
// already explains enough; else the search goes from the sure to the likely.
func (r *run) explain(q *question, f *facts) {
	if len(f.list) == 0 {
		r.elsewhere(q, f)
	}
	for _, look := range []func(*question, *facts){r.fragment, r.partial, r.unseen, r.resembling} {
		if len(f.list) == 0 {
			look(q, f)
		}
	}
	blankContext(q, f)
	known := len(f.list)
	readersMarks(q, f)
	if known == 0 && len(f.list) == 0 {
		n := len(q.finder.Doc.Lines)
		f.add("the text does not occur; the file has %d line%s", n, plural(n))
	}
}

// elsewhereMost bounds the bytes of other files that one request searches for
// what was not found where it should be.
const elsewhereMost = 32 << 20

// elsewhereLeast is what even the smallest of them counts for.
const elsewhereLeast = 1 << 10

// elsewhere looks into the other files of the request.
func (r *run) elsewhere(q *question, f *facts) {
	text := bytes.Join(q.old, []byte{'\n'})
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	for _, path := range r.touched {
		if r.searches -= elsewhereLeast; r.searches < 0 {
			return
		}
		n := r.picture[path]
		if path == r.path || n == nil || !n.mode.IsRegular() || n.size() > r.searches {
			continue
		}
		r.searches -= n.size()
		src, err := r.text(n)
		if err != nil {
			continue
		}
		doc := src.document()
		if q.whole {
			if at, total := match.NewFinder(doc, 1).Places(q.old, 0, match.Exact); total == 1 {
				f.add("found in %s, line %d", Quote(path), at[0]+1)
				return
			}
			continue
		}
		hay := newHaystack(doc)
		if hits, total := hay.all(string(text), false, false, 0); total == 1 {
			f.add("found in %s, line %d", Quote(path), hits[0].line)
			return
		}
	}
}

// fragmentsMost bounds how many old lines are looked up as parts of longer
// lines: each costs one search of the file.
const fragmentsMost = 8

// fragment looks for an old line that is only part of a longer line. Of a text
// only the inner lines must be whole.
func (r *run) fragment(q *question, f *facts) {
	lines := q.old
	if !q.whole {
		if len(lines) < 3 {
			return
		}
		lines = lines[1 : len(lines)-1]
	}
	for _, l := range lines[:min(len(lines), fragmentsMost)] {
		t := bytes.TrimSpace(l)
		if len(t) == 0 || q.finder.Equal(l, q.start) >= 0 {
			continue
		}
		if in := q.finder.Containing(t, q.start, 1); len(in) > 0 {
			f.at(in[0], "%s is only part of line %d: give the complete line", quoted(string(t)), in[0]+1)
			return
		}
	}
}

// partial says how far the old lines fit where they fit furthest, and how the
// first line that does not fit differs.
func (r *run) partial(q *question, f *facts) {
	doc, n := q.finder.Doc, len(q.old)
	fit, at := q.finder.Longest(q.old, q.start, match.Trimmed)
	if fit == 0 || fit == n || fit == 1 && len(bytes.TrimSpace(q.old[0])) == 0 {
		return
	}
	line := at + fit
	where := fmt.Sprintf("the first %d of %d lines fit at line %d", fit, n, at+1)
	if line >= len(doc.Lines) {
		f.at(at, "%s, then comes the end of file where %s is expected", where, quoted(string(q.old[fit])))
		return
	}
	want, got := q.old[fit], doc.Line(line)
	f.at(at, "%s, then line %d is %s where %s is expected (%s)", where, line+1, quoted(string(got)), quoted(string(want)), firstDifference(q, want, got))
	request, file, ok := resync(q, fit, line)
	switch {
	case !ok && n-fit > driftFrom || request > driftFrom || file > driftFrom:
		drift(f, at+1, n+max(0, file-request))
		return
	case ok && request != file:
		f.add("there the request has %d line%s that the file lacks, the file %d that the request lacks", request, plural(request), file)
	}
	if kind := difference(got, want); kind != "" {
		f.add("the only difference of line %d: %s", line+1, kind)
	}
}

// driftFrom is the number of differing lines beyond which showing them helps
// less than reading the file again.
const driftFrom = 3

func drift(f *facts, offset, limit int) {
	f.add("more than %d lines differ: read them again (offset=%d limit=%d), or give an anchor and 2–4 lines", driftFrom, offset, limit)
}

// resync finds where request and file agree again after a line that differs:
// so many lines of each lie between. It looks 20 lines ahead.
func resync(q *question, fit, line int) (request, file int, ok bool) {
	doc := q.finder.Doc
	for d := 1; d <= 20; d++ {
		for i := range d + 1 {
			j := d - i
			if fit+i >= len(q.old) || line+j >= len(doc.Lines) {
				continue
			}
			if l := bytes.TrimSpace(q.old[fit+i]); len(l) > 0 && bytes.Equal(l, bytes.TrimSpace(doc.Line(line+j))) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

func blankContext(q *question, f *facts) {
	for i, l := range q.old {
		if inner := q.whole || i > 0 && i < len(q.old)-1; inner && len(l) > 0 && len(bytes.TrimSpace(l)) == 0 {
			f.add("an expected line holds only blanks: such lines are literal, no stand-in for omitted lines")
			return
		}
	}
}

var numbered = lazyRegexp(`^\s*(\d+)(?:→|\t| \| )`)

// readersMarks tells what a reading tool put around or before the lines of a
// file from the file's own text.
func readersMarks(q *question, f *facts) {
	for _, l := range q.old {
		if readerLine().Match(l) {
			f.add("%s is not part of the file: a reading tool put it there; send the text alone", quoted(string(l)))
			return
		}
	}
	bare := make([][]byte, len(q.old))
	last := -1
	for i, l := range q.old {
		m := numbered().FindSubmatchIndex(l)
		if m == nil {
			return
		}
		n := 0
		for _, c := range l[m[2]:min(m[3], m[2]+9)] {
			n = 10*n + int(c-'0')
		}
		if n <= last {
			return
		}
		last, bare[i] = n, l[m[1]:]
	}
	if at, total := q.finder.Places(bare, q.start, match.Trimmed); total > 0 {
		f.at(at[0], "the line numbers before each line are not part of the file: without them the text stands at line %d; send the text alone", at[0]+1)
	}
}
