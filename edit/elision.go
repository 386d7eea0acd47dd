package edit

import (
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// around finds a block in which lines of dots stand for what lies between: the
// pieces of SEARCH each stand in the file once, in their order, and what lies
// between them stays. Both results are nil if the block has no such lines on
// both sides, or if a piece is missing.
func (b *blocker) around(s sought) ([]spot, *Error) {
	old, new := pieces(s.old), pieces(s.new)
	if len(old) < 2 || len(old) != len(new) {
		return nil, nil
	}
	var spots []spot
	for i, piece := range old {
		if len(piece) == 0 && len(new[i]) == 0 {
			continue
		}
		at, err := b.piece(piece)
		if at < 0 || err != nil {
			return nil, err
		}
		spots = append(spots, spot{hunk: &Hunk{Lines: lineDiff(piece, new[i])}, at: at, count: len(piece)})
	}
	for i := 1; i < len(spots); i++ {
		if before, s := spots[i-1], spots[i]; s.at < before.at+before.count {
			return nil, &Error{Code: NoMatch, Lines: numbers([]int{before.at, s.at}), Msg: b.notFoundMsg(old[0]),
				Facts: []string{fmt.Sprintf("the pieces around the elision stand in another order: at line %d and then at line %d", before.at+1, s.at+1), blockAdvice}}
		}
	}
	return spots, nil
}

// pieces cuts lines where one of them is three dots.
func pieces(lines []string) [][]string {
	out := [][]string{nil}
	for _, l := range lines {
		if strings.TrimSpace(l) == "..." {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], l)
	}
	return out
}

// piece returns the one line where a piece stands, -1 if it does nowhere: with
// so little text, neither another indentation nor tolerance is safe.
func (b *blocker) piece(lines []string) (int, *Error) {
	for p := range match.Trimmed {
		switch places, total := b.finder.Places(byteLines(lines), 0, p); {
		case total > 1:
			return 0, &Error{Code: Ambiguous, Lines: numbers(places), Msg: fmt.Sprintf("a piece around the block's elision, %s, stands at lines %s: give more lines of the file in it", quoted(lines[0]), list(places, total))}
		case total == 1:
			if p == match.Blanks {
				b.note("trailing-blanks", numbers(places), "a piece of the block matched at line %d with trailing blanks ignored", places[0]+1)
			}
			return places[0], nil
		}
	}
	return -1, nil
}
