// Package jsonspan tells where the values of a JSON text stand, so that one of
// them can be exchanged while all others keep their bytes.
//
// It decodes nothing but strings, and those only on demand. Beside JSON it takes
// NaN, Infinity and -Infinity, which Python writes and reads.
package jsonspan

import (
	"fmt"
	"strings"
)

// A Value is one value of a text: text[Start:End].
type Value struct {
	Start, End int
	// Members and Items are what an object or a list holds, in the order of the
	// text; nil below the depth that was asked for.
	Members []Member
	Items   []Value
}

// A Member is one key of an object with its value. The key's bytes, quotes
// included, are text[Start:KeyEnd].
type Member struct {
	Key           string // decoded
	Start, KeyEnd int
	Value
}

// deepest bounds the nesting of a text, which is read recursively.
const deepest = 500

// An Error says what is wrong with a text, and where.
type Error struct {
	Offset, Line int // in bytes from 0, in lines from 1
	Msg          string
}

// Error gives line and reason.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// Parse reads a text that is one JSON value. What lies deeper than depth (0 is
// the value itself) is checked, but not listed. The error is an [*Error]. The
// time is linear in the length of text.
func Parse(text []byte, depth int) (Value, error) {
	p := parser{text: text, listed: depth}
	v := p.value(0)
	if p.msg == "" {
		if p.space(); p.at < len(text) {
			p.wrong("more follows after the value")
		}
	}
	if p.msg != "" {
		line := 1 + strings.Count(string(text[:p.at]), "\n")
		return Value{}, &Error{Offset: p.at, Line: line, Msg: p.msg}
	}
	return v, nil
}

// A parser reads one text. Once msg is set it does nothing more, and at stays
// where the fault is.
type parser struct {
	text   []byte
	at     int
	listed int // depth down to which children are kept
	msg    string
}

func (p *parser) wrong(msg string) {
	if p.msg == "" {
		p.msg = msg
		if p.at >= len(p.text) {
			p.msg = "the JSON breaks off"
		}
	}
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// next skips white space and reports whether c follows, which is then taken.
func (p *parser) next(c byte) bool {
	if p.msg != "" {
		return false
	}
	p.space()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// want is next for what must follow.
func (p *parser) want(c byte) {
	if !p.next(c) {
		p.wrong(fmt.Sprintf("%q is expected", string(c)))
	}
}

func (p *parser) value(depth int) (v Value) {
	if depth > deepest {
		p.wrong(fmt.Sprintf("the JSON is nested more than %d deep", deepest))
		return v
	}
	p.space()
	v.Start = p.at
	switch {
	case p.next('{'):
		for p.more('}', v.Start) {
			p.space()
			m := Member{Start: p.at}
			m.Key = p.key()
			m.KeyEnd = p.at
			p.want(':')
			m.Value = p.value(depth + 1)
			if depth < p.listed {
				v.Members = append(v.Members, m)
			}
		}
	case p.next('['):
		for p.more(']', v.Start) {
			item := p.value(depth + 1)
			if depth < p.listed {
				v.Items = append(v.Items, item)
			}
		}
	case p.next('"'):
		p.str()
	default:
		p.scalar()
	}
	v.End = p.at
	return v
}

// more reports whether the object or list that began at start goes on: closing
// ends it, a comma stands between two members.
func (p *parser) more(closing byte, start int) bool {
	switch first := p.at == start+1; {
	case p.msg != "", p.next(closing):
		return false
	case first:
		// Nothing stands between the bracket and the first member; the place
		// moves on with it.
	case !p.next(','):
		p.wrong(fmt.Sprintf("a comma or %q is expected", string(closing)))
	}
	return p.msg == ""
}

func (p *parser) key() string {
	from := p.at
	if p.want('"'); p.msg != "" {
		return ""
	}
	if p.str(); p.msg != "" {
		return ""
	}
	s, _ := String(p.text[from:p.at])
	return s
}

// str reads the rest of a string, whose first quote is taken.
func (p *parser) str() {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return
		case c < ' ':
			p.wrong("a control character stands in a string")
			return
		case c != '\\':
			continue
		}
		if p.at++; p.at >= len(p.text) {
			break
		}
		c := p.text[p.at]
		if c == 'u' {
			if digits := p.text[p.at+1 : min(len(p.text), p.at+5)]; len(digits) < 4 || !isHex(digits) {
				p.wrong("an escape has no four hexadecimal digits")
				return
			}
		} else if strings.IndexByte(`"\/bfnrt`, c) < 0 {
			p.wrong("an escape is of no known kind")
			return
		}
	}
	p.wrong("")
}

func isHex(digits []byte) bool {
	for _, d := range digits {
		if strings.IndexByte("0123456789abcdefABCDEF", d) < 0 {
			return false
		}
	}
	return true
}

// words are the values without brackets, quotes or digits.
var words = [...]string{"true", "false", "null", "NaN", "Infinity", "-Infinity"}

func (p *parser) scalar() {
	for _, w := range words {
		if strings.HasPrefix(string(p.text[p.at:min(len(p.text), p.at+len(w))]), w) {
			p.at += len(w)
			return
		}
	}
	if p.take("-"); !p.take("0") && !p.digits() {
		p.wrong("a value is expected")
		return
	}
	if p.take(".") && !p.digits() {
		p.wrong("a digit is expected")
	}
	if p.take("eE") {
		if p.take("+-"); !p.digits() {
			p.wrong("a digit is expected")
		}
	}
}

func (p *parser) take(set string) bool {
	if p.msg == "" && p.at < len(p.text) && strings.IndexByte(set, p.text[p.at]) >= 0 {
		p.at++
		return true
	}
	return false
}

func (p *parser) digits() bool {
	from := p.at
	for p.take("0123456789") {
	}
	return p.at > from
}
