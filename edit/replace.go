package edit

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// A hit is one place of an old text: offsets in the file's text, line from 1.
type hit struct {
	start, end int
	line       int
	item       int // index of the replacement it belongs to
}

// A haystack is a text in which line breaks count as one LF, whatever they
// are, so that a CRLF is never cut in half. It knows the way back.
type haystack struct {
	doc   *document
	text  []byte // with one LF for each line break
	mixed bool   // LF and CRLF (or, where it counts, CR) side by side
	// dropped are the offsets in text of those LFs that stand for a CRLF: each
	// moves what follows it by one byte.
	dropped []int
}

func newHaystack(doc *document) *haystack {
	h := &haystack{doc: doc, text: doc.text}
	if bytes.IndexByte(doc.text, '\r') < 0 {
		return h
	}
	h.text = make([]byte, 0, len(doc.text))
	first := []byte(nil)
	for i, l := range doc.lines {
		h.text = append(h.text, doc.text[l.start:l.end]...)
		e := doc.ending(i)
		if len(e) == 0 {
			continue
		}
		if first == nil {
			first = e
		}
		h.mixed = h.mixed || !bytes.Equal(e, first)
		if len(e) == 2 {
			h.dropped = append(h.dropped, len(h.text))
		}
		h.text = append(h.text, '\n')
	}
	return h
}

// offset turns an offset in text into one in the document.
func (h *haystack) offset(o int) int { return o + sort.SearchInts(h.dropped, o) }

// hit makes a place of n bytes at offset o of text.
func (h *haystack) hit(o, n, item int) hit {
	start := h.offset(o)
	line := sort.Search(len(h.doc.lines), func(i int) bool { return int(h.doc.lines[i].start) > start })
	return hit{start: start, end: h.offset(o + n), line: max(line, 1), item: item}
}

// all returns the places of old, with overlaps or without. Places beyond kept
// are counted, not returned, unless every one is wanted.
func (h *haystack) all(old string, overlap, every bool, item int) (hits []hit, total int) {
	needle := []byte(old)
	for pos := 0; ; {
		i := bytes.Index(h.text[pos:], needle)
		if i < 0 {
			return hits, total
		}
		pos += i
		if every || total < kept {
			hits = append(hits, h.hit(pos, len(needle), item))
		} else if overlap {
			// Dense overlaps would cost a comparison of the whole needle each.
			return hits, total + countOverlapping(h.text[pos:], needle)
		}
		total++
		if pos++; !overlap {
			pos += len(needle) - 1
		}
	}
}

// countOverlapping counts the places of a needle in linear time.
func countOverlapping(text, needle []byte) (n int) {
	back := make([]int, len(needle)+1)
	for i, q := 1, 0; i < len(needle); i++ {
		for q > 0 && needle[i] != needle[q] {
			q = back[q]
		}
		if needle[i] == needle[q] {
			q++
		}
		back[i+1] = q
	}
	for i, q := 0, 0; i < len(text); i++ {
		for q > 0 && (q == len(needle) || text[i] != needle[q]) {
			q = back[q]
		}
		if text[i] == needle[q] {
			q++
		}
		if q == len(needle) {
			n++
		}
	}
	return n
}

// render gives a replacement's new text the line endings of its place: those
// of the first line break it replaces, else of the line it starts on.
func (h *haystack) render(at hit, text string) []byte {
	if !strings.Contains(text, "\n") {
		return []byte(text)
	}
	var ending []byte
	if e := h.doc.ending(at.line - 1); len(e) > 0 && int(h.doc.lines[at.line-1].end) < at.end {
		ending = e
	} else {
		ending = h.doc.endingNear(at.line - 1)
	}
	return bytes.ReplaceAll([]byte(text), []byte("\n"), ending)
}

// A replacer applies the replacements of one operation to one text.
type replacer struct {
	*run
	op    *Op
	hay   *haystack
	new   []string // each item's new text, less what its place does not take
	notes []Note
}

