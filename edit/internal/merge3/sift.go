package merge3

const (
	// siftWindow is how far around a frequent line is looked for lines that the
	// other text does not have.
	siftWindow = 100
	// frequentMost is the number of occurrences from which on a line is
	// frequent in the largest of texts.
	frequentMost = 1024
)

// What a line is to the search.
type worth byte

const (
	absent   worth = iota // the other text does not have it
	useful                // it may be matched
	frequent              // the other text has it so often that it says little
)

// sift marks as changed what cannot be matched, and frequent lines in the midst
// of such, which would only be matched by accident. It returns the places of
// the lines that are left. The lines that both texts begin and end with are
// neither changed nor searched.
func sift(x, y *side, head, tail, different int) (keptX, keptY []int32) {
	inX, inY := make([]int32, different), make([]int32, different)
	for _, id := range x.ids {
		inX[id]++
	}
	for _, id := range y.ids {
		inY[id]++
	}
	return x.sift(head, tail, inY), y.sift(head, tail, inX)
}

func (s *side) sift(head, tail int, inOther []int32) []int32 {
	often := int32(min(root(len(s.ids)), frequentMost))
	ids := s.ids[head : len(s.ids)-tail]
	worths := make([]worth, len(ids))
	count := 0
	for i, id := range ids {
		switch n := inOther[id]; {
		case n >= often:
			worths[i] = frequent
		case n > 0:
			worths[i] = useful
		}
		if worths[i] != absent {
			count++
		}
	}
	kept := make([]int32, 0, count)
	for i, w := range worths {
		if w == absent || w == frequent && accidental(worths, i) {
			s.changed[head+i] = true
		} else {
			kept = append(kept, int32(head+i))
		}
	}
	return kept
}

// accidental reports whether frequent line i stands in a run of lines that the
// other text does not have, or hardly.
func accidental(worths []worth, i int) bool {
	missing, often := 0, 2
	for _, step := range [2]int{-1, 1} {
		before := missing
		for k := i + step; k >= max(i-siftWindow, 0) && k <= min(i+siftWindow, len(worths)-1) && worths[k] != useful; k += step {
			if worths[k] == absent {
				missing++
			} else {
				often++
			}
		}
		if missing == before {
			return false // no absent line on this side: it may well be matched
		}
	}
	return often*4 < often+missing
}

// root is about the square root of n, from above: a power of two.
func root(n int) int {
	r := 1
	for ; n > 0; n >>= 2 {
		r <<= 1
	}
	return r
}
