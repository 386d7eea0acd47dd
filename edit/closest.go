package edit

import (
	"bytes"
	"fmt"
	"strings"
)

// What the search for the closest text may cost: it feeds messages only, so
// beyond these bounds the cheaper facts must do.
const (
	closestCells   = 30_000_000 // cells of all comparisons of one request
	closestText    = 2000       // characters of the old text
	closestLines   = 10_000     // lines of the file
	closestWindows = 256        // places that are compared
	closestAtLeast = 0.6        // similarity that is worth telling
)

// A closeness is the place of a file that is most like a text.
type closeness struct {
	at   int // line, from 0
	text string
}

// closest finds the window of n lines from line start on that is most like a
// text, and tells how it differs. Nil: nothing is close, or it would cost too
// much to know.
func (p *planner) closest(doc *document, text []byte, n, start int) *closeness {
	want := []rune(string(text))
	if len(want) == 0 || len(want) > closestText || len(doc.lines) > closestLines {
		return nil
	}
	best, score := -1, closestAtLeast
	for _, at := range candidates(doc, text, n, start) {
		window := doc.text[doc.lines[at].start:doc.lines[at+n-1].end]
		if len(window) > 4*closestText {
			continue
		}
		got := []rune(string(window))
		cells := (len(want) + 1) * (len(got) + 1)
		if cells > p.work {
			break
		}
		p.work -= cells
		if s := similarity(want, got); s > score {
			best, score = at, s
		}
	}
	if best < 0 {
		return nil
	}
	c := &closeness{at: best, text: fmt.Sprintf("closest at line %d (%d %% alike)", best+1, int(score*100))}
	differ := 0
	for i, l := range bytes.Split(text, []byte("\n")) {
		if i >= n || bytes.Equal(l, doc.line(best+i)) {
			continue
		}
		if differ++; differ <= 3 {
			c.text += fmt.Sprintf("; line %d is %s where %s is expected (%s)", best+i+1, quoted(string(doc.line(best+i))), quoted(string(l)), firstDifference(l, doc.line(best+i)))
		}
	}
	if differ > 3 {
		c.text += fmt.Sprintf("; %d lines differ in all: read the range again (offset=%d limit=%d)", differ, best+1, n)
	}
	return c
}

// candidates are the windows worth comparing: all of a short file, else those
// in which some line of the text stands where it should, rarest line first.
func candidates(doc *document, text []byte, n, start int) (at []int) {
	last := len(doc.lines) - n
	if last-start < closestWindows {
		for i := start; i <= last; i++ {
			at = append(at, i)
		}
		return at
	}
	where := map[string][]int{}
	for i := range doc.lines {
		l := strings.TrimSpace(string(doc.line(i)))
		where[l] = append(where[l], i)
	}
	rare, offset := []int(nil), 0
	for i, l := range strings.Split(string(text), "\n") {
		if found := where[strings.TrimSpace(l)]; len(found) > 0 && (rare == nil || len(found) < len(rare)) {
			rare, offset = found, i
		}
	}
	for _, i := range rare {
		if i -= offset; i >= start && i <= last && len(at) < closestWindows {
			at = append(at, i)
		}
	}
	return at
}

// similarity is one less the share of characters that must be changed.
func similarity(a, b []rune) float64 {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return 1 - float64(row[len(b)])/float64(max(len(a), len(b), 1))
}
