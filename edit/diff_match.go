package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// A differ finds the places of the hunks of one file of a unified diff: by
// their text, of which a stated line only chooses among equal places.
type differ struct {
	*matcher
	node   *node // the file, for what its content is called
	offset int   // how far the hunk before stood from its stated line
	told   int   // hunks that were explained
	final  final
}

func (r *run) differ(doc *match.Document, n *node) *differ {
	return &differ{matcher: &matcher{run: r, op: r.op, finder: match.NewFinder(doc, len(r.op.Hunks))}, node: n}
}

// match places all hunks, or tells about each that has no place.
func (d *differ) match() (spots []spot, errs Errors) {
	hunks := d.op.Hunks
	var fit []string
	seen := map[string]bool{}
	for i := range hunks {
		key := hunks[i].key()
		if seen[key] {
			d.note("duplicate-hunk", i+1, nil, "hunk %d is sent twice and was taken once", i+1)
			continue
		}
		seen[key] = true
		s, err := d.place(i)
		if err != nil {
			errs = append(errs, d.about(err, i))
			continue
		}
		fit = append(fit, fmt.Sprint(i+1))
		spots = append(spots, s)
		d.ending(i, s)
	}
	if len(errs) == 0 {
		return d.disjoint(spots)
	}
	if len(fit) > 0 {
		last := errs[len(errs)-1]
		last.Facts = append(last.Facts, fmt.Sprintf("hunk%s %s matched in memory but %s not applied: send all hunks of the file again", plural(len(fit)), strings.Join(fit, ", "), was(len(fit))))
	}
	return nil, errs
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func (d *differ) about(err *Error, i int) *Error {
	err.Path, err.Op, err.Hunk, err.Of, err.Line = d.path, d.number, i+1, len(d.op.Hunks), d.op.Hunks[i].Line
	return err
}

// key tells hunks apart: the same change at another stated line is another.
func (h *Hunk) key() string {
	var b strings.Builder
	fmt.Fprintln(&b, h.At, h.OldBare, h.NewBare)
	for _, l := range h.Lines {
		b.WriteByte(byte(l.Kind))
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// ending takes what the no-newline markers of a hunk say, which counts only at
// the end of the file.
func (d *differ) ending(i int, s spot) {
	h, doc := &d.op.Hunks[i], d.finder.Doc
	last := len(doc.Lines) - 1
	bare := last >= 0 && len(doc.Ending(last)) == 0
	switch keeps := h.Lines[len(h.Lines)-1].Kind == Context; {
	case s.at+s.count <= last && (h.OldBare || h.NewBare):
		d.note("no-newline-marker", i+1, []int{s.at + max(s.count, 1)}, "the marker of hunk %d was dropped: the hunk does not reach the end of the file", i+1)
	case s.at+s.count <= last, keeps && h.OldBare == bare:
	case keeps, !h.OldBare && !h.NewBare && bare:
		d.note("no-newline-marker", i+1, []int{last + 1}, "hunk %d does not say rightly whether the file ends in a newline; its end stays as it is", i+1)
	case h.NewBare:
		d.final = noNewline
	case h.OldBare:
		d.final = newline
	}
}

// place finds where hunk i goes.
func (d *differ) place(i int) (spot, *Error) {
	h := &d.op.Hunks[i]
	old := h.old()
	if len(old) == 0 {
		return d.insertion(i)
	}
	stated := -1
	if h.At > 0 {
		stated = h.At - 1 + d.offset
	}
	for p := range match.Tolerant + 1 {
		places, total := d.finder.Places(old, 0, p)
		if total == 0 {
			continue
		}
		at, err := d.choose(i, old, places, total, stated, p)
		if err != nil {
			return spot{}, err
		}
		s, err := d.shifted(i, old, at, p)
		if err == nil && h.At > 0 {
			if at != stated {
				d.note("moved-hunk", i+1, []int{at + 1}, "hunk %d stands at line %d, not at line %d as stated", i+1, at+1, stated+1)
			}
			d.offset = at - (h.At - 1)
		}
		return s, err
	}
	if d.opt.Compat == Aider {
		if s, ok := d.shed(i); ok {
			return s, nil
		}
	}
	return spot{}, d.notFound(i, old)
}

// choose takes one of the places that a pass found: the only one, or the one
// at the stated line.
func (d *differ) choose(i int, old [][]byte, places []int, total, stated int, p match.Pass) (int, *Error) {
	if total == 1 {
		return places[0], nil
	}
	ambiguous := &Error{Code: Ambiguous, Lines: numbers(places), Msg: fmt.Sprintf("hunk %d matches at lines %s", i+1, list(places, total))}
	at := places[0]
	switch {
	case p == match.Tolerant:
		ambiguous.Msg = fmt.Sprintf("hunk %d stands nowhere exactly, and by the tolerant step at lines %s", i+1, list(places, total))
		return 0, ambiguous
	case d.opt.RefuseAmbiguous:
		return 0, ambiguous
	case stated >= 0 && d.finder.At(old, stated, p):
		end := len(d.finder.Doc.Lines) - len(old)
		if d.opt.Compat != Aider && stated != end && d.op.Hunks[i].reachesEnd() && d.finder.At(old, end, p) {
			ambiguous.Facts = []string{fmt.Sprintf("it is stated at line %d, and without context behind its change it belongs to the end of the file", stated+1)}
			return 0, ambiguous
		}
		at = stated
	case d.opt.Compat != Aider:
		if stated >= 0 {
			ambiguous.Facts = []string{fmt.Sprintf("it does not stand at line %d, where it is expected", stated+1)}
		}
		return 0, ambiguous
	}
	others := slices.DeleteFunc(slices.Clone(places), func(o int) bool { return o == at })
	d.note("also-matches", i+1, numbers(others), "hunk %d also matches at line%s %s", i+1, plural(total-1), list(others, total-1))
	return at, nil
}

// shifted is the spot of hunk i at a line where a pass found it. Lines that
// differ in their indentation all differ by the same, which the added lines
// get, too.
func (d *differ) shifted(i int, old [][]byte, at int, p match.Pass) (spot, *Error) {
	if p != match.Trimmed {
		return d.found(i, old, at, p), nil
	}
	h := &d.op.Hunks[i]
	lines, why := reindent(d.finder.Doc, at, h.Lines)
	if why != "" {
		return spot{}, &Error{Code: NoMatch, Lines: []int{at + 1}, Facts: []string{why}, Msg: d.missed(i, old)}
	}
	d.note("reindented", i+1, []int{at + 1}, "hunk %d matched at line %d with another indentation, which its new lines got", i+1, at+1)
	moved := *h
	moved.Lines = lines
	return spot{hunk: &moved, at: at, count: len(old)}, nil
}

// insertion is where a hunk without old lines goes: into an empty file, or
// where its number says, as long as nothing speaks against the number.
func (d *differ) insertion(i int) (spot, *Error) {
	h, lines := &d.op.Hunks[i], len(d.finder.Doc.Lines)
	refuse := func(format string, args ...any) (spot, *Error) {
		return spot{}, &Error{Code: NoMatch, Msg: fmt.Sprintf("hunk %d has no old lines, and ", i+1) + fmt.Sprintf(format, args...)}
	}
	s := spot{hunk: h, at: h.At - 1}
	switch {
	case lines == 0:
		s.at = 0
		return s, nil
	case h.At == 0 && d.opt.Compat == Aider:
		s.at = lines
		d.note("appended", i+1, nil, "hunk %d has no lines to find its place by and was added at the end of the file", i+1)
	case h.At == 0:
		return refuse("no line number that says where it goes: give the lines around")
	case d.offset != 0:
		return refuse("the hunk before stands elsewhere than stated, so its line number cannot be trusted: give the lines around")
	case s.at > lines:
		return refuse("goes behind line %d of a file of %d line%s", s.at, lines, plural(lines))
	default:
		if errs := d.preImage(d.node, false); len(errs) > 0 {
			return refuse("the diff was made from another content of the file: give the lines around")
		}
		d.note("by-number", i+1, numbersFrom(s.at), "hunk %d has no lines to find its place by and went behind line %d, as stated", i+1, s.at)
	}
	d.repeated(i, s.at)
	return s, nil
}

func numbersFrom(line int) []int {
	if line == 0 {
		return nil
	}
	return []int{line}
}

// disjoint puts the spots in the order of the file. Two may share lines of
// context; a line that one changes belongs to it alone.
func (d *differ) disjoint(spots []spot) ([]spot, Errors) {
	slices.SortStableFunc(spots, func(a, b spot) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return a.count - b.count // what goes before a line comes first
	})
	var errs Errors
	for k := 1; k < len(spots); k++ {
		a, b := &spots[k-1], &spots[k]
		shared := a.at + a.count - b.at
		if shared <= 0 {
			continue
		}
		head := min(shared, b.hunk.context(false), b.count)
		tail := shared - head
		if tail > a.hunk.context(true) || b.count == 0 {
			errs = append(errs, &Error{Code: EditOverlap, Path: d.path, Op: d.number, Line: b.hunk.Line, Lines: []int{b.at + 1},
				Msg: fmt.Sprintf("two hunks change line %d: send them as one", b.at+1)})
			continue
		}
		b.trim(head, 0)
		a.trim(0, tail)
	}
	return spots, errs
}

// context counts the lines of context that the hunk begins or ends with.
func (h *Hunk) context(end bool) (n int) {
	for n < len(h.Lines) {
		l := h.Lines[n]
		if end {
			l = h.Lines[len(h.Lines)-1-n]
		}
		if l.Kind != Context {
			break
		}
		n++
	}
	return n
}

// reachesEnd reports whether a diff's hunk says that the file ends behind it: it
// has context before its change and none after. git apply looks for such a hunk
// at the end of the file alone.
func (h *Hunk) reachesEnd() bool {
	return h.context(false) > 0 && h.context(true) == 0
}

// trim leaves out lines of context at both ends of a spot.
func (s *spot) trim(head, tail int) {
	if head+tail == 0 {
		return
	}
	h := *s.hunk
	h.Lines = h.Lines[head : len(h.Lines)-tail]
	s.hunk, s.at, s.count = &h, s.at+head, s.count-head-tail
}

// missed is the message about a hunk without a place.
func (d *differ) missed(i int, old [][]byte) string {
	return fmt.Sprintf("hunk not found (%d/%d): %s", i+1, len(d.op.Hunks), firstLine(old[0]))
}

// toldMost is how many hunks of one operation are explained: each costs some
// searches of the file.
const toldMost = 10

// notFound says why the old lines of hunk i stand nowhere.
func (d *differ) notFound(i int, old [][]byte) *Error {
	h := &d.op.Hunks[i]
	if d.told++; d.told > toldMost {
		return &Error{Code: NoMatch, Msg: d.missed(i, old)}
	}
	var f facts
	if lines := h.new(); h.changes() && len(lines) > 0 {
		if at, total := d.finder.Places(lines, 0, match.Exact); total == 1 {
			f.at(at[0], "already applied: its new lines stand at line %d", at[0]+1)
		}
	}
	d.explain(&question{finder: d.finder, old: old, whole: true}, &f)
	return &Error{Code: NoMatch, Lines: f.lines, Facts: f.list, Msg: d.missed(i, old)}
}
