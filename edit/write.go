package edit

import (
	"bytes"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
	"github.com/chordgit/chordgit/edit/internal/match"
)

// write makes a file or replaces all of its text. A file that is there keeps
// mode, encoding and byte order mark, and each line that did not change its
// bytes. A changed line takes the ending of the line that it replaces, which in
// a file with one kind of ending is that kind.
func (r *run) write(n *node) Errors {
	if n == nil || n.size() == 0 {
		return r.fill(n, string(r.op.Content))
	}
	src, err := r.text(n)
	if err != nil {
		return Errors{err}
	}
	content, errs := r.whole(string(r.op.Content), src.text)
	if len(errs) > 0 {
		return errs
	}
	if mark, _ := src.Encode(nil); len(mark) > 0 {
		content = bytes.TrimPrefix(content, []byte("\uFEFF")) // the file has its own
	}
	if err := src.holds(string(content)); err != nil {
		return Errors{err}
	}
	if bytes.Contains(content, []byte("\r\n")) {
		r.note("line-endings", nil, "the content has CRLF line endings of its own and was written as sent")
	} else {
		content = r.aligned(match.Split(src.text), content)
	}
	m := *n
	if err := r.store(&m, src, content); err != nil {
		return Errors{err}
	}
	r.picture[r.path] = &m
	return nil
}

// aligned lays new text over a document, as one hunk that covers all of it.
// The last line ends as it was sent.
func (r *run) aligned(doc *match.Document, content []byte) []byte {
	old := make([]string, len(doc.Lines))
	for i := range old {
		old[i] = string(doc.Line(i))
	}
	lines := lineDiff(old, textLines(string(content)))
	h := &Hunk{Lines: lines}
	out := splice(doc, []spot{{hunk: h, count: len(old), lines: lines}}, false).out
	open := !bytes.HasSuffix(content, []byte{'\n'})
	if n := len(lines); r.op.Listing && n > 0 && lines[n-1].Kind == Context {
		open = len(doc.Ending(len(old)-1)) == 0
	}
	if open {
		out = withoutBreak(out)
	}
	return out
}

// withoutBreak cuts the line break that a text ends in.
func withoutBreak(text []byte) []byte {
	for _, e := range []string{"\r\n", "\n", "\r"} {
		if cut, ok := bytes.CutSuffix(text, []byte(e)); ok {
			return cut
		}
	}
	return text
}

// textLines returns the lines of a text without their line breaks. A final
// line break starts no line.
func textLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// lineDiff lays out what makes new of old: common lines are context.
func lineDiff(old, new []string) []Line {
	lines := make([]Line, 0, max(len(old), len(new)))
	at := 0
	keep := func(to int) {
		for ; at < to; at++ {
			lines = append(lines, Line{Context, old[at]})
		}
	}
	for _, d := range lcs.DiffLines(old, new) {
		keep(d.Start)
		for ; at < d.End; at++ {
			lines = append(lines, Line{Removed, old[at]})
		}
		for _, l := range new[d.ReplStart:d.ReplEnd] {
			lines = append(lines, Line{Added, l})
		}
	}
	keep(len(old))
	return lines
}
