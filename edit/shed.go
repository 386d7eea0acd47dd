package edit

import "github.com/chordgit/chordgit/edit/internal/match"

// shedMost is how many lines of context are dropped at each end of a hunk.
const shedMost = 10

// shed places a hunk, as Aider does, by less than all of its context: lines are
// dropped from the outside in, as few as possible, until what is left stands at
// exactly one place.
func (d *differ) shed(i int) (spot, bool) {
	h := &d.op.Hunks[i]
	if !h.changes() {
		return spot{}, false
	}
	head, tail := min(h.context(false), shedMost), min(h.context(true), shedMost)
	for drop := 1; drop <= head+tail; drop++ {
		for top := max(0, drop-tail); top <= min(drop, head); top++ {
			less := *h
			less.Lines = h.Lines[top : len(h.Lines)-(drop-top)]
			old := less.old()
			for p := range match.Trimmed {
				places, total := d.finder.Places(old, 0, p)
				if total == 0 {
					continue
				}
				if total > 1 {
					break
				}
				d.note("context-dropped", i+1, []int{places[0] + 1}, "hunk %d matched at line %d without %d of its lines of context, which the file does not have there", i+1, places[0]+1, drop)
				if h.At > 0 {
					d.offset = places[0] - top - (h.At - 1)
				}
				return spot{hunk: &less, at: places[0], count: len(old)}, true
			}
		}
	}
	return spot{}, false
}
