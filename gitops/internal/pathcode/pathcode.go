// Package pathcode writes paths, and other text of any bytes, where only valid text
// can stand: in the JSON of turns, sessions and answers.
package pathcode

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Encode makes a path of any bytes a string that JSON can hold: "%", control
// characters and bytes that are not UTF-8 are written %XX.
func Encode(p string) string {
	if utf8.ValidString(p) && !strings.ContainsFunc(p, func(r rune) bool { return r == '%' || unicode.IsControl(r) }) {
		return p
	}
	var b strings.Builder
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRuneInString(p[i:])
		if r == utf8.RuneError && n == 1 || r == '%' || unicode.IsControl(r) {
			for j := range n {
				fmt.Fprintf(&b, "%%%02X", p[i+j])
			}
		} else {
			b.WriteString(p[i : i+n])
		}
		i += n
	}
	return b.String()
}

// Decode is the way back. A "%" without two hexadecimal digits stands for itself.
func Decode(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
