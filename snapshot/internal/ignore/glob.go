package ignore

import "strings"

// special are the bytes that end the literal start of a pattern.
const special = `*?[\`

// A glob is the part of a pattern from its first special byte on, compiled.
//
// Git's wildmatch tries again after every star and takes exponential time for
// some patterns. Here two stars are remembered at most, so matching costs at
// most the length of the pattern times that of the text: the leftmost way to
// match what stands between two stars leaves the most for what follows, so no
// earlier star needs a second try.
type glob []op

type op struct {
	kind opKind
	b    byte
	set  *set
}

type opKind uint8

const (
	star      opKind = iota // any bytes but slashes
	deepStar                // any bytes: "**" at the end, or before an escaped slash
	deepSlash               // nothing, or any bytes and a slash: "**/"
	any1                    // a byte but no slash
	class                   // a byte of set
	literal                 // b
)

// A set has a bit for each byte.
type set [4]uint64

func (s *set) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *set) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

// compile reads a pattern as git's wildmatch does with WM_PATHNAME. It serves
// patterns without a slash as well: in a name no star can meet a slash.
//
// A "**" counts at the start of p, not only at the start of a whole pattern:
// git strips the literal start before it matches, so x**/y matches x1/2/y.
//
// It is not ok if nothing can match.
func compile(p string, fold bool) (g glob, ok bool) {
	for i := 0; i < len(p); i++ {
		switch c := p[i]; c {
		case '\\':
			if i++; i == len(p) {
				return nil, false
			}
			if fold && isUpper(p[i]) {
				return nil, false // git compares it with a letter made lower
			}
			g = append(g, op{kind: literal, b: p[i]})
		case '?':
			g = append(g, op{kind: any1})
		case '[':
			s, n := compileClass(p[i+1:], fold)
			if s == nil {
				return nil, false
			}
			g = append(g, op{kind: class, set: s})
			i += n
		case '*':
			start := i
			for i+1 < len(p) && p[i+1] == '*' {
				i++
			}
			k := star
			if after := p[i+1:]; i > start && (start == 0 || p[start-1] == '/') {
				switch {
				case strings.HasPrefix(after, "/"):
					k = deepSlash
					i++
				case after == "" || strings.HasPrefix(after, `\/`):
					k = deepStar
				}
			}
			g = append(g, op{kind: k})
		default:
			if fold {
				c = lowerByte(c)
			}
			g = append(g, op{kind: literal, b: c})
		}
	}
	return g, true
}

// compileClass reads a class after its "[" and returns the number of bytes up
// to and with its "]". The set is nil if git gives up: there is no end, or an
// unknown [:name:].
func compileClass(p string, fold bool) (*set, int) {
	at := func(i int) byte { // 0 is the end, as in C
		if i < len(p) {
			return p[i]
		}
		return 0
	}
	s := &set{}
	i := 0
	negated := at(0) == '!' || at(0) == '^'
	if negated {
		i++
	}
	for prev, c := byte(0), at(i); ; { // a "]" that comes first is a member
		switch {
		case c == 0:
			return nil, 0
		case c == '\\':
			i++
			if c = at(i); c == 0 {
				return nil, 0
			}
			s.add(c)
		case c == '-' && prev != 0 && at(i+1) != 0 && at(i+1) != ']':
			i++
			if c = at(i); c == '\\' {
				i++
				if c = at(i); c == 0 {
					return nil, 0
				}
			}
			s.addRange(prev, c, fold)
			c = 0 // a range cannot start where one ends
		case c == '[' && at(i+1) == ':':
			n := strings.IndexByte(p[i+2:], ']')
			if n < 0 {
				return nil, 0
			}
			class, closed := strings.CutSuffix(p[i+2:i+2+n], ":")
			if !closed {
				s.add('[') // and go on with the ":"
				break
			}
			if !s.addClass(class, fold) {
				return nil, 0
			}
			i += 2 + n
			c = 0
		default:
			s.add(c)
		}
		prev = c
		i++
		if c = at(i); c == ']' {
			break
		}
	}
	if negated {
		for w := range s {
			s[w] = ^s[w]
		}
	}
	s['/'>>6] &^= 1 << ('/' & 63)
	return s, i + 1
}

// addRange adds the bytes from a to b; with fold the lower-case letters too
// whose upper case is among them. Single upper-case members get no such
// treatment from git: with core.ignoreCase [A] matches nothing, [A-A] an a.
func (s *set) addRange(a, b byte, fold bool) {
	for c := int(a); c <= int(b); c++ {
		s.add(byte(c))
		if fold {
			s.add(lowerByte(byte(c)))
		}
	}
}

// addClass adds the bytes of a POSIX class in the C locale, false if there is
// no such class.
func (s *set) addClass(name string, fold bool) bool {
	var in func(c byte) bool
	switch name {
	case "alnum":
		in = func(c byte) bool { return isAlpha(c) || isDigit(c) }
	case "alpha":
		in = isAlpha
	case "blank":
		in = func(c byte) bool { return c == ' ' || c == '\t' }
	case "cntrl":
		in = func(c byte) bool { return c < ' ' || c == 0x7f }
	case "digit":
		in = isDigit
	case "graph":
		in = func(c byte) bool { return isPrint(c) && c != ' ' }
	case "lower":
		in = isLower
	case "print":
		in = isPrint
	case "punct":
		in = func(c byte) bool { return isPrint(c) && c != ' ' && !isAlpha(c) && !isDigit(c) }
	case "space":
		in = func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
	case "upper":
		in = func(c byte) bool { return isUpper(c) || fold && isLower(c) }
	case "xdigit":
		in = func(c byte) bool { return isDigit(c) || 'a' <= lowerByte(c) && lowerByte(c) <= 'f' }
	default:
		return false
	}
	for c := range 256 {
		if in(byte(c)) {
			s.add(byte(c))
		}
	}
	return true
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlpha(c byte) bool { return isLower(lowerByte(c)) }
func isPrint(c byte) bool { return ' ' <= c && c <= '~' }

// match reports whether the glob matches all of dir and name in a row. They
// come in two parts so that nobody has to build paths; dir ends in a slash
// unless it is empty, and a name has none.
func (g glob) match(dir, name string, fold bool) bool {
	size := len(dir) + len(name)
	at := func(i int) byte {
		if i < len(dir) {
			return dir[i]
		}
		return name[i-len(dir)]
	}
	var (
		i, j         int        // in the text, in g
		near, deep   int = 0, 0 // the op after the last star, after the last "**"; 0: none
		nearI, deepI int        // where in the text that op was last tried
	)
	for {
		if j == len(g) {
			if i == size {
				return true
			}
		} else {
			switch g[j].kind {
			case star:
				j++
				near, nearI = j, i
				continue
			case deepStar:
				if j++; j == len(g) {
					return true
				}
				deep, deepI, near = j, i, 0
				continue
			case deepSlash:
				j++
				deep, deepI, near = j, i, 0
				continue
			}
			if i == size {
				return false // there will be even less text after a later start
			}
			if g[j].has(at(i), fold) {
				i, j = i+1, j+1
				continue
			}
		}
		switch {
		case near > 0 && nearI < size && at(nearI) != '/':
			nearI++
			i, j = nearI, near
		case deep > 0:
			if g[deep-1].kind == deepSlash {
				if deepI >= len(dir) {
					return false // there is no slash in a name
				}
				deepI += strings.IndexByte(dir[deepI:], '/')
			}
			if deepI == size {
				return false
			}
			deepI++
			i, j, near = deepI, deep, 0
		default:
			return false
		}
	}
}

func (o op) has(c byte, fold bool) bool {
	if fold {
		c = lowerByte(c)
	}
	switch o.kind {
	case literal:
		return c == o.b
	case any1:
		return c != '/'
	default:
		return o.set.has(c)
	}
}

// tail returns the literal bytes with which everything matched ends.
func (g glob) tail() string {
	i := len(g)
	for i > 0 && g[i-1].kind == literal {
		i--
	}
	b := make([]byte, 0, len(g)-i)
	for _, o := range g[i:] {
		b = append(b, o.b)
	}
	return string(b)
}

// slashes is the number of slashes that everything matched has at least.
func (g glob) slashes() int {
	n := 0
	for _, o := range g {
		if o.kind == literal && o.b == '/' {
			n++
		}
	}
	return n
}

// deep reports whether a match may have more slashes than that.
func (g glob) deep() bool {
	for _, o := range g {
		if o.kind == deepStar || o.kind == deepSlash {
			return true
		}
	}
	return false
}
