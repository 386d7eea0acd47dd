package edit

import (
	"bytes"
	"sort"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// A hit is one place of an old text: offsets in the file's text, line from 1.
type hit struct {
	start, end int
	line       int
	item       int  // index of the replacement it belongs to
	tolerant   bool // found by the tolerant step
}

// A haystack is a text in which line breaks count as one LF, whatever they
// are, so that a CRLF is never cut in half. It knows the way back.
type haystack struct {
	doc    *match.Document
	text   []byte // with one LF for each line break
	mixed  bool   // LF and CRLF (or, where it counts, CR) side by side
	finder *match.Finder
	// dropped are the offsets in text of those LFs that stand for a CRLF: each
	// moves what follows it by one byte.
	dropped []int
}

func newHaystack(doc *match.Document) *haystack {
	h := &haystack{doc: doc, text: doc.Text, finder: match.NewFinder(doc, 1)}
	if bytes.IndexByte(doc.Text, '\r') < 0 {
		return h
	}
	h.text = make([]byte, 0, len(doc.Text))
	first := []byte(nil)
	for i := range doc.Lines {
		h.text = append(h.text, doc.Line(i)...)
		e := doc.Ending(i)
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
func (h *haystack) hit(o, n, item int) hit { return h.at(h.offset(o), h.offset(o+n), item) }

// at makes a place of the document's text.
func (h *haystack) at(start, end, item int) hit {
	line := sort.Search(len(h.doc.Lines), func(i int) bool { return int(h.doc.Lines[i].Start) > start })
	return hit{start: start, end: end, line: max(line, 1), item: item}
}

// all returns the places of old, with overlaps or without. Places beyond
// match.Kept are counted, not returned, unless every one is wanted.
func (h *haystack) all(old string, overlap, every bool, item int) (hits []hit, total int) {
	places, total := occurrences(h.text, []byte(old), overlap, every)
	for _, o := range places {
		hits = append(hits, h.hit(o, len(old), item))
	}
	return hits, total
}

// tolerant is all by the tolerant step.
func (h *haystack) tolerant(old string, overlap, every bool) (hits []hit, total int) {
	needle := h.finder.FoldText(old)
	if len(needle) == 0 {
		return nil, 0
	}
	folded := h.finder.Folded()
	places, total := occurrences(folded.Text, needle, overlap, every)
	open := h.finder.EndsOpen(old)
	for _, o := range places {
		start, end := folded.Original(o, len(needle), open)
		place := h.at(start, end, 0)
		place.tolerant = true
		hits = append(hits, place)
	}
	return hits, total
}

// occurrences returns where a needle stands in a text.
func occurrences(text, needle []byte, overlap, every bool) (at []int, total int) {
	for pos := 0; ; {
		i := bytes.Index(text[pos:], needle)
		if i < 0 {
			return at, total
		}
		pos += i
		if every || total < match.Kept {
			at = append(at, pos)
		} else if overlap {
			// Dense overlaps would cost a comparison of the whole needle each.
			return at, total + countOverlapping(text[pos:], needle)
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

// ending is the line ending that a new line at a place takes: that of the first
// line break which the place covers, else of the line it starts on.
func (h *haystack) ending(at hit) []byte {
	i := at.line - 1
	if e := h.doc.Ending(i); len(e) > 0 && int(h.doc.Lines[i].End) < at.end {
		return e
	}
	return h.doc.EndingNear(i)
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

// listed names the first ten of the lines of so many places, and how many more
// there are.
func listed(lines []int, total int) string {
	at := make([]int, len(lines))
	for i, l := range lines {
		at[i] = l - 1
	}
	if total < match.Kept {
		total = len(lines)
	}
	return list(at, total)
}
