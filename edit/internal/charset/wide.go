package charset

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Well-formed UTF-16, UTF-32 and UTF-8 map onto each other one to one, so what
// decodes without error here also comes back byte for byte.

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

type utf16Codec struct{ order byteOrder }

// next returns the character at the start of stored, which is not empty, and
// its length in bytes, or a length of 0 if there is none.
func (c utf16Codec) next(stored []byte) (rune, int) {
	if len(stored) < 2 {
		return 0, 0
	}
	r := rune(c.order.Uint16(stored))
	if !utf16.IsSurrogate(r) {
		return r, 2
	}
	if len(stored) < 4 {
		return 0, 0
	}
	// A pair always stands for a character above the BMP, so U+FFFD can only
	// mean that this is not a pair.
	if r = utf16.DecodeRune(r, rune(c.order.Uint16(stored[2:]))); r == utf8.RuneError {
		return 0, 0
	}
	return r, 4
}

func (c utf16Codec) decode(stored []byte) ([]byte, int, bool) { return decodeWide(stored, c.next) }

func (c utf16Codec) encode(mark string, text []byte) ([]byte, int) {
	size := len(mark)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		size += 2 * utf16.RuneLen(r)
		i += n
	}
	stored := append(make([]byte, 0, size), mark...)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if high, low := utf16.EncodeRune(r); r > 0xFFFF {
			stored = c.order.AppendUint16(stored, uint16(high))
			stored = c.order.AppendUint16(stored, uint16(low))
		} else {
			stored = c.order.AppendUint16(stored, uint16(r))
		}
		i += n
	}
	return stored, len(text)
}

type utf32Codec struct{ order byteOrder }

func (c utf32Codec) next(stored []byte) (rune, int) {
	if len(stored) < 4 {
		return 0, 0
	}
	u := c.order.Uint32(stored)
	if u > utf8.MaxRune || !utf8.ValidRune(rune(u)) {
		return 0, 0
	}
	return rune(u), 4
}

func (c utf32Codec) decode(stored []byte) ([]byte, int, bool) { return decodeWide(stored, c.next) }

func (c utf32Codec) encode(mark string, text []byte) ([]byte, int) {
	stored := append(make([]byte, 0, len(mark)+4*utf8.RuneCount(text)), mark...)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		stored = c.order.AppendUint32(stored, uint32(r))
		i += n
	}
	return stored, len(text)
}

// decodeWide measures the text before it allocates it: files can be large.
func decodeWide(stored []byte, next func([]byte) (rune, int)) (text []byte, bad int, ok bool) {
	size := 0
	for i := 0; i < len(stored); {
		r, n := next(stored[i:])
		if n == 0 {
			return nil, i, false
		}
		size += utf8.RuneLen(r)
		i += n
	}
	text = make([]byte, 0, size)
	for i := 0; i < len(stored); {
		r, n := next(stored[i:])
		text = utf8.AppendRune(text, r)
		i += n
	}
	return text, 0, true
}
