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

// compile reads a pattern as git's wildmatch does with WM_PATHNAME. It serves
// patterns without a slash as well: in a name no star can meet a slash.
//
// A "**" counts at the start of p, not only at the start of a whole pattern:
// git strips the literal start before it matches, so x**/y matches x1/2/y.
//
// It is not ok if nothing can match.
func compile(p string, fold bool) (g glob, ok bool) {
	g = make(glob, 0, len(p))
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
		i, j         int // in the text, in g
		near, deep   int // the op after the last star, after the last "**"; 0: none
		nearI, deepI int // where in the text that op was last tried
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
