package match

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit/internal/invisible"
)

// A unit is one normalised character together with the characters of the text
// that it stands for: itself and those around it that count for nothing.
type unit struct {
	key        rune   // the normalised character; a byte that is not UTF-8 is badByte + byte
	start, end uint32 // all it stands for
	own        uint32 // where its own character starts
	ownEnd     uint32 // and ends
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
	start, end uint32
	none       bool // counts for nothing
	word       bool // a letter or decimal digit, or a mark on one
}

// A reading says how a text is taken apart.
type reading struct {
	crlf   bool // a CRLF is one unit with the key LF; else a CR is data
	loneCR bool // and so is any other CR
	raw    bool // bytes from 0x80 on are themselves, see Document
}

func (rd reading) units(text []byte) []unit {
	chars := rd.chars(text)
	optionalSpaces(chars)
	units := make([]unit, 0, len(chars))
	lead := -1 // where characters without unit began that have no unit before them
	for i := range chars {
		c := &chars[i]
		switch {
		case !c.none:
			u := unit{key: c.key, start: c.start, end: c.end, own: c.start, ownEnd: c.end}
			if lead >= 0 {
				u.start, lead = uint32(lead), -1
			}
			units = append(units, u)
		case len(units) > 0 && units[len(units)-1].key != '\n':
			units[len(units)-1].end = c.end
		case lead < 0:
			lead = int(c.start)
		}
	}
	if lead >= 0 && len(units) > 0 {
		units[len(units)-1].end = uint32(len(text))
	}
	return units
}

func (rd reading) chars(text []byte) []char {
	chars := make([]char, 0, utf8.RuneCount(text))
	var marks invisible.Marks
	onWord := false
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if rd.raw && n > 1 {
			r, n = utf8.RuneError, 1
		}
		c := char{key: normal(r), start: uint32(i), end: uint32(i + n)}
		floats := marks.Floats(r)
		switch {
		case r == utf8.RuneError && n == 1:
			c.key = badByte + rune(text[i])
			onWord = false
		case rd.crlf && r == '\r' && i+1 < len(text) && text[i+1] == '\n':
			c.key, c.end, n = '\n', uint32(i+2), 2
			marks = invisible.Marks{}
			onWord = false
		case rd.loneCR && r == '\r':
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

// appendFold appends a line's units as text, for comparison with another's.
func appendFold(dst, line []byte, raw bool) []byte {
	if !ascii(line) {
		for _, u := range (reading{raw: raw}).units(line) {
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

	// The line that was asked about last: many places may stand in one.
	line  int // -1: none
	units []unit
	ends  []uint32 // where in Text each unit ends
}

func foldDocument(d *Document) *Folded {
	f := &Folded{doc: d, line: -1, Text: make([]byte, 0, len(d.Text)), lines: make([]Span, len(d.Lines))}
	for i := range d.Lines {
		start := len(f.Text)
		f.Text = appendFold(f.Text, d.Line(i), d.Raw)
		f.lines[i] = Span{uint32(start), uint32(len(f.Text))}
		if len(d.Ending(i)) > 0 {
			f.Text = append(f.Text, '\n')
		}
	}
	return f
}

func (f *Folded) at(i int) []byte { return f.Text[f.lines[i].Start:f.lines[i].End] }

// FoldText returns the units of a text that may run over several lines, in the
// form of Folded.Text.
func (f *Finder) FoldText(text string) []byte {
	var dst []byte
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			dst = append(dst, '\n')
		}
		dst = appendFold(dst, []byte(line), f.Doc.Raw)
	}
	return dst
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
	if line != f.line {
		f.take(line)
	}
	u := f.units[sort.Search(len(f.ends), func(i int) bool { return int(f.ends[i]) > o })]
	return base + int(u.own), base + int(u.ownEnd), base + int(u.end)
}

// take makes the units of a line again: to keep those of all lines would cost
// many times the text.
func (f *Folded) take(line int) {
	f.line, f.units, f.ends = line, reading{raw: f.doc.Raw}.units(f.doc.Line(line)), f.ends[:0]
	at := f.lines[line].Start
	var key []byte
	for i := range f.units {
		key = f.units[i].appendKey(key[:0])
		at += uint32(len(key))
		f.ends = append(f.ends, at)
	}
}

// EndsOpen reports whether a text ends in characters that count for nothing.
func (f *Finder) EndsOpen(text string) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	units := reading{raw: f.Doc.Raw}.units([]byte(line))
	return len(units) > 0 && units[len(units)-1].end > units[len(units)-1].ownEnd
}
