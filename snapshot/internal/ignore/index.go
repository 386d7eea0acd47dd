package ignore

import (
	"math/bits"
	"slices"
	"strings"
)

// An index finds the few rules that may be about a name. A rule is in one kind
// of list only, and each list has the last line first:
//
//   - by name, if only one name can match
//   - by ext, if every match ends in the same bytes with a dot among them: the
//     key is from the last dot on, which a name must then share
//   - by the last byte, or else by the first one, if there are few it can be;
//     *.py[co] is in the list of c and in that of o
//   - in rest, to be asked about every name
type index struct {
	name  map[string][]int32
	ext   map[string][]int32
	last  byteLists
	first byteLists
	rest  []int32
	sizes uint64 // bit n: a key of name has n bytes; bit 63: or more
}

type byteLists struct {
	at    [256]uint8 // which list, from 1; no name has a NUL, so it fits
	lists [][]int32
}

func newIndex(rules []rule) (x index) {
	for n := range slices.Backward(rules) {
		x.add(rules[n].needs(), int32(n))
	}
	return x
}

func (x *index) add(w need, n int32) {
	switch dot := strings.LastIndexByte(w.tail, '.'); {
	case w.exact:
		add(&x.name, w.tail, n)
		x.sizes |= 1 << min(len(w.tail), 63)
	case dot >= 0:
		add(&x.ext, w.tail[dot:], n)
	case w.last.few():
		x.last.add(w.last, n)
	case w.first.few():
		x.first.add(w.first, n)
	default:
		x.rest = append(x.rest, n)
	}
}

// A need is what a name must have for a rule to be about it. Nothing is known
// where a set is nil.
type need struct {
	exact       bool   // it is tail
	tail        string // it ends so
	first, last *set   // it starts, it ends with one of these
}

func (r *rule) needs() need {
	base := r.lit[strings.LastIndexByte(r.lit, '/')+1:]
	switch {
	case r.kind == byTail:
		return need{tail: r.lit, last: lastOf(r.lit)}
	case len(r.glob) == 0:
		return need{exact: true, tail: base}
	}
	// The name begins after the last slash that is sure to be one: not that of
	// x**/y, which matches xy too. Open: there is none.
	start, open := -1, base != "" && r.glob[0].kind == deepSlash
	for i, o := range r.glob {
		switch {
		case o.kind == literal && o.b == '/':
			start, open = i+1, false
		case o.kind == deepSlash:
			start = i + 1
		case o.kind == deepStar:
			open = true
		}
	}
	tail := r.glob.tail()
	tail = tail[strings.LastIndexByte(tail, '/')+1:]
	w := need{tail: tail, last: lastOf(tail)}
	if open {
		return w
	}
	if start < 0 && base != "" {
		w.first = oneByte(base[0])
	} else if start = max(start, 0); start < len(r.glob) {
		w.first = r.glob[start].members()
	}
	w.exact = start >= 0 && len(tail) == len(r.glob)-start
	if w.last == nil && start < len(r.glob) {
		w.last = r.glob[len(r.glob)-1].members()
	}
	return w
}

func lastOf(s string) *set {
	if s == "" {
		return nil
	}
	return oneByte(s[len(s)-1])
}

func oneByte(b byte) *set {
	s := &set{}
	s.add(b)
	return s
}

// members returns the bytes that o can match, nil if they are many or none.
func (o op) members() *set {
	switch o.kind {
	case literal:
		return oneByte(o.b)
	case class:
		return o.set
	}
	return nil
}

// few: it is worth having the rule in a list for each.
func (s *set) few() bool {
	if s == nil {
		return false
	}
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n <= 32
}

// last returns the last rule that is about e, -1 if none is. It allocates
// nothing.
func (r *Rules) last(e *entry) int32 {
	x, best := &r.index, int32(-1)
	best = r.latest(x.rest, e, best)
	best = r.latest(x.first.get(e.name[0], r.fold), e, best)
	best = r.latest(x.last.get(e.name[len(e.name)-1], r.fold), e, best)

	if len(x.ext) > 0 {
		if dot := strings.LastIndexByte(e.name, '.'); dot >= 0 {
			best = r.latest(lookup(x.ext, e.name[dot:], r.fold), e, best)
		}
	}
	if x.sizes>>min(len(e.name), 63)&1 != 0 {
		best = r.latest(lookup(x.name, e.name, r.fold), e, best)
	}
	return best
}

// latest returns the first rule of a list that is about e and comes after best.
func (r *Rules) latest(list []int32, e *entry, best int32) int32 {
	for _, n := range list {
		if n <= best {
			break
		}
		if r.rules[n].matches(e, r.fold) {
			return n
		}
	}
	return best
}

func lookup(m map[string][]int32, key string, fold bool) []int32 {
	if !fold {
		return m[key]
	}
	var buf [64]byte
	b := append(buf[:0], key...)
	for i, c := range b {
		b[i] = lowerByte(c)
	}
	return m[string(b)]
}

func add(m *map[string][]int32, key string, n int32) {
	if *m == nil {
		*m = map[string][]int32{}
	}
	(*m)[key] = append((*m)[key], n)
}

func (l *byteLists) add(s *set, n int32) {
	for b := 1; b < 256; b++ {
		if !s.has(byte(b)) {
			continue
		}
		if l.at[b] == 0 {
			l.lists = append(l.lists, nil)
			l.at[b] = uint8(len(l.lists))
		}
		i := l.at[b] - 1
		l.lists[i] = append(l.lists[i], n)
	}
}

func (l *byteLists) get(b byte, fold bool) []int32 {
	if fold {
		b = lowerByte(b)
	}
	if i := l.at[b]; i > 0 {
		return l.lists[i-1]
	}
	return nil
}