func (r *run) replacer(op *Op, doc *document) *replacer {
	p := &replacer{run: r, op: op, hay: newHaystack(doc)}
	for _, rep := range op.Replacements {
		p.new = append(p.new, rep.New)
	}
	return p
}

// replace applies the operation's replacements to a text.
func (r *run) replace(op *Op, text []byte) ([]byte, Errors) {
	doc := split(text)
	p := r.replacer(op, doc)
	hits, errs := p.find()
	if len(errs) > 0 && errs[0].Code == NoMatch {
		if again := doc.withLoneCR(); again != nil {
			q := r.replacer(op, again)
			if h, e := q.find(); len(e) == 0 {
				p, hits, errs = q, h, nil
				p.note("lone-cr", nil, "a carriage return without line feed was taken as a line break")
			}
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	r.notes = append(r.notes, p.notes...)
	out := make([]byte, 0, len(text)+64)
	done := 0
	for _, h := range hits {
		r.outcome.Lines = append(r.outcome.Lines, h.line)
		out = append(out, text[done:h.start]...)
		out = append(out, p.hay.render(h, p.new[h.item])...)
		done = h.end
	}
	return append(out, text[done:]...), nil
}

func (p *replacer) note(code Code, lines []int, format string, args ...any) {
	p.notes = append(p.notes, Note{Code: code, Path: p.path, Op: p.number, Lines: lines, Msg: fmt.Sprintf(format, args...)})
}

// find returns the places of all replacements, sorted, or every reason why an
// item has none.
func (p *replacer) find() ([]hit, Errors) {
	if !p.op.Batch {
		rep := &p.op.Replacements[0]
		hits, err := p.item(0, rep)
		if err != nil && err.Code == NoMatch {
			if h, ok := p.trailingNewline(rep); ok {
				return h, nil
			}
		}
		if err != nil {
			return nil, Errors{err}
		}
		return hits, nil
	}
	return p.batch()
}

// batch finds the places of a list: every item in the original text, all of
// them or none. Items that change nothing or repeat another are skipped.
func (p *replacer) batch() ([]hit, Errors) {
	items := p.op.Replacements
	failed := make([]*Error, len(items))
	var all []hit
	var skipped []string
	var tried []int
	seen := map[Replacement]bool{}
	for i := range items {
		if items[i].Old == items[i].New || seen[items[i]] {
			skipped = append(skipped, fmt.Sprint(i))
			continue
		}
		seen[items[i]] = true
		tried = append(tried, i)
		hits, err := p.item(i, &items[i])
		failed[i] = err
		all = append(all, hits...)
	}
	slices.SortFunc(all, func(a, b hit) int { return a.start - b.start })
	for i := 1; i < len(all); i++ { // touching is fine
		if a, b := all[i-1], all[i]; b.start < a.end {
			first, second := min(a.item, b.item), max(a.item, b.item)
			failed[second] = &Error{Code: EditOverlap, Path: p.path, Op: p.number, Lines: []int{b.line}, Msg: fmt.Sprintf("overlaps edits[%d] at line %d", first, b.line)}
		}
	}
	var errs Errors
	var fit []string
	for _, i := range tried {
		if err := failed[i]; err != nil {
			err.Hunk, err.Of, err.Msg = i+1, len(items), fmt.Sprintf("edits[%d]: %s", i, err.Msg)
			errs = append(errs, err)
			continue
		}
		fit = append(fit, fmt.Sprint(i))
	}
	if len(errs) > 0 {
		last := errs[len(errs)-1]
		if len(fit) > 0 {
			last.Msg += fmt.Sprintf("; edits %s would match, but a list is applied as a whole", strings.Join(fit, ", "))
		}
		if len(skipped) > 0 {
			last.Msg += fmt.Sprintf("; edits %s change nothing or repeat another", strings.Join(skipped, ", "))
		}
		return nil, errs
	}
	if len(skipped) > 0 {
		p.note("skipped-edit", nil, "edits %s change nothing or repeat another and were skipped", strings.Join(skipped, ", "))
	}
	p.outcome.Edits = len(fit)
	return all, nil
}

// item finds the places of one replacement, exactly.
func (p *replacer) item(i int, rep *Replacement) ([]hit, *Error) {
	if rep.Old == "" {
		return nil, &Error{Code: EmptyOld, Path: p.path, Op: p.number, Msg: fmt.Sprintf("old_string is empty, but the file has %d bytes: give the text to replace", len(p.hay.doc.text))}
	}
	var hits []hit
	var total int
	if rep.All || rep.Count > 0 {
		hits, total = p.hay.all(rep.Old, false, true, i)
	} else {
		hits, total = p.hay.all(rep.Old, true, false, i)
	}
	switch {
	case total == 0:
		return nil, p.notFoundText(rep)
	case rep.Count > 0 && total != rep.Count:
		return nil, &Error{Code: CountMismatch, Path: p.path, Op: p.number, Lines: lines(hits), Msg: fmt.Sprintf("old_string found %d time%s, at line%s %s, where %d are expected", total, plural(total), plural(len(lines(hits))), join(lines(hits), total), rep.Count)}
	case total > 1 && !rep.All && rep.Count == 0:
		return nil, &Error{Code: Ambiguous, Path: p.path, Op: p.number, Lines: lines(hits), Msg: fmt.Sprintf("old_string found %d times, at line%s %s: add context or set replace_all", total, plural(len(lines(hits))), join(lines(hits), total))}
	}
	if p.hay.mixed && strings.Contains(rep.Old, "\n") {
		p.note("line-ending", lines(hits), "the file mixes line endings; each line break of old_string stands for the one in the file")
	}
	return hits, nil
}

// trailingNewline finds an old text whose final line break the file lacks. It
// never cuts a line in half: the place ends the file, or the new text ends in
// a line break of its own.
func (p *replacer) trailingNewline(rep *Replacement) ([]hit, bool) {
	old, ok := strings.CutSuffix(rep.Old, "\n")
	if !ok || old == "" {
		return nil, false
	}
	hits, total := p.hay.all(old, true, false, 0)
	if total != 1 || hits[0].end != len(p.hay.doc.text) && !strings.HasSuffix(rep.New, "\n") {
		return nil, false
	}
	p.new[0] = strings.TrimSuffix(rep.New, "\n")
	p.note("trailing-newline", lines(hits), "old_string ends in a line break that the file does not have there")
	return hits, true
}

// notFoundText says what is known about an old text that stands nowhere.
func (p *replacer) notFoundText(rep *Replacement) *Error {
	e := &Error{Code: NoMatch, Path: p.path, Op: p.number}
	first, _, _ := strings.Cut(rep.Old, "\n")
	facts := []string{firstLine([]byte(first))}
	if rep.New != "" {
		if hits, total := p.hay.all(rep.New, false, false, 0); total == 1 {
			e.Lines = lines(hits)
			facts = append(facts, fmt.Sprintf("already applied: new_string stands at line %d", hits[0].line))
		}
	}
	if len(facts) == 1 {
		if c := p.closest(p.hay.doc, []byte(strings.TrimSuffix(rep.Old, "\n")), 1+strings.Count(strings.TrimSuffix(rep.Old, "\n"), "\n"), 0); c != nil {
			e.Lines = []int{c.at + 1}
			facts = append(facts, c.text)
		}
	}
	if len(facts) == 1 {
		facts = append(facts, fmt.Sprintf("the text does not occur; the file has %d line%s", len(p.hay.doc.lines), plural(len(p.hay.doc.lines))))
	}
	e.Msg = "old_string not found in file: " + strings.Join(facts, "; ")
	return e
}

// lines returns the distinct lines of places.
func lines(hits []hit) []int {
	var out []int
	for _, h := range hits {
		if len(out) == 0 || out[len(out)-1] != h.line {
			out = append(out, h.line)
		}
	}
	return out
}

// join lists the first ten line numbers and says how many places more there
// are.
func join(lines []int, total int) string {
	at := make([]int, len(lines))
	for i, l := range lines {
		at[i] = l - 1
	}
	if total < kept {
		total = len(lines)
	}
	return list(at, total)
}
