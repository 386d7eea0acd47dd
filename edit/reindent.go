package edit

import (
	"bytes"
	"fmt"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// reindent moves the lines of a hunk to the indentation that its old lines have
// in the document from line at on. What all lines of the hunk are indented by is
// taken off first; then every old line must lack one and the same indentation,
// which the added lines get. Otherwise why says what differs.
func reindent(doc *match.Document, at int, lines []Line) (out []Line, why string) {
	var common []byte
	first := true
	for _, l := range lines {
		text := []byte(l.Text)
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		in := indentation(text)
		if first {
			common, first = in, false
		}
		n := 0
		for n < len(common) && n < len(in) && common[n] == in[n] {
			n++
		}
		common = common[:n]
	}
	var shift []byte
	from := 0 // the line that shift is of, from 1
	line := at
	for _, l := range lines {
		if l.Kind == Added {
			continue
		}
		text, file := []byte(l.Text), doc.Line(line)
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		is, ok := bytes.CutSuffix(indentation(file), indentation(text)[len(common):])
		switch {
		case !ok:
			return nil, fmt.Sprintf("the only difference is the indentation: line %d has %s where %s is expected", line, blanks(indentation(file)), blanks(indentation(text)))
		case from == 0:
			shift, from = is, line
		case !bytes.Equal(is, shift):
			return nil, fmt.Sprintf("the only difference is the indentation, and it is not the same for all lines: line %d has %s more than the hunk, line %d %s", from, blanks(shift), line, blanks(is))
		}
	}
	out = make([]Line, len(lines))
	for i, l := range lines {
		if l.Kind == Added && len(bytes.TrimSpace([]byte(l.Text))) > 0 {
			l.Text = string(shift) + l.Text[len(common):]
		}
		out[i] = l
	}
	return out, ""
}

// blanks names an indentation.
func blanks(in []byte) string {
	tabs := bytes.Count(in, []byte{'\t'})
	spaces := len(in) - tabs
	switch {
	case tabs == 0:
		return fmt.Sprintf("%d space%s", spaces, plural(spaces))
	case spaces == 0:
		return fmt.Sprintf("%d tab%s", tabs, plural(tabs))
	}
	return fmt.Sprintf("%d tab%s and %d space%s", tabs, plural(tabs), spaces, plural(spaces))
}
