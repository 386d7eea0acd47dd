// Package invisible removes characters that cannot be seen from text that is
// about to be written, and only there.
//
// Models put them in by accident: a zero-width space inside a name, a
// combining mark that has nothing to stand on. The same characters also have
// honest uses (joiners in Persian and Hindi, emoji sequences, soft hyphens), so
// each is judged by what stands beside it and by what the replaced text has.
//
// The package never looks at files, and it removes nothing that can be seen:
// marks on a visible base, enclosing marks, tags, spaces of all kinds and
// control characters stay.
package invisible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns text without the invisible characters that have no purpose in
// it, and how often each was removed (nil if none was).
//
// old is what the text replaces or stands beside: removed and context lines,
// matched text, the old file for a whole content. A joiner between two letters
// of a script stays if old has that joiner between letters of that script; a
// soft hyphen stays if old has one between the same two characters. A line
// break and either end of old or text are the same neighbour.
//
// whole says that text is the content of a whole file, which may begin with
// U+FEFF.
//
// Line breaks stay, so the added lines of a hunk can be cleaned as one text,
// which reads old once.
//
// Cleaning a result again with the same old changes nothing. Text that is not
// valid UTF-8 is returned as it is: taking a character out from between stray
// bytes could make a new one of them. The time is linear in text and old, and
// old is only read if text has a soft hyphen or a joiner between letters.
func Clean(text, old string, whole bool) (string, Counts) {
	n := asciiLen(text)
	if n == len(text) || !utf8.ValidString(text) {
		return text, nil
	}
	c := cleaner{text: text, old: old, whole: whole}
	for r, ok := firstRun(text); ok; r, ok = r.following(text) {
		c.run(r)
	}
	if c.removed == nil {
		return text, nil
	}
	c.out.WriteString(text[c.copied:])
	return c.out.String(), c.removed
}

// Strip is Clean for a text that is searched for: nothing vouches for its
// joiners and soft hyphens. Emoji sequences stay whole.
func Strip(text string) (string, Counts) {
	return Clean(text, "", false)
}

// Only reports whether text is not empty and Strip leaves nothing of it.
func Only(text string) bool {
	for _, r := range text {
		if !hidden(r) && !unicode.In(r, unicode.Mn, unicode.Mc) {
			return false
		}
	}
	// Without a visible character no emoji sequence holds a joiner or selector
	// and every mark floats.
	return text != ""
}

// A cleaner copies text to out as soon as there is something to leave out.
type cleaner struct {
	text, old string
	whole     bool
	usage     *usage // of old, read when first needed
	out       strings.Builder
	copied    int // text[:copied] is in out or left out of it
	removed   Counts
}

// run judges the characters of r from left to right. Only selectors and emoji
// joiners depend on what was kept before them. All else depends on visible
// characters and kept marks alone, which is what makes Clean idempotent.
func (c *cleaner) run(r run) {
	var (
		based = r.based()
		left  = r.left // last character before the current one that is not hidden
		ahead = lookahead{text: c.text, run: r}
		kept  = 0     // characters of the run kept so far
		sel   = false // the last of them is a selector
	)
	for i := r.start; i < r.end; {
		ch, size := utf8.DecodeRuneInString(c.text[i:])
		i += size
		var keep bool
		isSel := false
		switch ch {
		case zeroWidthSpace, wordJoiner:
			keep = false
		case byteOrderMark:
			keep = c.whole && i == size
		case softHyphen:
			keep = c.facts().hyphens[pair{left, ahead.from(i)}]
		case nonJoiner, joiner:
			if s := r.script(); s != nil {
				keep = c.facts().joiners[joint{ch, s}]
				break
			}
			bare := kept == 0 || kept == 1 && sel
			keep = ch == joiner && bare && emojiBase(r.left) && emojiBase(ahead.from(i))
		case textStyle, emojiStyle:
			isSel = true
			keep = kept == 0 && (emojiBase(r.left) ||
				ch == emojiStyle && keycapBase(r.left) && ahead.from(i) == enclosingKeycap)
		default:
			keep = based || unicode.Is(unicode.Me, ch)
			if keep {
				left = ch
			}
		}
		if keep {
			kept++
			sel = isSel
		} else {
			c.drop(ch, i-size, i)
		}
	}
}

func (c *cleaner) facts() *usage {
	if c.usage == nil {
		c.usage = usageOf(c.old)
	}
	return c.usage
}

// drop leaves out r, which is text[start:end].
func (c *cleaner) drop(r rune, start, end int) {
	if c.removed == nil {
		c.removed = Counts{}
		c.out.Grow(len(c.text))
	}
	c.out.WriteString(c.text[c.copied:start])
	c.copied = end
	c.removed[r]++
}
