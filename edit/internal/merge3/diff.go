package merge3

// A hunk says that the lines from up to to of the old text are those from
// newFrom up to newTo of the new one. Between two hunks lies at least one line
// that both have.
type hunk struct{ from, to, newFrom, newTo int }

// A side is one of the two texts of a diff: its lines by id, and which of them
// the other text does not have at that place.
type side struct {
	ids     []int32
	changed []bool
}

// diff returns the hunks that make b of a, given the number of different ids.
//
// It looks for the shortest edit script as Myers' linear-space algorithm does.
// Lines that are unlikely to help are left out of the search beforehand, and
// the search gives up on shortness where that gets dear, so that the time stays
// far from quadratic. Afterwards each run of changed lines that could as well
// stand elsewhere is moved to where git would show it.
func diff(a, b []int32, different int) []hunk {
	x, y := &side{a, make([]bool, len(a))}, &side{b, make([]bool, len(b))}
	head, tail := common(a, b)
	keptX, keptY := sift(x, y, head, tail, different)
	s := newSearch(x, y, keptX, keptY)
	s.box(0, len(keptX), 0, len(keptY), false)
	slide(x, y)
	slide(y, x)
	return hunks(x, y)
}

// common counts the lines with which both texts begin and end.
func common(a, b []int32) (head, tail int) {
	n := min(len(a), len(b))
	for head < n && a[head] == b[head] {
		head++
	}
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// hunks reads off which lines are changed.
func hunks(x, y *side) (out []hunk) {
	i, j := 0, 0
	for i < len(x.ids) || j < len(y.ids) {
		h := hunk{from: i, newFrom: j}
		for i < len(x.ids) && x.changed[i] {
			i++
		}
		for j < len(y.ids) && y.changed[j] {
			j++
		}
		if h.to, h.newTo = i, j; h.to > h.from || h.newTo > h.newFrom {
			out = append(out, h)
		}
		i, j = i+1, j+1
	}
	return out
}
