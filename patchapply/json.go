package patchapply

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit"
)

// JSON values are string, number, bool, nil, []any and *object. The reader is
// our own because encoding/json does not tell what matters here: the line of a
// value, keys that stand twice, halves of surrogate pairs (it writes U+FFFD for
// them, which is not what was sent), raw line breaks inside strings, and whether
// a text is wrong or merely breaks off.

// A number is a JSON number as written.
type number string

// An object is a JSON object. Its keys are told apart by their exact spelling.
type object struct {
	line   int // where it begins in the request
	fields map[string]any
	twice  []repeat // keys that stand more than once, until they are told
}

// A repeat is a key that an object has already.
type repeat struct {
	key  string
	line int
}

// has reports whether one of the keys is there and not null.
func (o *object) has(keys ...string) bool { return o.first(keys...) != nil }

// first returns the value of the first key that is there, null counting as
// absent.
func (o *object) first(keys ...string) any {
	for _, k := range keys {
		if v := o.fields[k]; v != nil {
			return v
		}
	}
	return nil
}

// str returns a string value, "" if it is none.
func (o *object) str(keys ...string) string {
	s, _ := o.first(keys...).(string)
	return s
}

// deepest bounds the nesting of a request's JSON.
const deepest = 200

// json reads a text that is one JSON value, or several one after another. Line
// 0 counts lines; any other is the line of the string that held the text.
func (r *reader) json(text string, line int) ([]any, *edit.Error) {
	p := &jsonParser{s: text, line: max(line, 1), count: line == 0}
	var values []any
	for p.space(); p.i < len(p.s) || len(values) == 0; p.space() {
		v, ok := p.value(0)
		if !ok {
			return nil, p.err
		}
		values = append(values, v)
	}
	// Only now: a text that is no JSON has no keys.
	for _, e := range p.errs {
		r.refuse(e)
	}
	r.doubled = r.doubled || p.twice
	if p.lenient {
		r.note("lenient-json", 0, "raw line breaks or tabs inside JSON strings were taken as they are")
	}
	return values, nil
}

// repeated refuses objects in which a key stands twice, once each.
func (r *reader) repeated(v any) {
	if !r.doubled {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			r.repeated(item)
		}
	case *object:
		for _, k := range v.twice {
			r.fail(edit.BadArguments, k.line, "the key %s stands twice in one object", quote(k.key))
		}
		v.twice = nil
		for _, k := range slices.Sorted(maps.Keys(v.fields)) {
			r.repeated(v.fields[k])
		}
	}
}

// decoded decodes a string that holds JSON where an object or a list is due, at
// most three times. Any other string is returned as it is, with the reason if
// it looks like JSON.
func (r *reader) decoded(v any, line int) (any, *edit.Error) {
	for range 3 {
		s, ok := v.(string)
		if !ok {
			return v, nil
		}
		t := strings.TrimLeft(s, " \t\r\n")
		if t == "" || strings.IndexByte("{[\"", t[0]) < 0 {
			return v, nil
		}
		values, err := r.json(s, max(line, 1))
		if err != nil {
			return v, err
		}
		if len(values) != 1 {
			return v, nil
		}
		v = values[0]
		r.repeated(v)
	}
	return v, nil
}

type jsonParser struct {
	s       string
	i       int
	line    int
	count   bool
	twice   bool        // some object has a key twice
	lenient bool        // raw TAB, LF or CR stood in a string
	errs    edit.Errors // what does not stop the reading
	err     *edit.Error // what did
}

func (p *jsonParser) note(code edit.Code, format string, args ...any) {
	p.errs = append(p.errs, &edit.Error{Code: code, Line: p.line, Msg: fmt.Sprintf(format, args...)})
}

// wrong stops the reading at what stands where something else is expected.
func (p *jsonParser) wrong(want string) bool {
	if p.i >= len(p.s) {
		p.err = &edit.Error{Code: edit.Truncated, Line: p.line, Msg: "the JSON breaks off where " + want + " is expected"}
		return false
	}
	found, _, _ := strings.Cut(p.s[p.i:min(len(p.s), p.i+80)], "\n")
	p.err = &edit.Error{Code: edit.BadInput, Line: p.line, Msg: fmt.Sprintf("%s is expected in JSON, found %s", want, quote(strings.ToValidUTF8(found, "")))}
	return false
}

func (p *jsonParser) space() {
	for ; p.i < len(p.s); p.i++ {
		switch p.s[p.i] {
		case '\n':
			p.newline()
		case ' ', '\t', '\r':
		default:
			return
		}
	}
}

func (p *jsonParser) newline() {
	if p.count {
		p.line++
	}
}

