package patchapply

import (
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// updateBody reads the Move and the hunks of an Update.
func (e *envelope) updateBody(op *edit.Op) {
	if e.at < e.to {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(e.line()), moveMark[:len(moveMark)-1]); ok {
			op.MoveTo = strings.TrimSpace(rest)
			if op.MoveTo == "" && e.at < e.last {
				e.fail(edit.BadInput, e.at+1, "a path is expected in %s", quote(e.line()))
			}
			e.at++
		}
	}
	e.hunks(op)
	n := len(op.Hunks)
	switch off := e.at >= e.to; {
	case n == 0 && op.MoveTo == "" && off:
		e.partial = "an Update has neither a hunk nor a Move"
	case n == 0 && op.MoveTo == "" && e.bad == nil && e.at < e.to:
		if e.at == e.last && partialMark(e.line()) {
			return // cut off, and told so
		}
		e.fail(edit.BadInput, op.Line, "the Update of %s has neither a hunk nor a Move; one is expected in line %d", quote(op.Path), op.Line+1)
	case n > 0 && len(op.Hunks[n-1].Lines) == 0 && off:
		e.partial = "its last hunk has no lines"
	}
}

// hunks reads hunks up to the next marker or the end of the region. It uses
// nothing of what stands around them, so that a diff without headers can be read
// by it, too.
func (e *envelope) hunks(op *edit.Op) {
	var h *edit.Hunk // the hunk being read, nil before the first
	anchored := -1   // the line after the last @@
	for ; e.at < e.to; e.at++ {
		line := e.line()
		switch {
		case strings.HasPrefix(line, "@@"):
			if h == nil || e.at != anchored {
				e.empty(h)
				h = e.begin(op)
			}
			anchored = e.at + 1
			if strings.HasPrefix(line, "@@@") {
				e.misfit("a hunk begins with %q, found %s", "@@", quote(line))
			} else if a := anchor(line); a != "" {
				h.Anchors = append(h.Anchors, a)
			}
		case strings.TrimRight(line, " \t") == eofMark:
			if h == nil || len(h.Lines) == 0 || h.EOF {
				e.misfit("%s: the end of a file must directly follow the lines of a hunk", quote(line))
			} else {
				h.EOF = true
			}
		case isMarker(line), e.at == e.last && (isEnd(line) || partialMark(line)):
			e.empty(h)
			return
		case line == "":
			next := e.blanks(func(l string) bool { return l == "" })
			if next == e.to || strings.HasPrefix(e.lines[next], "@@") || isMarker(e.lines[next]) ||
				next == e.last && (isEnd(e.lines[next]) || partialMark(e.lines[next])) {
				e.at = next - 1 // they separate
				continue
			}
			for ; e.at < next; e.at++ {
				h = e.hunkLine(op, h, edit.Context, "")
			}
			e.at--
		case line[0] == ' ' || line[0] == '+' || line[0] == '-':
			e.content(line)
			h = e.hunkLine(op, h, edit.LineKind(line[0]), line[1:])
		case line[0] == '\t' && isBlank(line):
			h = e.hunkLine(op, h, edit.Context, line[1:])
		case !e.noNewline(line):
			e.misfit("a line of a hunk begins with a space, %q or %q, found %s", "+", "-", quote(line))
		}
	}
}

// begin begins a hunk at the next line.
func (e *envelope) begin(op *edit.Op) *edit.Hunk {
	op.Hunks = append(op.Hunks, edit.Hunk{Line: e.at + 1})
	return &op.Hunks[len(op.Hunks)-1]
}

// empty refuses a hunk that ends here without lines.
func (e *envelope) empty(h *edit.Hunk) {
	if h != nil && len(h.Lines) == 0 && e.bad == nil {
		e.fail(edit.BadInput, h.Line, "the hunk that begins here (%s) has no lines; a space, %q or %q is expected in line %d", quote(e.lines[h.Line-1]), "+", "-", e.at+1)
		e.bad = e.errs[len(e.errs)-1]
	}
}

// hunkLine adds a line to the hunk; the first hunk of an Update needs no @@.
func (e *envelope) hunkLine(op *edit.Op, h *edit.Hunk, kind edit.LineKind, text string) *edit.Hunk {
	switch {
	case h == nil:
		h = e.begin(op)
	case h.EOF:
		e.misfit("behind %q a hunk begins with %q, found %s", eofMark, "@@", quote(e.line()))
		return h
	}
	h.Lines = append(h.Lines, edit.Line{Kind: kind, Text: text})
	return h
}

var unifiedRange = lazyRegexp(`^ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@`)

// anchor returns the text after @@ with its indentation, "" for a bare one.
func anchor(line string) string {
	text := line[len("@@"):]
	text = text[len(unifiedRange().FindString(text)):]
	text = strings.TrimSuffix(strings.TrimRight(text, " \t"), " @@")
	text = strings.TrimRight(strings.TrimPrefix(text, " "), " \t")
	if text == "..." || text == "@@" {
		return ""
	}
	return text
}
