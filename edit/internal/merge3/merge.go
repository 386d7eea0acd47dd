package merge3

import "bytes"

// A Conflict is a stretch of lines that both changed, in different ways, or
// next to each other: those of ours from From up to To, counted from 0.
type Conflict struct{ From, To int }

// Merge returns ours with what theirs changed of base. If both changed the same
// lines, or lines that have no unchanged one in between, they must have changed
// them to the same: else these are conflicts, of which all are returned, and
// nothing is merged.
//
// A text must be smaller than 2 GiB.
func Merge(base, ours, theirs []byte) (merged []byte, conflicts []Conflict) {
	all, different := read(base, ours, theirs)
	o, b, t := all[1], all[0], all[2]
	left := &change{hunks: diff(b.ids, o.ids, different)}
	right := &change{hunks: diff(b.ids, t.ids, different)}
	merged = make([]byte, 0, len(ours)+max(len(theirs)-len(base), 0))
	done := 0 // lines of ours that were written or left out
	for len(right.hunks) > 0 {
		from, to := left.cluster(right)
		mine, own := left.take(from, to)
		its, other := right.take(from, to)
		switch {
		case !other, own && bytes.Equal(o.bytes(mine.From, mine.To), t.bytes(its.From, its.To)):
			// Ours has it already.
		case own:
			conflicts = append(conflicts, mine)
		case conflicts == nil:
			merged = append(merged, o.bytes(done, mine.From)...)
			merged = append(merged, t.bytes(its.From, its.To)...)
			done = mine.To
		}
	}
	if conflicts != nil {
		return nil, conflicts
	}
	return append(merged, o.bytes(done, len(o.ids))...), nil
}

// A change is what one side did to base: the hunks that are not merged yet, and
// by how many lines those that are made the text longer.
type change struct {
	hunks  []hunk
	longer int
}

// cluster is the stretch of base that the next hunks change: the first one, of
// either change, and all that touch what is there already.
func (c *change) cluster(d *change) (from, to int) {
	first := d.hunks[0]
	if len(c.hunks) > 0 && c.hunks[0].from < first.from {
		first = c.hunks[0]
	}
	from, to = first.from, first.to
	for i, j := 0, 0; ; {
		switch {
		case i < len(c.hunks) && c.hunks[i].from <= to:
			to = max(to, c.hunks[i].to)
			i++
		case j < len(d.hunks) && d.hunks[j].from <= to:
			to = max(to, d.hunks[j].to)
			j++
		default:
			return from, to
		}
	}
}

// take returns the lines that stand for a stretch of base after the change, and
// whether it changes any. The hunks in it are done with.
func (c *change) take(from, to int) (stretch Conflict, any bool) {
	stretch.From = from + c.longer
	for len(c.hunks) > 0 && c.hunks[0].from <= to {
		c.longer = c.hunks[0].newTo - c.hunks[0].to
		c.hunks, any = c.hunks[1:], true
	}
	stretch.To = to + c.longer
	return stretch, any
}
