package invisible

import (
	"unicode"
	"unicode/utf8"
)

// edge stands for a line break or an end of the text as a neighbour.
const edge = '\n'

// A run is a longest stretch of hidden characters and marks. Its two visible
// neighbours decide most of what becomes of it: whether its marks have a base,
// whether its joiners stand between letters.
type run struct {
	start, end  int
	left, right rune // edge at a line break or an end of the text
}

func firstRun(text string) (run, bool) {
	return run{right: edge}.following(text)
}

// following returns the run after r.
func (r run) following(text string) (run, bool) {
	left := r.right
	for i := r.end; i < len(text); {
		ch, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case ch < utf8.RuneSelf:
			i += asciiLen(text[i:])
			left = neighbour(rune(text[i-1]))
		case hidden(ch) || mark(ch):
			return runAt(text, i, left), true
		default:
			i += size
			left = ch
		}
	}
	return run{}, false
}

func runAt(text string, start int, left rune) run {
	r := run{start: start, end: len(text), left: left, right: edge}
	for i, ch := range text[start:] {
		if !hidden(ch) && !mark(ch) {
			r.end, r.right = start+i, neighbour(ch)
			break
		}
	}
	return r
}

func neighbour(r rune) rune {
	if r == '\r' {
		return edge
	}
	return r
}

// based reports whether the marks of the run have something to stand on.
func (r run) based() bool { return !unicode.IsSpace(r.left) }

// script returns the joining script whose letters stand on both sides, or nil.
func (r run) script() *unicode.RangeTable {
	if s := joiningScript(r.left); s != nil && unicode.Is(s, r.right) && unicode.IsLetter(r.right) {
		return s
	}
	return nil
}

// A lookahead finds the next character of a run that is neither hidden nor a
// floating mark. It remembers the last answer, so that a run of any length is
// read once.
type lookahead struct {
	text string
	run  run
	at   int // where found stands
	next rune
}

// from returns the first such character at i or after it; behind the last
// follows the run's right neighbour. Calls come with rising i.
func (l *lookahead) from(i int) rune {
	if i <= l.at {
		return l.next
	}
	based := l.run.based()
	for j, ch := range l.text[i:l.run.end] {
		if !hidden(ch) && (based || unicode.Is(unicode.Me, ch)) {
			l.at, l.next = i+j, ch
			return ch
		}
	}
	l.at, l.next = l.run.end, l.run.right
	return l.next
}

// asciiLen returns the length of the ASCII text that s begins with.
func asciiLen(s string) int {
	i := 0
	// Eight bytes at a time; the compiler makes one load of the eight.
	for ; len(s)-i >= 8; i += 8 {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		if x&0x8080808080808080 != 0 {
			break
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}
