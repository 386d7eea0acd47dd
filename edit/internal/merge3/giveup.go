package merge3

// advance is how far a path must have got, in lines per change, to be taken
// before it meets another.
const advance = 4

// findAhead looks for a forward path that got far and ends in a row of equal
// lines: most likely that row belongs together.
func (s *search) findAhead(b bounds, f front, start, cost int) (m middle, found bool) {
	best := advance * cost
	for d := f.max; d >= f.min; d -= 2 {
		i := int(s.ahead[s.zero+d])
		j := i - d
		got := (i - b.i0) + (j - b.j0) - distance(d, start)
		if got > best && b.i0+snakeLeast <= i && i < b.i1 && b.j0+snakeLeast <= j && j < b.j1 && s.row(i-snakeLeast, j-snakeLeast) {
			best, m, found = got, middle{i, j, true, false}, true
		}
	}
	return m, found
}

// findBack is findAhead for backward paths.
func (s *search) findBack(b bounds, r front, end, cost int) (m middle, found bool) {
	best := advance * cost
	for d := r.max; d >= r.min; d -= 2 {
		i := int(s.back[s.zero+d])
		j := i - d
		got := (b.i1 - i) + (b.j1 - j) - distance(d, end)
		if got > best && b.i0 < i && i <= b.i1-snakeLeast && b.j0 < j && j <= b.j1-snakeLeast && s.row(i, j) {
			best, m, found = got, middle{i, j, false, true}, true
		}
	}
	return m, found
}

func distance(d, e int) int { return max(d-e, e-d) }

// row reports whether a row of equal lines begins at (i, j).
func (s *search) row(i, j int) bool {
	for k := range snakeLeast {
		if s.idsX[i+k] != s.idsY[j+k] {
			return false
		}
	}
	return true
}

// furthest takes the path that got furthest, of either direction.
func (s *search) furthest(b bounds, f, r front) middle {
	ahead, back := b.i0+b.j0-1, b.i1+b.j1+1
	var to, from middle
	for d := f.max; d >= f.min; d -= 2 {
		i := min(int(s.ahead[s.zero+d]), b.i1, b.j1+d)
		if sum := i + i - d; sum > ahead {
			ahead, to = sum, middle{i, i - d, true, false}
		}
	}
	for d := r.max; d >= r.min; d -= 2 {
		i := max(int(s.back[s.zero+d]), b.i0, b.j0+d)
		if sum := i + i - d; sum < back {
			back, from = sum, middle{i, i - d, false, true}
		}
	}
	if ahead-(b.i0+b.j0) > (b.i1+b.j1)-back {
		return to
	}
	return from
}
