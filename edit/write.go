package edit

import (
	"bytes"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// write makes a file or replaces its content as a whole. A file that is there
// keeps its mode, encoding and byte order mark, and the line endings that the
// new content does not speak of.
func (r *run) write(n *node) Errors {
	text := string(r.op.Content)
	if n == nil {
		data, errs := r.whole(text, nil)
		if len(errs) > 0 {
			return errs
		}
		r.create(data)
		return nil
	}
	src, err := r.text(n)
	if err != nil {
		return Errors{err}
	}
	if mark, _ := src.Encode(nil); len(mark) > 0 {
		text = strings.TrimPrefix(text, "\uFEFF") // the file has its own
	}
	data, errs := r.whole(text, src.text)
	if len(errs) > 0 {
		return errs
	}
	if err := src.holds(string(data)); err != nil {
		return Errors{err}
	}
	m := *n
	if err := r.store(&m, src, r.endings(src.text, data)); err != nil {
		return Errors{err}
	}
	r.picture[r.path] = &m
	return nil
}

// endings gives new content the line endings of the text that it replaces.
// Content with a CRLF has chosen its own.
func (r *run) endings(old, content []byte) []byte {
	doc := match.Split(old)
	ending, alike := uniform(doc)
	switch {
	case bytes.Contains(content, []byte("\r\n")):
		if own, ok := uniform(match.Split(content)); !ok || !alike || ending != nil && !bytes.Equal(own, ending) {
			r.note("line-endings", nil, "the content has line endings of its own (CRLF) and was written as it is")
		}
		return content
	case !alike:
		return realign(doc, content)
	case ending == nil:
		return content
	}
	return bytes.ReplaceAll(content, []byte{'\n'}, ending)
}

// uniform returns the ending of all lines, nil if there is none; false if they
// differ.
func uniform(doc *match.Document) (ending []byte, ok bool) {
	for i := range doc.Lines {
		switch e := doc.Ending(i); {
		case len(e) == 0:
		case ending == nil:
			ending = e
		case !bytes.Equal(e, ending):
			return nil, false
		}
	}
	return ending, true
}

// realign gives LF content the endings of a text that mixes them: a line that
// stays keeps its own, a new one takes that of the line it replaces or adjoins.
func realign(doc *match.Document, content []byte) []byte {
	var plain strings.Builder // the document with LF for every line break
	at := map[int]int{}       // offset in plain → line
	for i := range doc.Lines {
		at[plain.Len()] = i
		plain.Write(doc.Line(i))
		if len(doc.Ending(i)) > 0 {
			plain.WriteByte('\n')
		}
	}
	at[plain.Len()] = len(doc.Lines)
	out := make([]byte, 0, len(content)+len(doc.Lines))
	copied := 0
	keep := func(to int) {
		for ; copied < to; copied++ {
			out = append(append(out, doc.Line(copied)...), doc.Ending(copied)...)
		}
	}
	for _, e := range udiff.Lines(plain.String(), string(content)) {
		from, to := at[e.Start], at[e.End]
		keep(from)
		k := 0
		for l := range strings.Lines(e.New) {
			text, broken := strings.CutSuffix(l, "\n")
			out = append(out, text...)
			if broken {
				out = append(out, adjoining(doc, from, to, k)...)
			}
			k++
		}
		copied = to
	}
	keep(len(doc.Lines))
	return out
}

// adjoining is the ending of the k-th new line that takes the place of lines
// from up to before to.
func adjoining(doc *match.Document, from, to, k int) []byte {
	if from < to {
		return doc.EndingNear(min(from+k, to-1))
	}
	if e := doc.Ending(from); from == 0 && len(e) > 0 {
		return e
	}
	return doc.EndingNear(from - 1)
}
