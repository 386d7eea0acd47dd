// Package charset reads the text of a file in whatever encoding the file has
// and writes it back byte for byte.
//
// It never guesses lightly and never substitutes: a file whose encoding is not
// certain is handed out as the bytes it consists of, and a character that an
// encoding cannot hold is an error, never a question mark.
package charset

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// binaryWindow is how many bytes at the start of a file are searched for a NUL.
const binaryWindow = 8 << 10

// An Encoding is how one file stores its text: a way to write characters as
// bytes, and the byte order mark in front of them, if there is one.
//
// No encoding here has state between characters. So if a part of a decoded
// text is replaced, the bytes of everything around it stay what they were.
type Encoding struct {
	name  string
	mark  string
	codec codec // nil: the text is stored as it is
	bytes bool
}

// A codec converts between UTF-8 and the stored form of a text.
type codec interface {
	// decode returns the text of stored, or the offset of the first byte in
	// stored that would not come back if the text were encoded again.
	decode(stored []byte) (text []byte, bad int, ok bool)

	// encode returns mark followed by the stored form of text, which is valid
	// UTF-8, and how much of text that is. If it is not all of it, a character
	// starts there that has no stored form.
	encode(mark string, text []byte) (stored []byte, done int)
}

// The encodings with a mark, in the order in which the marks have to be tried:
// that of UTF-32LE begins like that of UTF-16LE.
func marked() []*Encoding {
	return []*Encoding{
		{name: "UTF-8 with BOM", mark: "\xEF\xBB\xBF"},
		{name: "UTF-32LE", mark: "\xFF\xFE\x00\x00", codec: utf32Codec{binary.LittleEndian}},
		{name: "UTF-32BE", mark: "\x00\x00\xFE\xFF", codec: utf32Codec{binary.BigEndian}},
		{name: "UTF-16LE", mark: "\xFF\xFE", codec: utf16Codec{binary.LittleEndian}},
		{name: "UTF-16BE", mark: "\xFE\xFF", codec: utf16Codec{binary.BigEndian}},
	}
}

// Decode finds the encoding of a file and returns its text, without byte order
// mark, as UTF-8; in byte-transparent mode the text is the bytes of the file.
// Encoding the text again gives data.
//
// The text of a UTF-8 or byte-transparent file is a part of data, not a copy.
// The error is a [*BinaryError] or, for a file whose mark promises what the
// rest does not keep, an [*Error].
func Decode(data []byte) (enc *Encoding, text []byte, err error) {
	if e := byMark(data); e != nil {
		return e.file(data)
	}
	if err := binaryData(data); err != nil {
		return nil, nil, err
	}
	if utf8.Valid(data) {
		return &Encoding{name: "UTF-8"}, data, nil
	}
	if e, text := detect(data); e != nil {
		return e, text, nil
	}
	return transparent(), data, nil
}

// DecodeWide is [Decode] for those who need no more than the ends of lines: it
// decodes UTF-16 and UTF-32 and takes every other file in byte-transparent
// mode, a mark included, for in all other encodings LF and CR are what they are
// in ASCII.
func DecodeWide(data []byte) (enc *Encoding, text []byte, err error) {
	if e := byMark(data); e != nil && e.codec != nil {
		return e.file(data)
	}
	if err := binaryData(data); err != nil {
		return nil, nil, err
	}
	return transparent(), data, nil
}

func transparent() *Encoding { return &Encoding{name: "unknown 8-bit", bytes: true} }

func binaryData(data []byte) error {
	if i := bytes.IndexByte(data[:min(len(data), binaryWindow)], 0); i >= 0 {
		return &BinaryError{Offset: i}
	}
	return nil
}

// byMark is the encoding that the mark of a file tells, nil without a mark.
func byMark(data []byte) *Encoding {
	for _, e := range marked() {
		if bytes.HasPrefix(data, []byte(e.mark)) {
			return e
		}
	}
	return nil
}

// file reads a file that begins with the encoding's mark.
func (e *Encoding) file(data []byte) (*Encoding, []byte, error) {
	text, err := e.decode(data[len(e.mark):])
	if err != nil {
		return nil, nil, err
	}
	return e, text, nil
}

func (e *Encoding) decode(stored []byte) ([]byte, error) {
	text, bad, ok := stored, 0, true
	if e.codec != nil {
		text, bad, ok = e.codec.decode(stored)
	} else if bad = firstInvalid(stored); bad < len(stored) {
		ok = false
	}
	if !ok {
		return nil, &Error{Encoding: e.name, Offset: len(e.mark) + bad}
	}
	return text, nil
}

// Name is what people call the encoding.
func (e *Encoding) Name() string { return e.name }

// UTF8 reports whether text and stored bytes are the same but for a byte order
// mark.
func (e *Encoding) UTF8() bool { return e.codec == nil && !e.bytes }

// Bytes reports whether the file is read in byte-transparent mode: its
// encoding is not known, the text is its bytes, and new text must be ASCII.
func (e *Encoding) Bytes() bool { return e.bytes }

// Encode returns the bytes that store text in a file, byte order mark
// included. Where these are the bytes of text it returns text itself.
//
// The error is an [*UnencodableError]. In byte-transparent mode there is none,
// since bytes of the file and bytes that are new look alike by now: use
// [Encoding.Check] on new text before it is put in.
func (e *Encoding) Encode(text []byte) ([]byte, error) {
	if e.bytes {
		return text, nil
	}
	valid := firstInvalid(text)
	stored, done := text[:valid], valid
	switch {
	case e.codec != nil:
		stored, done = e.codec.encode(e.mark, text[:valid])
	case e.mark != "" && valid == len(text):
		stored = append(append(make([]byte, 0, len(e.mark)+len(text)), e.mark...), text...)
	}
	if done < len(text) {
		return nil, e.unencodable(text, done)
	}
	return stored, nil
}

// Check reports the first character of new text that the encoding cannot hold,
// as an [*UnencodableError]; in byte-transparent mode that is the first one
// outside ASCII.
func (e *Encoding) Check(text string) error {
	if !e.bytes {
		_, err := e.Encode([]byte(text))
		return err
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return e.unencodable([]byte(text), i)
		}
	}
	return nil
}

func (e *Encoding) unencodable(text []byte, at int) error {
	r, size := utf8.DecodeRune(text[at:])
	if r == utf8.RuneError && size == 1 {
		r = -1
	}
	return &UnencodableError{Rune: r, Encoding: e.name, Offset: at}
}

// firstInvalid returns the offset of the first byte of text that is not part of
// a UTF-8 character, or the length of text.
func firstInvalid(text []byte) int {
	if utf8.Valid(text) {
		return len(text)
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}