// peek returns the next byte that is no white space, 0 at the end.
func (p *jsonParser) peek() byte {
	p.space()
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *jsonParser) value(depth int) (any, bool) {
	if depth > deepest {
		p.err = &edit.Error{Code: edit.BadArguments, Line: p.line, Msg: fmt.Sprintf("the JSON is nested more than %d deep", deepest)}
		return nil, false
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.list(depth)
	case c == '"':
		return p.str()
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	for _, w := range []struct {
		word  string
		value any
	}{{"true", true}, {"false", false}, {"null", nil}} {
		rest := p.s[p.i:]
		if strings.HasPrefix(rest, w.word) {
			p.i += len(w.word)
			return w.value, true
		}
		if rest != "" && strings.HasPrefix(w.word, rest) {
			p.i = len(p.s)
		}
	}
	return nil, p.wrong("a value")
}

func (p *jsonParser) object(depth int) (any, bool) {
	o := &object{line: p.line, fields: map[string]any{}}
	p.i++
	for p.peek() != '}' || len(o.fields) > 0 {
		if p.peek() != '"' {
			return nil, p.wrong("a key in double quotes")
		}
		key, ok := p.str()
		if !ok {
			return nil, false
		}
		if p.peek() != ':' {
			return nil, p.wrong("a colon")
		}
		p.i++
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		if _, twice := o.fields[key.(string)]; twice {
			o.twice = append(o.twice, repeat{key.(string), p.line})
			p.twice = true
		}
		o.fields[key.(string)] = v
		if p.peek() != ',' {
			break
		}
		p.i++
	}
	if p.peek() != '}' {
		return nil, p.wrong("a comma or }")
	}
	p.i++
	return o, true
}

func (p *jsonParser) list(depth int) (any, bool) {
	list := []any{}
	p.i++
	for p.peek() != ']' || len(list) > 0 {
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		list = append(list, v)
		if p.peek() != ',' {
			break
		}
		p.i++
	}
	if p.peek() != ']' {
		return nil, p.wrong("a comma or ]")
	}
	p.i++
	return list, true
}

func (p *jsonParser) number() (any, bool) {
	from := p.i
	digits := func() bool {
		start := p.i
		for p.i < len(p.s) && '0' <= p.s[p.i] && p.s[p.i] <= '9' {
			p.i++
		}
		return p.i > start
	}
	next := func(set string) bool {
		if p.i < len(p.s) && strings.IndexByte(set, p.s[p.i]) >= 0 {
			p.i++
			return true
		}
		return false
	}
	next("-")
	if !next("0") && !digits() {
		return nil, p.wrong("a digit")
	}
	if next(".") && !digits() {
		return nil, p.wrong("a digit")
	}
	if next("eE") {
		next("+-")
		if !digits() {
			return nil, p.wrong("a digit")
		}
	}
	return number(p.s[from:p.i]), true
}

// str reads a string; the result is nil or a string.
func (p *jsonParser) str() (any, bool) {
	p.i++
	var b strings.Builder
	from := p.i // what is not yet in b
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '"':
			s := p.s[from:p.i]
			if b.Len() > 0 {
				b.WriteString(s)
				s = b.String()
			}
			p.i++
			return s, true
		case c == '\\':
			b.WriteString(p.s[from:p.i])
			if !p.escape(&b) {
				return nil, false
			}
			from = p.i
		case c == '\n' || c == '\r' || c == '\t':
			p.lenient = true
			if c == '\n' {
				p.newline()
			}
			p.i++
		case c < ' ':
			return nil, p.wrong("no control character")
		default:
			p.i++
		}
	}
	return nil, p.wrong("the end of a string")
}

func (p *jsonParser) escape(b *strings.Builder) bool {
	p.i++
	if p.i >= len(p.s) {
		return p.wrong("an escape")
	}
	if at := strings.IndexByte(`"\/bfnrt`, p.s[p.i]); at >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[at])
		p.i++
		return true
	}
	if p.s[p.i] != 'u' {
		return p.wrong("an escape")
	}
	p.i++
	c, ok := p.hex()
	if !ok {
		return false
	}
	if utf16.IsSurrogate(c) {
		half := c
		c = utf8.RuneError
		if strings.HasPrefix(p.s[p.i:], `\u`) {
			back := p.i
			p.i += 2
			low, ok := p.hex()
			if !ok {
				return false
			}
			if c = utf16.DecodeRune(half, low); c == utf8.RuneError {
				p.i = back
			}
		}
		if c == utf8.RuneError {
			p.note(edit.BadInput, `the escape \u%04x is half a character`, half)
		}
	}
	b.WriteRune(c)
	return true
}

func (p *jsonParser) hex() (rune, bool) {
	var c rune
	for range 4 {
		if p.i >= len(p.s) {
			return 0, p.wrong("a hexadecimal digit")
		}
		switch d := p.s[p.i]; {
		case '0' <= d && d <= '9':
			c = c<<4 | rune(d-'0')
		case 'a' <= d|0x20 && d|0x20 <= 'f':
			c = c<<4 | rune(d|0x20-'a'+10)
		default:
			return 0, p.wrong("a hexadecimal digit")
		}
		p.i++
	}
	return c, true
}
