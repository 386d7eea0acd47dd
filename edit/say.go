package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// quotedMost is how many characters of a text a message quotes.
const quotedMost = 120

// quoted quotes a text for a message, cut between characters.
func quoted(text string) string {
	q, _ := cut(text)
	return `"` + q + `"`
}

func cut(text string) (string, bool) {
	if utf8.RuneCountInString(text[:min(len(text), 4*quotedMost)]) <= quotedMost && len(text) <= 4*quotedMost {
		return Quote(text), false
	}
	n := 0
	for i := range text {
		if n == quotedMost {
			return Quote(text[:i]), true
		}
		n++
	}
	return Quote(text), false
}

// firstLine is the fact that every message about a text that was not found
// begins with.
func firstLine(text []byte) string {
	q, short := cut(string(text))
	if short {
		return `first expected line prefix: "` + q + `"`
	}
	return `first expected complete line: "` + q + `"`
}

// numbers turns places into line numbers.
func numbers(at []int) []int {
	out := make([]int, len(at))
	for i, a := range at {
		out[i] = a + 1
	}
	return out
}

// list names places by line number: the first ten, and how many more.
func list(at []int, total int) string {
	var b strings.Builder
	for i, a := range at[:min(len(at), 10)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, a+1)
	}
	if total > 10 {
		fmt.Fprintf(&b, " (+%d more)", total-10)
	}
	return b.String()
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
