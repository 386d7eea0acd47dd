package glob

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Fold maps all letter cases of a text to one, as file systems do that do not
// tell them apart.
func Fold(s string) string {
	return strings.Map(foldRune, s)
}

// foldRune is the one of a character's variants that stands for all.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
		least = min(least, v)
	}
	if least < utf8.RuneSelf {
		return foldRune(least)
	}
	return least
}

// orbits are the characters that have variants, the one that stands for them
// first.
var orbits = sync.OnceValue(func() (all [][]rune) {
	for r := rune('A'); r <= 0x1FFFF; r++ {
		if foldRune(r) != r || unicode.SimpleFold(r) == r {
			continue
		}
		o := []rune{r}
		for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
			o = append(o, v)
		}
		all = append(all, o)
	}
	return all
})
