package jsonspan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// String decodes a string of a parsed text, quotes included. It reports false
// if raw is no string, or if an escape in it is half a character: the result
// then has U+FFFD there.
func String(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	s := string(raw[1 : len(raw)-1])
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	var b strings.Builder
	exact := true
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			b.WriteString(s)
			return b.String(), exact
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		if k := strings.IndexByte(`"\/bfnrt`, s[0]); k >= 0 {
			b.WriteByte("\"\\/\b\f\n\r\t"[k])
			s = s[1:]
			continue
		}
		c := unit(s[1:])
		s = s[5:]
		if utf16.IsSurrogate(c) {
			half := c
			c = utf8.RuneError
			if strings.HasPrefix(s, `\u`) {
				c = utf16.DecodeRune(half, unit(s[2:]))
			}
			if c == utf8.RuneError {
				exact = false
			} else {
				s = s[6:]
			}
		}
		b.WriteRune(c)
	}
}

// unit is the UTF-16 unit that four hexadecimal digits spell.
func unit(digits string) rune {
	c, _ := strconv.ParseUint(digits[:4], 16, 16)
	return rune(c)
}

// Quote writes s, valid UTF-8, as a JSON string as Python does: with the short
// escapes, the others in lower case, and characters beyond ASCII as they are
// unless ascii is set.
func Quote(s string, ascii bool) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch k := strings.IndexRune("\"\\\b\f\n\r\t", r); {
		case k >= 0:
			b.WriteByte('\\')
			b.WriteByte(`"\bfnrt`[k])
		case r < ' ', ascii && r >= utf8.RuneSelf && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case ascii && r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
