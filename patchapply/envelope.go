package patchapply

import (
	"strings"

	"github.com/chordgit/chordgit/edit"
)

const (
	beginMark = "*** Begin Patch"
	endMark   = "*** End Patch"
	addMark   = "*** Add File: "
	delMark   = "*** Delete File: "
	updMark   = "*** Update File: "
	moveMark  = "*** Move to: "
	eofMark   = "*** End of File"
	envMark   = "*** Environment ID:"
)

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }
func isBegin(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), beginMark) }
func isEnd(line string) bool   { return strings.HasPrefix(strings.TrimSpace(line), endMark) }

// isMarker reports whether a line is a marker inside a body, where a marker has
// no blanks before it.
func isMarker(line string) bool { return strings.HasPrefix(line, "*** ") }

// header returns the marker of a section and its path, "" if the trimmed line
// is no section header. The path is empty where the line names none.
func header(line string) (mark, path string) {
	t := strings.TrimSpace(line)
	for _, m := range []string{addMark, delMark, updMark} {
		if rest, ok := strings.CutPrefix(t, m); ok {
			return m, strings.TrimSpace(rest)
		}
		if t == m[:len(m)-1] {
			return m, ""
		}
	}
	return "", ""
}

func envelopeStarts(g *region, i int) bool {
	if isBegin(g.lines[i]) {
		return true
	}
	mark, _ := header(g.lines[i])
	return mark != "" && g.bare
}

// An envelope is one patch being read.
type envelope struct {
	*region
	at       int // the next line
	ended    bool
	sections int
	// What decides whether a missing End is the only thing that is missing:
	partial   string // why the last section is incomplete; empty if it is whole
	partialAt int    // where it begins
	glued     int    // first content line that ends in the End marker, from 1

	// The first line of the section that its body cannot hold, and how many more.
	bad      *edit.Error
	badLines int
}

// readEnvelope reads the patch that begins at line at, with a Begin or with its
// first section.
func readEnvelope(g *region, at int) int {
	e := &envelope{region: g, at: at}
	g.base(g.cd, at+1)
	e.dedentPatch()
	e.partial, e.partialAt = "the patch has no section", at
	before := len(e.errs)
	if isBegin(e.line()) {
		e.junk(beginMark)
		e.at++
		e.environment()
	} else {
		e.note("begin-missing", at+1, "there is no %q", beginMark)
	}
	for e.at < e.to && !e.ended && !isBegin(e.line()) {
		e.section()
	}
	switch {
	case !e.ended:
		e.unfinished()
	case e.sections == 0 && len(e.errs) == before:
		e.fail(edit.NothingRecognised, at+1, "the patch that begins here has no section")
	}
	return e.at
}

func (e *envelope) line() string { return e.lines[e.at] }

// dedentPatch takes off the indentation that a patch has in a text that has
// none, such as a list item.
func (e *envelope) dedentPatch() {
	indent := indentOf(e.line())
	end := e.at + 1
	for ; end < e.to && !isBegin(e.lines[end]); end++ {
		l := e.lines[end]
		if isEnd(l) && strings.HasPrefix(indent, indentOf(l)) {
			if indentOf(l) == indent {
				end++
			}
			break
		}
		if !strings.HasPrefix(l, indent) && !isBlank(l) {
			return // the marker alone is padded
		}
	}
	if cut := e.dedent(e.at, end); cut != "" {
		e.dedented(e.at, cut)
	}
}

// junk notes what follows a Begin or End on its line.
func (e *envelope) junk(mark string) {
	if rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(e.line()), mark)); rest != "" {
		e.note("junk", e.at+1, "%s after %q was left out", quote(rest), mark)
	}
}

func (e *envelope) environment() {
	if e.at < e.to && strings.HasPrefix(strings.TrimSpace(e.line()), envMark) {
		e.note("environment", e.at+1, "the environment id has no effect here")
		e.at++
	}
}

// section reads one section, or what stands between two.
func (e *envelope) section() {
	line := e.line()
	mark, path := header(line)
	switch {
	case isBlank(line):
		e.at++
		return
	case isEnd(line):
		e.junk(endMark)
		e.ended = true
		e.at++
		return
	case mark == "":
		e.unexpected()
		return
	}
	e.sections++
	e.partial, e.partialAt = "", e.at
	if path == "" {
		if e.partial = "its header names no path"; e.at < e.last {
			e.fail(edit.BadInput, e.at+1, "a path is expected in %s", quote(line))
		}
	}
	op := edit.Op{Tool: "apply_patch", Path: path, Line: e.at + 1}
	e.at++
	e.bad, e.badLines = nil, 0
	switch mark {
	case addMark:
		op.Kind = edit.Add
		e.addBody(&op)
	case delMark:
		op.Kind = edit.Delete
	case updMark:
		op.Kind = edit.Update
		e.updateBody(&op)
	}
	if e.bad != nil {
		e.bad.Msg += more(e.badLines)
	}
	e.add("codex", op)
}

