package edit

import (
	"fmt"
	"slices"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// codexHunks applies the hunks of one section to a text as Codex does. Lines end
// at LF, CRLF and a lone CR; all hunks are matched against the lines as they were
// when the section began; the first place is taken. Context keeps the file's
// bytes, new lines are written as sent and end as the file's first line does, and
// so does a last line that had no ending, whether anything changes or not.
func (r *run) codexHunks(text []byte) ([]byte, *Error) {
	doc := match.Split(text)
	if again := doc.WithLoneCR(); again != nil {
		doc = again
	}
	c := &codexMatcher{finder: match.NewFinder(doc, len(r.op.Hunks)), ending: []byte{'\n'}}
	if e := doc.Ending(0); len(e) > 0 {
		c.ending = e
	}
	// The empty spot at the end gives a last line its ending where nothing changes.
	spots := []spot{{at: len(doc.Lines), ending: c.ending}}
	for i := range r.op.Hunks {
		h := &r.op.Hunks[i]
		s, err := c.place(h)
		if err != nil {
			err.Hunk, err.Of, err.Line = i+1, len(r.op.Hunks), h.Line
			err.Msg = fmt.Sprintf("hunk not found (%d/%d): %s", i+1, len(r.op.Hunks), err.Msg)
			return nil, err
		}
		spots = append(spots, s.runs()...)
	}
	// What several hunks put in one place stands in their order.
	slices.SortStableFunc(spots, func(a, b spot) int { return a.at - b.at })
	return splice(doc, spots, false).out, nil
}

// A codexMatcher finds the places of one section's hunks.
type codexMatcher struct {
	finder *match.Finder
	cursor int    // first line that the next hunk may take
	ending []byte // of new lines
}

// codexPasses are tried in this order, each over all places.
var codexPasses = [...]match.Pass{match.Exact, match.Blanks, match.Trimmed, match.Typographic}

// first returns the first place from the cursor on where the lines stand, -1
// if there is none.
func (c *codexMatcher) first(lines [][]byte) int {
	if len(lines) == 0 {
		return c.cursor
	}
	for _, p := range codexPasses {
		if at, total := c.finder.Places(lines, c.cursor, p); total > 0 {
			return at[0]
		}
	}
	return -1
}

// last returns the only place that lines have at the end of the file, -1 if
// they do not stand there.
func (c *codexMatcher) last(lines [][]byte) int {
	at := max(len(c.finder.Doc.Lines)-len(lines), c.cursor)
	for _, p := range codexPasses {
		if c.finder.At(lines, at, p) {
			return at
		}
	}
	return -1
}

// place finds where a hunk goes and moves the cursor behind it.
func (c *codexMatcher) place(h *Hunk) (spot, *Error) {
	if len(h.Anchors) > 0 {
		at := c.first([][]byte{[]byte(h.Anchors[0])})
		if at < 0 {
			return spot{}, &Error{Code: NoMatch, Why: StepAnchor, Msg: "no line is its anchor " + quoted(h.Anchors[0])}
		}
		c.cursor = at + 1
	}
	s := spot{hunk: h, lines: h.Lines, ending: c.ending}
	old := h.old()
	if len(old) == 0 {
		s.at = len(c.finder.Doc.Lines)
		return s, nil
	}
	find := c.first
	if h.EOF {
		find = c.last
	}
	if s.at = find(old); s.at < 0 && len(old[len(old)-1]) == 0 {
		// The blank line may be the end of the text, which is no line here.
		old, s.lines = old[:len(old)-1], withoutBlankEnd(h.Lines)
		s.at = find(old)
	}
	if s.at < 0 {
		return s, &Error{Code: NoMatch, Why: StepLines, Msg: "first expected line " + quoted(string(h.old()[0]))}
	}
	s.count = len(old)
	c.cursor = s.at + s.count
	return s, nil
}

// runs are the spots of the hunk's changes alone, without the context between
// them.
func (s spot) runs() (runs []spot) {
	at := s.at
	for i := 0; i < len(s.lines); {
		if s.lines[i].Kind == Context {
			i, at = i+1, at+1
			continue
		}
		run := spot{hunk: s.hunk, at: at, ending: s.ending}
		for ; i < len(s.lines) && s.lines[i].Kind != Context; i++ {
			if run.lines = append(run.lines, s.lines[i]); s.lines[i].Kind == Removed {
				run.count++
			}
		}
		at += run.count
		runs = append(runs, run)
	}
	return runs
}

// withoutBlankEnd drops the last old line of a hunk, which is empty, and the
// last new one if it is empty, too. A context line is both.
func withoutBlankEnd(lines []Line) []Line {
	lines = slices.Clone(lines)
	for _, half := range [...]struct{ drop, keep LineKind }{{Removed, Added}, {Added, Removed}} {
		for i := len(lines) - 1; i >= 0; i-- {
			if lines[i].Kind == half.keep {
				continue
			}
			switch {
			case lines[i].Text != "":
			case lines[i].Kind == Context:
				lines[i].Kind = half.keep
			default:
				lines = slices.Delete(lines, i, i+1)
			}
			break
		}
	}
	return lines
}
