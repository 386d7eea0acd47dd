package glob

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// classLength is the length of the class that a pattern begins with, 0 if it
// does not end.
func classLength(s string) int {
	i := 1
	if i < len(s) && (s[i] == '^' || s[i] == '!') {
		i++
	}
	for first := i; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == ']' && i > first:
			return i + 1
		case s[i] == ']':
			return 0 // empty
		}
	}
	return 0
}

// A class is a set of characters, as ranges.
type class struct {
	negated bool
	ranges  [][2]rune
}

// classes rewrites the classes of a brace-free pattern so that none matches a
// slash; with fold they match names that were folded.
func classes(s string, fold bool) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			b.WriteByte(s[i])
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		case '[':
			n := classLength(s[i:])
			if n == 0 {
				return "", errors.New("bad pattern")
			}
			c, err := parseClass(s[i:i+n], fold)
			if err != nil {
				return "", err
			}
			if fold {
				c.fold()
			}
			if c.cut('/'); c.negated {
				c.ranges = append(c.ranges, [2]rune{'/', '/'})
			}
			b.WriteString(c.String())
			i += n - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), nil
}

// parseClass reads a class; rewritten says that it is one that String made of a
// negated one, to which the slash was added.
func parseClass(s string, rewritten bool) (c class, err error) {
	body := s[1 : len(s)-1]
	if body[0] == '^' || body[0] == '!' {
		c.negated, body = true, body[1:]
	}
	if rewritten {
		body = strings.TrimSuffix(body, "/")
	}
	if strings.HasPrefix(body, ":") && strings.HasSuffix(body, ":") || strings.Contains(body, "[:") {
		return c, errors.New("POSIX classes are not supported")
	}
	next := func() rune {
		if body[0] == '\\' && len(body) > 1 {
			body = body[1:]
		}
		r, n := utf8.DecodeRuneInString(body)
		body = body[n:]
		return r
	}
	for body != "" {
		lo := next()
		hi := lo
		if len(body) > 1 && body[0] == '-' {
			body = body[1:]
			hi = next()
		}
		switch {
		case lo == '/' || hi == '/':
			return c, errors.New("a class cannot hold /")
		case lo > hi:
			return c, errors.New("bad pattern")
		}
		c.ranges = append(c.ranges, [2]rune{lo, hi})
	}
	return c, nil
}

func (c *class) has(r rune) bool {
	for _, x := range c.ranges {
		if x[0] <= r && r <= x[1] {
			return true
		}
	}
	return false
}

// cut takes a character out of the ranges.
func (c *class) cut(r rune) {
	var kept [][2]rune
	for _, x := range c.ranges {
		if r < x[0] || r > x[1] {
			kept = append(kept, x)
			continue
		}
		if x[0] < r {
			kept = append(kept, [2]rune{x[0], r - 1})
		}
		if r < x[1] {
			kept = append(kept, [2]rune{r + 1, x[1]})
		}
	}
	c.ranges = kept
}

// fold makes the class one of folded characters: it holds what stands for any of
// its own.
func (c *class) fold() {
	for _, o := range orbits() {
		if slices.ContainsFunc(o, c.has) && !c.has(o[0]) {
			c.ranges = append(c.ranges, [2]rune{o[0], o[0]})
		}
	}
}

// String is the class as a pattern. One that has nothing left matches what no
// name holds.
func (c *class) String() string {
	var b strings.Builder
	b.WriteByte('[')
	if c.negated {
		b.WriteByte('^')
	}
	put := func(r rune) {
		if strings.ContainsRune(`\[]^!-`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	for _, x := range c.ranges {
		put(x[0])
		if x[0] != x[1] {
			b.WriteByte('-')
			put(x[1])
		}
	}
	if len(c.ranges) == 0 {
		b.WriteRune(0)
	}
	b.WriteByte(']')
	return b.String()
}
