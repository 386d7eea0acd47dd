package edit

import (
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// blockAdvice is what every message about a block that was not found ends with.
const blockAdvice = "SEARCH must repeat complete lines of the file with their blanks, comments and indentation"

func (b *blocker) notFoundMsg(old []string) string {
	first := ""
	if len(old) > 0 {
		first = old[0]
	}
	return fmt.Sprintf("SearchReplaceNoExactMatch: block %d not found: %s", b.number, firstLine([]byte(first)))
}

// notFoundBlock says why a block stands nowhere.
func (b *blocker) notFoundBlock(s sought) *Error {
	q := &question{finder: b.finder, old: byteLines(s.old), whole: true}
	var f facts
	if len(s.new) > 0 {
		if at, total := b.finder.Places(byteLines(s.new), 0, match.Exact); total == 1 {
			f.at(at[0], "already applied: its new lines stand at line %d", at[0]+1)
		}
	}
	b.explain(q, &f)
	f.add("%s", blockAdvice)
	return &Error{Code: NoMatch, Lines: f.lines, Facts: f.list, Msg: b.notFoundMsg(s.old)}
}

// uneven says that a block's lines stand at a place, but differ there by more
// than one indentation.
func (b *blocker) uneven(s sought, at int) *Error {
	var f facts
	var shifts []string
	for i, l := range s.old {
		if isBlank(l) {
			continue
		}
		shift := fmt.Sprintf("%s for %s", indentName(indentOf(string(b.finder.Doc.Line(at+i)))), indentName(indentOf(l)))
		if len(shifts) < 4 && (len(shifts) == 0 || shifts[len(shifts)-1] != shift) {
			shifts = append(shifts, shift)
		}
	}
	f.at(at, "the text stands at line %d, but its indentation differs by more than one amount (the file has %s)", at+1, strings.Join(shifts, ", "))
	f.add("%s", blockAdvice)
	return &Error{Code: NoMatch, Lines: f.lines, Facts: f.list, Msg: b.notFoundMsg(s.old)}
}

// indentName says how deep an indentation is: "2 spaces", "1 tab".
func indentName(indent string) string {
	tabs := strings.Count(indent, "\t")
	n := len([]rune(indent)) - tabs
	switch {
	case tabs == 0:
		return fmt.Sprintf("%d space%s", n, plural(n))
	case n == 0:
		return fmt.Sprintf("%d tab%s", tabs, plural(tabs))
	}
	return fmt.Sprintf("%d tab%s and %d space%s", tabs, plural(tabs), n, plural(n))
}
