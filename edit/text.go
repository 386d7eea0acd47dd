package edit

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// printable reports whether r can stand in a message as it is.
func printable(r rune) bool {
	return r != unicode.ReplacementChar && r != '\u2028' && r != '\u2029' && !unicode.Is(unicode.C, r) && !unicode.Is(unicode.Variation_Selector, r)
}

// sniffed is how far a NUL is looked for, as git looks.
const sniffed = 8 << 10

var bom = []byte("\uFEFF")

// decode splits a file into its byte order mark and its text. A file that is
// not UTF-8 text is refused with the offset that says why.
func decode(data []byte) (mark, text []byte, err *Error) {
	for _, m := range []struct{ mark, name string }{
		{"\x00\x00\xFE\xFF", "UTF-32BE"}, {"\xFF\xFE\x00\x00", "UTF-32LE"}, {"\xFE\xFF", "UTF-16BE"}, {"\xFF\xFE", "UTF-16LE"},
	} {
		if bytes.HasPrefix(data, []byte(m.mark)) {
			return nil, nil, &Error{Code: Encoding, Msg: "the file is " + m.name + "; only UTF-8 files can be edited"}
		}
	}
	if i := bytes.IndexByte(data[:min(len(data), sniffed)], 0); i >= 0 {
		return nil, nil, &Error{Code: Binary, Msg: fmt.Sprintf("the file is binary (NUL at offset %d): its content cannot be edited, only moved or deleted", i)}
	}
	if i := invalidUTF8(data); i >= 0 {
		return nil, nil, &Error{Code: Encoding, Msg: fmt.Sprintf("the file is not UTF-8 (byte 0x%02X at offset %d); only UTF-8 files can be edited", data[i], i)}
	}
	if text, ok := bytes.CutPrefix(data, bom); ok {
		return data[:len(bom)], text, nil
	}
	return nil, data, nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, -1 if
// there is none.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// A span is one line of a text: where it starts and where its ending starts.
// Offsets have 32 bits: a text of a million lines costs 8 MB of spans, and no
// file that may be edited is larger.
type span struct{ start, end uint32 }

// A document is a text split into lines.
type document struct {
	text  []byte
	lines []span
	// loneCR: a CR without LF ends a line too, either because the text holds no
	// LF at all or because nothing was found otherwise.
	loneCR bool
}

// split splits a text at LF and CRLF, or at CR if it holds no LF. A final line
// break ends a line and starts none.
func split(text []byte) *document {
	d := &document{text: text, loneCR: bytes.IndexByte(text, '\n') < 0}
	d.lines = splitLines(text, d.loneCR)
	return d
}

// withLoneCR splits the text again with a lone CR as a line break too; nil if
// that makes no difference.
func (d *document) withLoneCR() *document {
	if d.loneCR {
		return nil
	}
	lines := splitLines(d.text, true)
	if slices.Equal(lines, d.lines) {
		return nil
	}
	return &document{text: d.text, lines: lines, loneCR: true}
}

func splitLines(text []byte, loneCR bool) []span {
	if len(text) == 0 || len(text) > math.MaxUint32 {
		return nil
	}
	lines := make([]span, 0, bytes.Count(text, []byte{'\n'})+1)
	lf := -1 // the first LF at or after start, len(text) if there is none
	for start := 0; start < len(text); {
		if lf < start {
			if lf = bytes.IndexByte(text[start:], '\n'); lf < 0 {
				lf = len(text)
			} else {
				lf += start
			}
		}
		end, next := lf, min(lf+1, len(text))
		if lf < len(text) && end > start && text[end-1] == '\r' {
			end--
		}
		if loneCR {
			if cr := bytes.IndexByte(text[start:end], '\r'); cr >= 0 {
				end, next = start+cr, start+cr+1
			}
		}
		lines = append(lines, span{uint32(start), uint32(end)})
		start = next
	}
	return lines
}

// line returns line i without its ending.
func (d *document) line(i int) []byte {
	return d.text[d.lines[i].start:d.lines[i].end]
}

// next returns the offset of the first byte after line i and its ending.
func (d *document) next(i int) int {
	if i+1 < len(d.lines) {
		return int(d.lines[i+1].start)
	}
	return len(d.text)
}

// ending returns the ending of line i, empty if it has none or does not exist.
func (d *document) ending(i int) []byte {
	if i < 0 || i >= len(d.lines) {
		return nil
	}
	return d.text[d.lines[i].end:d.next(i)]
}

// endingNear returns the ending that a new line takes if it stands in for, or
// behind, line i: that line's own, if it is unterminated the one before it,
// LF where there is none.
func (d *document) endingNear(i int) []byte {
	for ; i >= 0; i-- {
		if e := d.ending(i); len(e) > 0 {
			return e
		}
	}
	return []byte{'\n'}
}
