package edit

import (
	"bytes"
	"fmt"

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
func (b *blocker) uneven(s sought, at int, why string) *Error {
	var f facts
	f.at(at, "the text stands at line %d: %s", at+1, why)
	f.add("%s", blockAdvice)
	return &Error{Code: NoMatch, Lines: f.lines, Facts: f.list, Msg: b.notFoundMsg(s.old)}
}

// indentation is what a line begins with.
func indentation(line []byte) []byte {
	return line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
}
