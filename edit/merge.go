package edit

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/chordgit/chordgit/edit/internal/charset"
	"github.com/chordgit/chordgit/edit/internal/match"
	"github.com/chordgit/chordgit/edit/internal/merge3"
)

// The largest texts that are merged. What is larger was hardly written by hand,
// and its merge would take seconds.
const (
	mergeBytes = 32 << 20
	mergeLines = 1_000_000
)

// A MergeConflict is a place that both sides changed, in different ways, or
// that one changed right beside what the other did.
type MergeConflict struct {
	// First and Last are the lines of ours there, 1-based. Where ours has no
	// line left, Last is First-1, and the place is in front of line First.
	First, Last int
}

// Merge returns ours with what theirs changed of base, as git merge-file does:
// by lines, which keep their endings, without fuzz and without folding blanks.
// Changes of both sides conflict unless they are equal or at least one unchanged
// line lies between them. With conflicts, all of which are returned, merged is
// nil. It may be one of the arguments.
//
// If one side is as base, or both are the same, the result is the other, or
// both, whatever they hold. Else the error has code TooLarge for more than
// 32 MiB or 1,000,000 lines, Binary, or Encoding for UTF-16 and UTF-32 that
// cannot be read, or for a result that no encoding of the three can be chosen
// for or that it cannot hold. A file's encoding is merged apart from its lines:
// a side that changed it has its way.
func Merge(base, ours, theirs []byte) (merged []byte, conflicts []MergeConflict, err error) {
	if same, ok := unanimous(base, ours, theirs, bytes.Equal); ok {
		return same, nil, nil
	}
	var encs [3]*charset.Encoding
	var texts [3][]byte
	for i, data := range [3][]byte{base, ours, theirs} {
		if encs[i], texts[i], err = mergeable(data); err != nil {
			return nil, nil, err
		}
	}
	enc, ok := unanimous(encs[0], encs[1], encs[2], func(a, b *charset.Encoding) bool { return a.Name() == b.Name() })
	if !ok {
		return nil, nil, &Error{Code: Encoding, Msg: fmt.Sprintf("both sides changed the encoding, from %s to %s and to %s", encs[0].Name(), encs[1].Name(), encs[2].Name())}
	}
	text, places := merge3.Merge(texts[0], texts[1], texts[2])
	for _, p := range places {
		conflicts = append(conflicts, MergeConflict{p.From + 1, p.To})
	}
	if conflicts != nil {
		return nil, conflicts, nil
	}
	merged, err = enc.Encode(text)
	if err != nil {
		return nil, nil, &Error{Code: Encoding, Err: err}
	}
	return merged, nil, nil
}

// unanimous merges what cannot be merged in parts: if one side did not change
// it, it is what the other has.
func unanimous[T any](base, ours, theirs T, equal func(a, b T) bool) (merged T, ok bool) {
	switch {
	case equal(base, ours), equal(ours, theirs):
		return theirs, true
	case equal(base, theirs):
		return ours, true
	}
	return merged, false
}

// mergeable reads one of the texts of a merge, or says why it is none.
func mergeable(data []byte) (*charset.Encoding, []byte, error) {
	if len(data) > mergeBytes {
		return nil, nil, &Error{Code: TooLarge, Msg: fmt.Sprintf("%d bytes are more than the %d that are merged by lines", len(data), mergeBytes)}
	}
	enc, text, err := charset.DecodeWide(data)
	if err != nil {
		code := Encoding
		if errors.As(err, new(*charset.BinaryError)) {
			code = Binary
		}
		return nil, nil, &Error{Code: code, Err: err}
	}
	if n := merge3.Lines(text); n > mergeLines {
		return nil, nil, &Error{Code: TooLarge, Msg: fmt.Sprintf("%d lines are more than the %d that are merged", n, mergeLines)}
	}
	return enc, text, nil
}

// OnlyLineEndings reports whether two texts differ, but only in how their lines
// end: LF, CRLF, CR in a text without LF, or for the last line not at all.
func OnlyLineEndings(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return false
	}
	encA, textA, err := mergeable(a)
	if err != nil {
		return false
	}
	encB, textB, err := mergeable(b)
	if err != nil || encA.Name() != encB.Name() {
		return false
	}
	docA, docB := match.Split(textA), match.Split(textB)
	if len(docA.Lines) != len(docB.Lines) {
		return false
	}
	for i := range docA.Lines {
		if !bytes.Equal(docA.Line(i), docB.Line(i)) {
			return false
		}
	}
	return true
}
