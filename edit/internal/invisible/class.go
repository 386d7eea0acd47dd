package invisible

import "unicode"

const (
	softHyphen      = '\u00AD'
	zeroWidthSpace  = '\u200B'
	nonJoiner       = '\u200C'
	joiner          = '\u200D'
	wordJoiner      = '\u2060'
	byteOrderMark   = '\uFEFF'
	textStyle       = '\uFE0E'
	emojiStyle      = '\uFE0F'
	enclosingKeycap = '\u20E3'
)

// hidden reports whether r belongs to the cleaning set whatever stands before
// it. Floating marks are the rest of that set.
func hidden(r rune) bool {
	switch r {
	case softHyphen, zeroWidthSpace, nonJoiner, joiner, wordJoiner, byteOrderMark, textStyle, emojiStyle:
		return true
	}
	return false
}

func mark(r rune) bool {
	const first = '\u0300' // no mark comes before it
	return r >= first && unicode.Is(unicode.M, r)
}

// joiningScript returns the script of a letter in which joiners choose between
// spellings, nil for any other character.
func joiningScript(r rune) *unicode.RangeTable {
	const first = '\u0600' // the Arabic block is the first of them
	if r < first || !unicode.IsLetter(r) {
		return nil
	}
	for _, s := range [...]*unicode.RangeTable{
		unicode.Arabic, unicode.Syriac,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
		unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
	} {
		if unicode.Is(s, r) {
			return s
		}
	}
	return nil
}

// emojiBase reports whether r may begin an emoji. Skin tones are Sk, so a base
// with a skin tone ends in a base.
func emojiBase(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case unicode.In(r, unicode.So, unicode.Sk, unicode.Sm):
		return true
	case r >= 0x1F300 && r <= 0x1FAFF:
		return true // holds symbols only; the unassigned ones are emoji to come
	}
	switch r {
	case '‼', '⁉', 'ℹ', '〰', '〽':
		return true
	}
	return false
}

func keycapBase(r rune) bool {
	return r >= '0' && r <= '9' || r == '#' || r == '*'
}
