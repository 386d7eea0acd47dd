package patchapply

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit"
)

// toText decodes a request: UTF-8 with or without a byte order mark, or UTF-16
// with one. Offsets in messages count bytes from 0.
func toText(data []byte, limit int64) (string, *edit.Error) {
	if int64(len(data)) > limit {
		return "", &edit.Error{Code: edit.TooLarge, Msg: fmt.Sprintf("the request has more than %d bytes (limits.request)", limit)}
	}
	mark := string(data[:min(len(data), 4)])
	switch {
	case mark == "\xFF\xFE\x00\x00", mark == "\x00\x00\xFE\xFF":
		return "", badInput("UTF-32", data, 0, 1)
	case strings.HasPrefix(mark, "\xFE\xFF"):
		return fromUTF16(data, 0)
	case strings.HasPrefix(mark, "\xFF\xFE"):
		return fromUTF16(data, 1)
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if utf8.ValidString(text) {
		return text, nil
	}
	line := 1
	for i, r := range text {
		// U+FFFD itself may stand in a text.
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return "", badInput("not UTF-8", data, i+len(data)-len(text), line)
		}
		if r == '\n' {
			line++
		}
	}
	return text, nil
}

// fromUTF16 decodes what stands behind the mark; little is 1 if a unit's low
// byte comes first, else 0.
func fromUTF16(data []byte, little int) (string, *edit.Error) {
	var b strings.Builder
	b.Grow(len(data) / 2)
	unit := func(i int) rune { return rune(data[i+little])<<8 | rune(data[i+1-little]) }
	line := 1
	for i := 2; i < len(data); i += 2 {
		if i+1 == len(data) {
			return "", badInput("UTF-16 with half a unit", data, i, line)
		}
		c := unit(i)
		if utf16.IsSurrogate(c) {
			at := i
			if i += 2; i+1 < len(data) {
				c = utf16.DecodeRune(c, unit(i))
			} else {
				c = utf8.RuneError
			}
			if c == utf8.RuneError {
				return "", badInput("UTF-16 with half a character", data, at, line)
			}
		}
		if c == '\n' {
			line++
		}
		b.WriteRune(c)
	}
	return b.String(), nil
}

func badInput(what string, data []byte, at, line int) *edit.Error {
	return &edit.Error{Code: edit.BadInput, Line: line, Msg: fmt.Sprintf("the request is %s: byte 0x%02X at offset %d; UTF-8, or UTF-16 with a byte order mark, is read", what, data[at], at)}
}
