package merge3

import "math"

const (
	// snakeLeast is how many equal lines in a row count as a find.
	snakeLeast = 20
	// finds is the cost from which on the search is content with a find.
	finds = 256
	// dear is the least cost at which the search gives up.
	dear = 256
)

// A search finds which of the kept lines of two texts to match.
//
// The texts span a grid. A path through it goes right where a line of x is
// changed, down where one of y is, and diagonally where both match. Diagonal d
// holds the points (i, i-d). Forward paths come from the top left corner of a
// box, backward ones from the bottom right. For each diagonal the arrays hold
// how far (in i) the best path of the present cost got on it.
type search struct {
	x, y        *side
	atX, atY    []int32 // places of the kept lines
	idsX, idsY  []int32
	ahead, back []int32
	zero        int // where diagonal 0 is in both
	giveUp      int // the cost at which the search of a box gives up
}

func newSearch(x, y *side, keptX, keptY []int32) *search {
	s := &search{x: x, y: y, atX: keptX, atY: keptY, idsX: pick(x, keptX), idsY: pick(y, keptY)}
	diagonals := len(keptX) + len(keptY) + 3
	s.ahead, s.back = make([]int32, diagonals), make([]int32, diagonals)
	s.zero = len(keptY) + 1
	s.giveUp = max(root(diagonals), dear)
	return s
}

func pick(s *side, places []int32) []int32 {
	ids := make([]int32, len(places))
	for i, at := range places {
		ids[i] = s.ids[at]
	}
	return ids
}

// box marks the changed lines among those from i0 up to i1 of x and j0 up to j1
// of y. shortest asks for a shortest path, whatever it costs.
func (s *search) box(i0, i1, j0, j1 int, shortest bool) {
	for {
		for i0 < i1 && j0 < j1 && s.idsX[i0] == s.idsY[j0] {
			i0, j0 = i0+1, j0+1
		}
		for i0 < i1 && j0 < j1 && s.idsX[i1-1] == s.idsY[j1-1] {
			i1, j1 = i1-1, j1-1
		}
		if i0 == i1 || j0 == j1 {
			for _, at := range s.atX[i0:i1] {
				s.x.changed[at] = true
			}
			for _, at := range s.atY[j0:j1] {
				s.y.changed[at] = true
			}
			return
		}
		m := s.split(bounds{i0, i1, j0, j1}, shortest)
		s.box(i0, m.i, j0, m.j, m.shortHead)
		i0, j0, shortest = m.i, m.j, m.shortTail
	}
}

// bounds of a box, which is not empty, and whose first lines differ and last
// lines, too.
type bounds struct{ i0, i1, j0, j1 int }

// A middle is a point through which a good path goes. The way to it, or on from
// it, is known to be short enough to ask for the shortest one.
type middle struct {
	i, j                 int
	shortHead, shortTail bool
}

// A front is the range of diagonals that the paths of one direction reached.
type front struct{ min, max int }

// grow moves the front on by one change: by a diagonal on either side, as long
// as the box has them. The diagonal beyond is set to none, which is never best.
func (f *front) grow(reach []int32, zero int, lo, hi int, none int32) {
	if f.min > lo {
		f.min--
		reach[zero+f.min-1] = none
	} else {
		f.min++
	}
	if f.max < hi {
		f.max++
		reach[zero+f.max+1] = none
	} else {
		f.max--
	}
}

// split searches from both corners until the paths meet, or until it has cost
// too much.
func (s *search) split(b bounds, shortest bool) middle {
	lo, hi := b.i0-b.j1, b.i1-b.j0
	start, end := b.i0-b.j0, b.i1-b.j1
	odd := (start-end)&1 != 0
	f, r := front{start, start}, front{end, end}
	s.ahead[s.zero+start], s.back[s.zero+end] = int32(b.i0), int32(b.i1)
	for cost := 1; ; cost++ {
		f.grow(s.ahead, s.zero, lo, hi, -1)
		d, met, snakeF := s.forward(b, f, r, odd)
		if met {
			return s.meet(s.ahead, d)
		}
		r.grow(s.back, s.zero, lo, hi, math.MaxInt32)
		d, met, snakeR := s.backward(b, f, r, !odd)
		if met {
			return s.meet(s.back, d)
		}
		if shortest {
			continue
		}
		if cost > finds && (snakeF || snakeR) {
			if m, found := s.findAhead(b, f, start, cost); found {
				return m
			}
			if m, found := s.findBack(b, r, end, cost); found {
				return m
			}
		}
		if cost >= s.giveUp {
			return s.furthest(b, f, r)
		}
	}
}

func (s *search) meet(reach []int32, d int) middle {
	i := int(reach[s.zero+d])
	return middle{i, i - d, true, true}
}

// forward moves all forward paths on. If one meets a backward path (which can
// only be if meets is set), its diagonal is returned.
func (s *search) forward(b bounds, f, r front, meets bool) (met int, ok, snake bool) {
	ahead, zero := s.ahead, s.zero
	for d := f.max; d >= f.min; d -= 2 {
		i := int(max(ahead[zero+d-1]+1, ahead[zero+d+1]))
		from, j := i, i-d
		for i < b.i1 && j < b.j1 && s.idsX[i] == s.idsY[j] {
			i, j = i+1, j+1
		}
		snake = snake || i-from > snakeLeast
		ahead[zero+d] = int32(i)
		if meets && r.min <= d && d <= r.max && int(s.back[zero+d]) <= i {
			return d, true, snake
		}
	}
	return 0, false, snake
}

// backward is forward from the other corner.
func (s *search) backward(b bounds, f, r front, meets bool) (met int, ok, snake bool) {
	back, zero := s.back, s.zero
	for d := r.max; d >= r.min; d -= 2 {
		i := int(min(back[zero+d-1], back[zero+d+1]-1))
		from, j := i, i-d
		for i > b.i0 && j > b.j0 && s.idsX[i-1] == s.idsY[j-1] {
			i, j = i-1, j-1
		}
		snake = snake || from-i > snakeLeast
		back[zero+d] = int32(i)
		if meets && f.min <= d && d <= f.max && i <= int(s.ahead[zero+d]) {
			return d, true, snake
		}
	}
	return 0, false, snake
}
