package invisible

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Counts says how often each character was met. A nil Counts is empty.
type Counts map[rune]int

// String lists the characters by ascending code point: "U+0304×1, U+200B×2". It
// is empty if there are none.
func (c Counts) String() string {
	var b strings.Builder
	for _, r := range slices.Sorted(maps.Keys(c)) {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "U+%04X×%d", r, c[r])
	}
	return b.String()
}

// Add adds o to c, which must not be nil unless o is empty.
func (c Counts) Add(o Counts) {
	for r, n := range o {
		c[r] += n
	}
}
