package edit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// quotedMost is how many characters of a text a message quotes.
const quotedMost = 120

// quoted quotes a text for a message, cut between characters.
func quoted(text string) string {
	q, _ := cut(text)
	return `"` + q + `"`
}

func cut(text string) (string, bool) {
	if utf8.RuneCountInString(text[:min(len(text), 4*quotedMost)]) <= quotedMost && len(text) <= 4*quotedMost {
		return Quote(text), false
	}
	n := 0
	for i := range text {
		if n == quotedMost {
			return Quote(text[:i]), true
		}
		n++
	}
	return Quote(text), false
}

// firstLine is the fact that every message about a text that was not found
// begins with.
func firstLine(text []byte) string {
	q, short := cut(string(text))
	if short {
		return `first expected line prefix: "` + q + `"`
	}
	return `first expected complete line: "` + q + `"`
}

// fragmentsMost bounds how many old lines are looked up as parts of longer
// lines: each costs one search of the file.
const fragmentsMost = 8

// notFound says why the old lines of hunk i stand nowhere from line start on.
func (m *matcher) notFound(i int, old [][]byte, start int) *Error {
	h, of := &m.op.Hunks[i], len(m.op.Hunks)
	facts := []string{firstLine(old[0])}
	e := &Error{Code: NoMatch}
	say := func(line int, format string, args ...any) {
		facts = append(facts, fmt.Sprintf(format, args...))
		if line >= 0 {
			e.Lines = append(e.Lines, line+1)
		}
	}
	found := len(facts)
	if lines := h.new(); h.changes() && len(lines) > 0 {
		if at, total := m.finder.places(lines, start, exact); total == 1 {
			say(at[0], "already applied: its new lines stand at line %d", at[0]+1)
		}
	}
	if at, total := m.finder.places(old, 0, trimmed); total > 0 && at[0] < start {
		say(at[0], "it stands earlier, at line %d", at[0]+1)
		switch {
		case h.EOF:
			say(-1, "the hunk is pinned to the end of the file")
		case m.ends > at[0]:
			say(-1, "hunks go downwards and the one before ends at line %d", m.ends)
		default:
			say(-1, "hunks go downwards from their anchor")
		}
	}
	if len(facts) == found {
		m.fragment(old, start, say)
	}
	if len(facts) == found {
		m.partial(old, start, say)
	}
	if len(facts) == found {
		if c := m.run.closest(m.finder.doc, bytes.Join(old, []byte("\n")), len(old), start); c != nil {
			say(c.at, "%s", c.text)
		}
	}
	for _, l := range old {
		if len(l) > 0 && len(bytes.TrimSpace(l)) == 0 {
			say(-1, "an expected line holds only blanks; such lines are literal, no stand-in for omitted lines")
			break
		}
	}
	if len(facts) == found {
		say(-1, "the text does not occur; the file has %d line%s", len(m.finder.doc.lines), plural(len(m.finder.doc.lines)))
	}
	switch {
	case i == 1:
		say(-1, "hunk 1 matched in memory but was not applied")
	case i > 1:
		say(-1, "hunks 1–%d matched in memory but were not applied", i)
	}
	e.Msg = fmt.Sprintf("hunk not found (%d/%d): %s", i+1, of, strings.Join(facts, "; "))
	return e
}

// fragment looks for an old line that is only part of a longer line.
func (m *matcher) fragment(old [][]byte, start int, say func(int, string, ...any)) {
	for _, l := range old[:min(len(old), fragmentsMost)] {
		t := trimmed.norm(l)
		if len(t) == 0 || m.finder.equal(l, start) >= 0 {
			continue
		}
		if in := m.finder.containing(t, start, 1); len(in) > 0 {
			say(in[0], "%s is only part of line %d: give the complete line", quoted(string(t)), in[0]+1)
			return
		}
	}
}

// partial says how far the old lines fit where they fit furthest, and how the
// first line that does not fit differs.
func (m *matcher) partial(old [][]byte, start int, say func(int, string, ...any)) {
	pat := make([][]byte, len(old))
	for i, l := range old {
		pat[i] = trimmed.norm(l)
	}
	fit, at := m.finder.walk(pat, start, trimmed, func(int) {})
	if fit == 0 || fit == len(old) {
		return
	}
	doc, line := m.finder.doc, at+fit
	if line >= len(doc.lines) {
		say(at, "the first %d of %d lines fit at line %d, then the file ends where %s is expected", fit, len(old), at+1, quoted(string(old[fit])))
		return
	}
	say(at, "the first %d of %d lines fit at line %d, then line %d is %s where %s is expected (%s)",
		fit, len(old), at+1, line+1, quoted(string(doc.line(line))), quoted(string(old[fit])), firstDifference(old[fit], doc.line(line)))
}

// firstDifference names the first character in which a line of the request
// and one of the file differ.
func firstDifference(request, file []byte) string {
	for n := 1; ; n++ {
		a, an := utf8.DecodeRune(request)
		b, bn := utf8.DecodeRune(file)
		if a == b && an > 0 && bn > 0 {
			request, file = request[an:], file[bn:]
			continue
		}
		return fmt.Sprintf("rune %d: request %s, file %s", n, codePoint(a, an), codePoint(b, bn))
	}
}

func codePoint(r rune, size int) string {
	if size == 0 {
		return "end of line"
	}
	return fmt.Sprintf("U+%04X", r)
}
