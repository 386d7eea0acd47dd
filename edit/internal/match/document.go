package match

import (
	"bytes"
	"math"
	"slices"
)

// A Span is one line of a text: where it starts and where its ending starts.
// Offsets have 32 bits: a text of a million lines costs 8 MB of spans, and no
// file that may be edited is larger.
type Span struct{ Start, End uint32 }

// A Document is a text split into lines.
type Document struct {
	Text  []byte
	Lines []Span
	// LoneCR: a CR without LF ends a line too, either because the text holds no
	// LF at all or because nothing was found otherwise.
	LoneCR bool
}

// Split splits a text at LF and CRLF, or at CR if it holds no LF. A final line
// break ends a line and starts none.
func Split(text []byte) *Document {
	d := &Document{Text: text, LoneCR: bytes.IndexByte(text, '\n') < 0}
	d.Lines = splitLines(text, d.LoneCR)
	return d
}

// WithLoneCR splits the text again with a lone CR as a line break too; nil if
// that makes no difference.
func (d *Document) WithLoneCR() *Document {
	if d.LoneCR {
		return nil
	}
	lines := splitLines(d.Text, true)
	if slices.Equal(lines, d.Lines) {
		return nil
	}
	return &Document{Text: d.Text, Lines: lines, LoneCR: true}
}

func splitLines(text []byte, loneCR bool) []Span {
	if len(text) == 0 || uint64(len(text)) > math.MaxUint32 {
		return nil
	}
	lines := make([]Span, 0, bytes.Count(text, []byte{'\n'})+1)
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
		lines = append(lines, Span{uint32(start), uint32(end)})
		start = next
	}
	return lines
}

// Line returns line i without its ending.
func (d *Document) Line(i int) []byte {
	return d.Text[d.Lines[i].Start:d.Lines[i].End]
}

// Next returns the offset of the first byte after line i and its ending.
func (d *Document) Next(i int) int {
	if i+1 < len(d.Lines) {
		return int(d.Lines[i+1].Start)
	}
	return len(d.Text)
}

// Ending returns the ending of line i, empty if it has none or does not exist.
func (d *Document) Ending(i int) []byte {
	if i < 0 || i >= len(d.Lines) {
		return nil
	}
	return d.Text[d.Lines[i].End:d.Next(i)]
}

// EndingNear returns the ending that a new line takes if it stands in for, or
// behind, line i: that line's own, if it is unterminated the one before it,
// LF where there is none.
func (d *Document) EndingNear(i int) []byte {
	for ; i >= 0; i-- {
		if e := d.Ending(i); len(e) > 0 {
			return e
		}
	}
	return []byte{'\n'}
}