// unexpected tells about a line that belongs to no section and goes on at the
// next header, so that one answer names all that is wrong.
func (e *envelope) unexpected() {
	line := e.line()
	switch t := strings.TrimSpace(line); {
	case e.at == e.last && partialMark(line):
		e.partial, e.partialAt = "its last line "+quote(line)+" is the beginning of a marker", e.at
		e.at++
		return // told by unfinished
	case strings.HasPrefix(t, moveMark[:len(moveMark)-1]):
		e.fail(edit.BadInput, e.at+1, "%s: a Move must directly follow the line of its Update", quote(line))
	case strings.HasPrefix(t, eofMark):
		e.fail(edit.BadInput, e.at+1, "%s: the end of a file must directly follow the lines of a hunk", quote(line))
	case strings.HasPrefix(t, envMark):
		e.fail(edit.BadInput, e.at+1, "%s: an environment id must directly follow %q, once", quote(line), beginMark)
	default:
		e.fail(edit.BadInput, e.at+1, "a section header (%q, %q or %q) or %q is expected, found %s", addMark, delMark, updMark, endMark, quote(line))
	}
	for e.at++; e.at < e.to; e.at++ {
		if mark, _ := header(e.line()); mark != "" || isEnd(e.line()) || isBegin(e.line()) {
			return
		}
	}
}

// addBody reads the lines of a new file.
func (e *envelope) addBody(op *edit.Op) {
	var b strings.Builder
	e.partial = "an Add has no lines"
	for e.at < e.to {
		line := e.line()
		mark, _ := header(line)
		text, content := strings.CutPrefix(line, "+")
		switch {
		case content:
			e.content(line)
			b.WriteString(text)
			b.WriteByte('\n')
			e.partial = ""
		case isMarker(line), mark != "", isBegin(line), isEnd(line), e.at == e.last && partialMark(line):
			op.Content = []byte(b.String())
			return
		case isBlank(line):
			if next := e.blanks(isBlank); !e.separates(next) {
				e.misfit("a blank line inside a new file needs a %q", "+")
				e.at = next - 1
			} else {
				e.at = next
				continue
			}
		case !e.noNewline(line):
			e.misfit("a line of a new file begins with %q, found %s", "+", quote(line))
		}
		e.at++
	}
	op.Content = []byte(b.String())
}

// blanks returns the line after the run of blank ones that begins here.
func (e *envelope) blanks(blank func(string) bool) int {
	i := e.at
	for i < e.to && blank(e.lines[i]) {
		i++
	}
	return i
}

// separates reports whether blank lines before line i end a body: a marker or
// the end of the text follows.
func (e *envelope) separates(i int) bool {
	if i >= e.to || isMarker(e.lines[i]) || i == e.last && (partialMark(e.lines[i]) || isEnd(e.lines[i])) {
		return true
	}
	mark, _ := header(e.lines[i])
	return mark != "" || isBegin(e.lines[i]) || isEnd(e.lines[i])
}

// misfit tells about a line that the body cannot hold; of many in one section
// the first.
func (e *envelope) misfit(format string, args ...any) {
	if e.bad != nil {
		e.badLines++
		return
	}
	e.fail(edit.BadInput, e.at+1, format, args...)
	e.bad = e.errs[len(e.errs)-1]
}

// content looks at a line of content: if End is missing it may have lost the
// line break before it.
func (e *envelope) content(line string) {
	if e.glued == 0 && strings.HasSuffix(strings.TrimRight(line, " \t"), endMark) {
		e.glued = e.at + 1
	}
}

// noNewline drops git's marker for a file without final newline.
func (e *envelope) noNewline(line string) bool {
	if strings.TrimRight(line, " \t") != `\ No newline at end of file` {
		return false
	}
	e.note("no-newline-marker", e.at+1, "the marker was dropped: the file ends in a newline")
	return true
}

// partialMark reports whether a line is the beginning of some marker. Content
// that looks so has a character before it.
func partialMark(line string) bool {
	t := strings.TrimRight(line, " \t")
	if t == "" {
		return false
	}
	for _, m := range []string{"@@", addMark, delMark, updMark, moveMark, eofMark, endMark} {
		if m = strings.TrimSpace(m); len(t) < len(m) && strings.HasPrefix(m, t) {
			return true
		}
	}
	return false
}

// unfinished judges a patch without End: the marker alone may be missing, or
// the text was cut off.
func (e *envelope) unfinished() {
	switch {
	case e.glued > 0:
		e.fail(edit.BadInput, e.glued, "%q stands at the end of a content line and needs a line of its own: %s", endMark, quote(e.lines[e.glued-1]))
	case e.partial != "":
		e.fail(edit.Truncated, e.partialAt+1, "the patch breaks off in the section that begins here (%s), and there is no %q: %s", quote(e.lines[e.partialAt]), endMark, e.partial)
	case e.open != "":
		e.fail(edit.Truncated, e.from, "%s is not closed, and the patch in it has no %q", e.open, endMark)
	default:
		e.note("end-missing", e.at, "there is no %q; if the reply was cut off, its last lines may be missing", endMark)
	}
}
