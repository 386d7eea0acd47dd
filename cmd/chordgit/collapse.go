package main

import (
	"fmt"

	"github.com/chordgit/chordgit/edit"
)

// A said is what a line of text says of a path.
type said struct{ path, what string }

const (
	// linesEach is how many paths of which the same is said get a line each. A
	// start that was not finished in time says the same of a hundred thousand.
	linesEach = 20
	// samples of the others are named.
	samples = 3
)

// collapsed are the lines, in the order of the list. Of many paths of which the
// same is said some are named, and how many there are more: --json has them all.
func collapsed(list []said) (lines []string) {
	total, named := map[string]int{}, map[string]int{}
	for _, s := range list {
		total[s.what]++
	}
	for _, s := range list {
		many := total[s.what] > linesEach
		if named[s.what]++; many && named[s.what] > samples {
			continue
		}
		lines = append(lines, edit.Quote(s.path)+": "+edit.Quote(s.what))
		if many && named[s.what] == samples {
			lines = append(lines, fmt.Sprintf("%d more paths: %s (--json names them)", total[s.what]-samples, edit.Quote(s.what)))
		}
	}
	return lines
}
