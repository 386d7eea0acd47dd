package edit

import (
	"bytes"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/invisible"
	"github.com/chordgit/chordgit/edit/internal/match"
)

// insert puts lines behind a line of the file. They take the line ending of
// what they adjoin. Inserted text ends in a line break, appended text as it was
// sent; a last line that has none is ended first.
func (r *run) insert(n *node) Errors {
	if n == nil {
		return r.missing()
	}
	text := strings.ReplaceAll(string(r.op.Content), "\r\n", "\n")
	if strings.Contains(text, "\x00") {
		return fail(ControlCharacter, "the new text holds a NUL (U+0000)")
	}
	src, err := r.text(n)
	if err != nil {
		return Errors{err}
	}
	doc := match.Split(src.text)
	at := r.op.At
	if at == AtEnd {
		at = len(doc.Lines)
	}
	if at < 0 || at > len(doc.Lines) {
		return fail(BadLine, "line %d does not exist: text can be inserted behind lines 0–%d (0 is the top)", at, len(doc.Lines))
	}
	if errs := r.omissions(src.text); len(errs) > 0 {
		return errs
	}
	text, removed := invisible.Clean(text, string(src.text), false)
	if text == "" && removed != nil {
		return fail(OnlyInvisible, "the new text consists of characters that cannot be seen: %s", removed)
	}
	if err := src.holds(text); err != nil {
		return Errors{err}
	}
	r.noteCleaned(removed)
	counts, lines := invisible.Control(text)
	for i := range lines {
		lines[i] += at
	}
	r.noteControl(counts, lines)

	ending := doc.EndingNear(at - 1)
	if e := doc.Ending(0); at == 0 && len(e) > 0 {
		ending = e
	}
	if r.op.At != AtEnd && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	offset := len(src.text)
	if at < len(doc.Lines) {
		offset = int(doc.Lines[at].Start)
	}
	out := append(make([]byte, 0, len(src.text)+len(text)+8), src.text[:offset]...)
	if at > 0 && len(doc.Ending(at-1)) == 0 && text != "" {
		out = append(out, ending...)
	}
	out = append(out, bytes.ReplaceAll([]byte(text), []byte{'\n'}, ending)...)
	m := *n
	if err := r.store(&m, src, append(out, src.text[offset:]...)); err != nil {
		return Errors{err}
	}
	r.picture[r.path] = &m
	return nil
}
