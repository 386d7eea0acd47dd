package ignore

import (
	"slices"
	"strings"
)

// An index finds the few rules that may be about a name. A rule is in one list
// only, and each list has the last line first:
//
//   - by name, if only one name can match
//   - by ext, if every match ends in the same bytes with a dot among them: the
//     key is from the last dot on, which a name must then share
//   - by the last byte, or else by the first one, if all matches share it
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
	at    [256]uint8 // which list, from 1: no pattern has a NUL, so it fits
	lists [][]int32
}

func newIndex(rules []rule) (x index) {
	x.name, x.ext = map[string][]int32{}, map[string][]int32{}
	for n := range slices.Backward(rules) {
		x.add(&rules[n], int32(n))
	}
	return x
}

func (x *index) add(r *rule, n int32) {
	ops, exact, tail := r.needs()
	switch dot := strings.LastIndexByte(tail, '.'); {
	case exact:
		x.name[tail] = append(x.name[tail], n)
		x.sizes |= 1 << min(len(tail), 63)
	case dot >= 0:
		x.ext[tail[dot:]] = append(x.ext[tail[dot:]], n)
	case tail != "":
		x.last.add(tail[len(tail)-1], n)
	case ops != nil && ops[0].kind == literal:
		x.first.add(ops[0].b, n)
	default:
		x.rest = append(x.rest, n)
	}
}

// needs says what a name must be like for r to be about it: it is tail, if
// exact, or else ends in it and matches ops; no ops: nothing is known.
func (r *rule) needs() (ops glob, exact bool, tail string) {
	if r.kind == nameTail {
		return nil, false, r.lit
	}
	for i := range len(r.lit) {
		ops = append(ops, op{kind: literal, b: r.lit[i]})
	}
	ops = append(ops, r.glob...)

	// The name begins after the last slash that is sure to be one. In x**/y
	// there is none: it matches xy too.
	open := len(r.glob) > 0 && r.glob[0].kind == deepSlash && r.lit != "" && !strings.HasSuffix(r.lit, "/")
	start := 0
	for i, o := range ops {
		if o.kind == literal && o.b == '/' || o.kind == deepSlash {
			start, open = i+1, open && o.kind == deepSlash
		} else if o.kind == deepStar {
			open = true
		}
	}
	tail = ops.tail()
	if open {
		return nil, false, tail[strings.LastIndexByte(tail, '/')+1:]
	}
	ops = ops[start:]
	tail = ops.tail()
	return ops, len(tail) == len(ops), tail
}

// last returns the last rule that is about e, -1 if none is. It allocates
// nothing.
func (r *Rules) last(e entry) int32 {
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
func (r *Rules) latest(list []int32, e entry, best int32) int32 {
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

func (l *byteLists) add(b byte, n int32) {
	if l.at[b] == 0 {
		l.lists = append(l.lists, nil)
		l.at[b] = uint8(len(l.lists))
	}
	i := l.at[b] - 1
	l.lists[i] = append(l.lists[i], n)
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
