package ignore

import "strings"

// A set has a bit for each byte.
type set [4]uint64

func (s *set) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *set) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

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
			name, closed := strings.CutSuffix(p[i+2:i+2+n], ":")
			if !closed {
				s.add('[') // and go on with the ":"
				break
			}
			if !s.addPosix(name, fold) {
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

// addPosix adds the bytes of a POSIX class in the C locale, false if there is
// no such class.
func (s *set) addPosix(name string, fold bool) bool {
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
