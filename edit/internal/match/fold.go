package match

import (
	"bytes"
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit/internal/invisible"
)

// A unit is one normalised character together with the characters of the text
// that it stands for: itself and those around it that count for nothing.
type unit struct {
	key        rune // the normalised character; a byte that is not UTF-8 is badByte + byte
	start, end int  // all it stands for
	own        int  // where its own character starts
	ownEnd     int  // and ends
}

const badByte = 0x110000

// normal is the table of characters that keyboards and models write for one
// another. Everything that is not in it is itself.
func normal(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛':
		return '\''
	case '“', '”', '„', '‟':
		return '"'
	case '–', '—', '−':
		return '-'
	case '，':
		return ','
	case '；':
		return ';'
	case '：':
		return ':'
	case '！':
		return '!'
	case '？':
		return '?'
	case '（':
		return '('
	case '）':
		return ')'
	case '．', '。':
		return '.'
	}
	return r
}

// opensSpace reports the units after which one space is optional.
func opensSpace(key rune) bool {
	switch key {
	case ',', ';', ':', '.', '!', '?', '(':
		return true
	}
	return false
}

// A char is one character of a text while its units are made.
type char struct {
	key        rune
	start, end int
	none       bool // counts for nothing
	word       bool // a letter or decimal digit, or a mark on one
}

// unitsOf takes a text apart. With breaks a CRLF is one unit with the key LF,
// and so is a lone CR if loneCR says that it ends a line.
func unitsOf(text []byte, breaks, loneCR bool) []unit {
	chars := charsOf(text, breaks, loneCR)
	optionalSpaces(chars)
	units := make([]unit, 0, len(chars))
	lead := -1 // where characters without unit began that have no unit before them
	for i := range chars {
		c := &chars[i]
		switch {
		case !c.none:
			u := unit{key: c.key, start: c.start, end: c.end, own: c.start, ownEnd: c.end}
			if lead >= 0 {
				u.start, lead = lead, -1
			}
			units = append(units, u)
		case len(units) > 0 && (units[len(units)-1].key != '\n' || !breaks):
			units[len(units)-1].end = c.end
		case lead < 0:
			lead = c.start
		}
	}
	if lead >= 0 && len(units) > 0 {
		units[len(units)-1].end = len(text)
	}
	return units
}

func charsOf(text []byte, breaks, loneCR bool) []char {
	chars := make([]char, 0, len(text))
	var marks invisible.Marks
	onWord := false
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		c := char{key: normal(r), start: i, end: i + n}
		floats := marks.Floats(r)
		switch {
		case r == utf8.RuneError && n == 1:
			c.key = badByte + rune(text[i])
			onWord = false
		case breaks && r == '\r' && i+1 < len(text) && text[i+1] == '\n':
			c.key, c.end, n = '\n', i+2, 2
			marks = invisible.Marks{}
			onWord = false
		case breaks && loneCR && r == '\r':
			c.key = '\n'
			onWord = false
		case countsForNothing(r), floats:
			c.none = true
		case unicode.IsMark(r):
			c.word = onWord
		default:
			onWord = unicode.IsLetter(r) || unicode.Is(unicode.Nd, r)
			c.word = onWord
		}
		chars = append(chars, c)
		i += n
	}
	return chars
}

func countsForNothing(r rune) bool {
	switch r {
	case 0x200B, 0x200C, 0x200D, 0x2060, 0x00AD, 0xFEFF:
		return true
	}
	return r >= 0xFE00 && r <= 0xFE0F
}

// optionalSpaces marks the single spaces that texts of one meaning have or
// lack: after an opening or separating sign, before a closing bracket, between
// two words (as CJK text beside Latin has it). What has no unit is looked
// through.
func optionalSpaces(chars []char) {
	prev := -1 // the character before, -1 at the start of a line
	for i := range chars {
		c := &chars[i]
		if c.none {
			continue
		}
		if c.key == ' ' && prev >= 0 {
			next := i + 1
			for next < len(chars) && chars[next].none {
				next++
			}
			p := &chars[prev]
			last := next == len(chars) || chars[next].key == '\n'
			switch {
			case p.key == ' ' || !last && chars[next].key == ' ':
			case opensSpace(p.key):
				c.none = true
			case !last && (chars[next].key == ')' || p.word && chars[next].word):
				c.none = true
			}
			// A space that counts for nothing is still what stands beside the
			// next one.
		}
		if prev = i; c.key == '\n' {
			prev = -1
		}
	}
}

