package merge3

// A run is a stretch of changed lines, perhaps an empty one: there is one
// before each unchanged line of a text, and one at the end. So both texts of a
// diff have the same number of runs, and the n-th of the one is the counterpart
// of the n-th of the other.
type run struct{ start, end int }

func (r run) empty() bool { return r.start == r.end }

// runAt is the run that starts at a line.
func (s *side) runAt(start int) run {
	r := run{start, start}
	for r.end < len(s.ids) && s.changed[r.end] {
		r.end++
	}
	return r
}

// next is the run behind the unchanged line that follows r.
func (s *side) next(r run) run { return s.runAt(r.end + 1) }

// last is the run in front of the unchanged line before r.
func (s *side) last(r run) run {
	l := run{r.start - 1, r.start - 1}
	for l.start > 0 && s.changed[l.start-1] {
		l.start--
	}
	return l
}

// up moves a run up by one line, if the line above equals its last one. A run
// that it comes to touch becomes part of it.
func (s *side) up(r *run) bool {
	if r.start == 0 || s.ids[r.start-1] != s.ids[r.end-1] {
		return false
	}
	r.start, r.end = r.start-1, r.end-1
	s.changed[r.start], s.changed[r.end] = true, false
	for r.start > 0 && s.changed[r.start-1] {
		r.start--
	}
	return true
}

// down is the opposite of up.
func (s *side) down(r *run) bool {
	if r.end == len(s.ids) || s.ids[r.start] != s.ids[r.end] {
		return false
	}
	s.changed[r.start], s.changed[r.end] = false, true
	r.start, r.end = r.start+1, r.end+1
	for r.end < len(s.ids) && s.changed[r.end] {
		r.end++
	}
	return true
}

// slide moves the runs of s that may stand in several places: down to where
// the other text changes, too, so that deletion and insertion become one hunk,
// else as far down as they go. Runs that touch on the way become one.
func slide(s, other *side) {
	r, o := s.runAt(0), other.runAt(0)
	for {
		if !r.empty() {
			o = s.settle(&r, o, other)
		}
		if r.end == len(s.ids) {
			return
		}
		r, o = s.next(r), other.next(o)
	}
}

// settle moves run r, whose counterpart is o, and returns the counterpart of
// where it came to stand.
func (s *side) settle(r *run, o run, other *side) run {
	beside := -1 // where it last ended beside a change of the other text
	for size := -1; size != r.end-r.start; {
		size, beside = r.end-r.start, -1
		for s.up(r) {
			o = other.last(o)
		}
		if !o.empty() {
			beside = r.end
		}
		for s.down(r) {
			if o = other.next(o); !o.empty() {
				beside = r.end
			}
		}
	}
	for beside >= 0 && r.end > beside && s.up(r) {
		o = other.last(o)
	}
	return o
}
