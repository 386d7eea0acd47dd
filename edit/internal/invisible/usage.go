package invisible

import (
	"unicode"
	"unicode/utf8"
)

// A usage says where a text has the characters that may stay on its word.
type usage struct {
	hyphens map[pair]bool
	joiners map[joint]bool
}

// A pair is the two characters around a soft hyphen, hidden characters and
// floating marks looked through.
type pair struct{ left, right rune }

// A joint is a joiner and the script whose letters stand on both sides of it.
type joint struct {
	joiner rune
	script *unicode.RangeTable
}

func usageOf(text string) *usage {
	u := &usage{hyphens: map[pair]bool{}, joiners: map[joint]bool{}}
	for r, ok := firstRun(text); ok; r, ok = r.following(text) {
		u.add(text, r)
	}
	return u
}

func (u *usage) add(text string, r run) {
	left := r.left
	ahead := lookahead{text: text, run: r}
	for i := r.start; i < r.end; {
		ch, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case ch == softHyphen:
			u.hyphens[pair{left, ahead.from(i)}] = true
		case ch == joiner || ch == nonJoiner:
			if s := r.script(); s != nil {
				u.joiners[joint{ch, s}] = true
			}
		case !hidden(ch) && (r.based() || unicode.Is(unicode.Me, ch)):
			left = ch
		}
	}
}
