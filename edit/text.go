package edit

import "unicode"

// printable reports whether r can stand in a message as it is.
func printable(r rune) bool {
	return r != unicode.ReplacementChar && r != '\u2028' && r != '\u2029' && !unicode.Is(unicode.C, r) && !unicode.Is(unicode.Variation_Selector, r)
}
