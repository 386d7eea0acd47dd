package edit

import (
	"errors"
	"fmt"
	"unicode"

	"github.com/chordgit/chordgit/edit/internal/charset"
	"github.com/chordgit/chordgit/edit/internal/match"
)

// printable reports whether r can stand in a message as it is.
func printable(r rune) bool {
	return r != unicode.ReplacementChar && r != '\u2028' && r != '\u2029' && !unicode.Is(unicode.C, r) && !unicode.Is(unicode.Variation_Selector, r)
}

// A source is the text of a file that is edited, and how the file stores it.
type source struct {
	*charset.Encoding
	text []byte // UTF-8 without byte order mark, or the bytes as they are
}

// decode reads a file as text, or says why that cannot be done.
func decode(data []byte) (*source, *Error) {
	enc, text, err := charset.Decode(data)
	if err == nil {
		return &source{enc, text}, nil
	}
	if b := new(charset.BinaryError); errors.As(err, &b) {
		return nil, &Error{Code: Binary, Msg: fmt.Sprintf("the file is binary (NUL at offset %d): its content cannot be edited, only moved or deleted", b.Offset)}
	}
	return nil, &Error{Code: Encoding, Msg: err.Error()}
}

// document splits the text into lines.
func (s *source) document() *match.Document {
	doc := match.Split(s.text)
	doc.Raw = s.Bytes()
	return doc
}

// holds says which character of new text the file cannot store, nil if it can
// store all.
func (s *source) holds(text string) *Error {
	if s.UTF8() {
		return nil
	}
	if err := s.Check(text); err != nil {
		return &Error{Code: Encoding, Msg: err.Error()}
	}
	return nil
}

// halved says that a place cannot be trusted: in a file of unknown encoding the
// byte before it may be the first half of a character that goes on.
func (s *source) halved(at, line int) *Error {
	if at == 0 || !s.Bytes() || s.text[at-1] < 0x80 {
		return nil
	}
	return &Error{Code: Encoding, Lines: []int{line}, Msg: fmt.Sprintf("the place at line %d stands directly behind byte 0x%02X of an unknown encoding, which may be half a character: begin old_string further ahead", line, s.text[at-1])}
}

// Text returns what a file says, as UTF-8 without byte order mark, whatever its
// encoding; the bytes as they are if that is not known. The error has code
// Binary or Encoding.
func Text(data []byte) ([]byte, error) {
	src, err := decode(data)
	if err != nil {
		return nil, err
	}
	return src.text, nil
}
