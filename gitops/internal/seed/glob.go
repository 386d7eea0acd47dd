package seed

import (
	"bytes"
	"math/bits"
	"strings"
)

// A verdict says whether a pattern matches. Few patterns need all of git's
// wildmatch; for the others perhaps is the answer wherever a match cannot be
// excluded, and the path is in doubt.
type verdict uint8

const (
	no verdict = iota
	perhaps
	yes
)

// A glob is a pattern as a list of at most 63 steps, all of which are tried
// at the same time: the time is linear in the text for every pattern.
type glob struct {
	fold  bool
	steps []step
	tail  []byte // of a pattern that is a star and this
}

type step struct {
	kind stepKind
	b    byte
	set  *[4]uint64
}

type stepKind uint8

const (
	literal  stepKind = iota // b
	anyByte                  // a byte but no slash
	class                    // a byte of set
	star                     // any bytes but slashes
	deepHead                 // "**/": nothing, or any bytes and a slash
	deepTail                 // "**" at the end: any bytes
	unknown                  // the rest was not understood
)

const maxSteps = 63

// compile reads a pattern in which a star does not match a slash. It is never
// wrong about a match, but may not know.
func compile(p string, fold bool) glob {
	g := steps(p, fold)
	if rest, ok := strings.CutPrefix(p, "*"); ok && rest != "" && !fold && !strings.ContainsAny(rest, `*?[\`) {
		g.tail = []byte(rest) // as most patterns are: *.png
	}
	return g
}

func steps(p string, fold bool) glob {
	g := glob{fold: fold}
	add := func(s step) { g.steps = append(g.steps, s) }
	for i := 0; i < len(p); i++ {
		if len(g.steps) == maxSteps {
			g.steps[maxSteps-1] = step{kind: unknown}
			return g
		}
		switch c := p[i]; c {
		case '?':
			add(step{kind: anyByte})
		case '[':
			set, n := simpleClass(p[i+1:])
			if set == nil || fold {
				add(step{kind: unknown})
				return g
			}
			add(step{kind: class, set: set})
			i += n
		case '*':
			n := len(p[i:]) - len(strings.TrimLeft(p[i:], "*"))
			after := p[i+n:]
			switch {
			case n == 1:
				add(step{kind: star})
			case n == 2 && (i == 0 || p[i-1] == '/') && after == "":
				add(step{kind: deepTail})
			case n == 2 && (i == 0 || p[i-1] == '/') && after[0] == '/':
				add(step{kind: deepHead})
				i += 2
			default:
				add(step{kind: unknown})
				return g
			}
		case '\\':
			add(step{kind: unknown})
			return g
		default:
			if fold {
				c = lower(c)
			}
			add(step{kind: literal, b: c})
		}
	}
	return g
}

// simpleClass reads a class after its "[" if it is made of letters, digits and
// a few others, and of ranges of one kind. n is its length with the "]".
func simpleClass(p string) (set *[4]uint64, n int) {
	set = new([4]uint64)
	for i := 0; i < len(p); i++ {
		c := p[i]
		if c == ']' && i > 0 {
			return set, i + 1
		}
		if !plain(c) {
			return nil, 0
		}
		to := c
		if i+2 < len(p) && p[i+1] == '-' {
			if to = p[i+2]; !plain(to) || to < c {
				return nil, 0
			}
			i += 2
		}
		for b := int(c); b <= int(to); b++ {
			set[b>>6] |= 1 << (b & 63)
		}
		set['/'>>6] &^= 1 << ('/' & 63) // which lies between "." and "0"
	}
	return nil, 0
}

func plain(c byte) bool {
	return 'a' <= lower(c) && lower(c) <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '.'
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// match tells whether the glob matches all of the text.
func (g *glob) match(text []byte) verdict {
	if g.tail != nil {
		if bytes.HasSuffix(text, g.tail) && bytes.IndexByte(text[:len(text)-len(g.tail)], '/') < 0 {
			return yes
		}
		return no
	}
	unsure := false
	at := g.enter(0, 0)
	for i := 0; i < len(text) && at != 0; i++ {
		c := text[i]
		if g.fold {
			c = lower(c)
		}
		var next uint64
		for rest := at; rest != 0; rest &= rest - 1 {
			k := bits.TrailingZeros64(rest)
			if k == len(g.steps) {
				continue // it ended before the text did
			}
			switch s := &g.steps[k]; s.kind {
			case literal:
				if c == s.b {
					next = g.enter(next, k+1)
				}
			case anyByte:
				if c != '/' {
					next = g.enter(next, k+1)
				}
			case class:
				if s.set[c>>6]>>(c&63)&1 != 0 {
					next = g.enter(next, k+1)
				}
			case star:
				if c != '/' {
					next = g.enter(next, k)
				}
			case deepHead:
				next |= 1 << k // what follows begins after a slash alone
				if c == '/' {
					next = g.enter(next, k+1)
				}
			case deepTail:
				next = g.enter(next, k)
			case unknown:
				unsure = true
			}
		}
		at = next
	}
	switch {
	case at>>len(g.steps)&1 != 0:
		return yes
	case unsure || len(g.steps) > 0 && g.steps[len(g.steps)-1].kind == unknown && at>>(len(g.steps)-1)&1 != 0:
		return perhaps
	}
	return no
}

// enter adds the state before step k, and those reached without a byte.
func (g *glob) enter(states uint64, k int) uint64 {
	for ; states>>k&1 == 0; k++ {
		states |= 1 << k
		if k == len(g.steps) || g.steps[k].kind != star && g.steps[k].kind != deepHead && g.steps[k].kind != deepTail {
			break
		}
	}
	return states
}