// Fold returns a line's units as text, for comparison with another's.
func Fold(line []byte) []byte { return appendFold(nil, line) }

func appendFold(dst, line []byte) []byte {
	if !ascii(line) {
		for _, u := range unitsOf(line, false, false) {
			dst = u.appendKey(dst)
		}
		return dst
	}
	for i, c := range line {
		if c == ' ' && i > 0 && optionalASCII(line, i) {
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

func (u *unit) appendKey(dst []byte) []byte {
	if u.key >= badByte {
		return append(dst, byte(u.key-badByte))
	}
	return utf8.AppendRune(dst, u.key)
}

// optionalASCII is optionalSpaces for a line of ASCII, where most lines end.
func optionalASCII(line []byte, i int) bool {
	p, next := line[i-1], byte(0)
	if i+1 < len(line) {
		next = line[i+1]
	}
	switch {
	case p == ' ' || next == ' ':
		return false
	case opensSpace(rune(p)), next == ')':
		return true
	}
	return wordASCII(p) && wordASCII(next)
}

func wordASCII(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Folded is a document's units as text: one LF for each line break, so that
// both whole lines and texts that run over lines can be looked up in it.
type Folded struct {
	Text  []byte
	doc   *Document
	lines []Span
}

func foldDocument(d *Document) *Folded {
	f := &Folded{doc: d, Text: make([]byte, 0, len(d.Text)), lines: make([]Span, len(d.Lines))}
	for i := range d.Lines {
		start := len(f.Text)
		f.Text = appendFold(f.Text, d.Line(i))
		f.lines[i] = Span{uint32(start), uint32(len(f.Text))}
		if len(d.Ending(i)) > 0 {
			f.Text = append(f.Text, '\n')
		}
	}
	return f
}

func (f *Folded) line(i int) []byte { return f.Text[f.lines[i].Start:f.lines[i].End] }

// FoldText returns the units of a text that may run over several lines, in the
// form of Folded.Text.
func FoldText(text string) []byte {
	var dst []byte
	for {
		line, rest, more := bytes.Cut([]byte(text), []byte{'\n'})
		dst = appendFold(dst, line)
		if !more {
			return dst
		}
		dst, text = append(dst, '\n'), string(rest)
	}
}

// Original returns the part of the document's text that n bytes of f.Text at
// offset o stand for. What counts for nothing at its two ends is left out,
// unless tail says that the text searched for has such at its end too.
func (f *Folded) Original(o, n int, tail bool) (start, end int) {
	start, _, _ = f.unitAt(o)
	_, own, all := f.unitAt(o + n - 1)
	if tail {
		return start, all
	}
	return start, own
}

// unitAt returns where the unit that covers a byte of f.Text stands: the start
// of its own character, its end, and the end of all it stands for.
func (f *Folded) unitAt(o int) (own, ownEnd, end int) {
	line := sort.Search(len(f.lines), func(i int) bool { return int(f.lines[i].Start) > o }) - 1
	base := int(f.doc.Lines[line].Start)
	if o >= int(f.lines[line].End) { // its line break
		return int(f.doc.Lines[line].End), f.doc.Next(line), f.doc.Next(line)
	}
	at := int(f.lines[line].Start)
	for _, u := range unitsOf(f.doc.Line(line), false, false) {
		if at += len(u.appendKey(nil)); at > o {
			return base + u.own, base + u.ownEnd, base + u.end
		}
	}
	return f.doc.Next(line), f.doc.Next(line), f.doc.Next(line) // cannot be: the units make up the line
}

// EndsOpen reports whether a text ends in characters that count for nothing.
func EndsOpen(text string) bool {
	line := text[lastBreak(text):]
	units := unitsOf([]byte(line), false, false)
	return len(units) > 0 && units[len(units)-1].end > units[len(units)-1].ownEnd
}

func lastBreak(text string) int { return bytes.LastIndexByte([]byte(text), '\n') + 1 }
