package invisible

import "strings"

// Control lists the characters of text that are written as they are but are
// worth a note: C0 except TAB, LF and CR, DEL, and bidirectional controls.
// lines has the number (from 1) of every line that holds one, ascending. CR ends
// a line only in a text without LF.
func Control(text string) (counts Counts, lines []int) {
	lineEnd := '\n'
	if !strings.Contains(text, "\n") {
		lineEnd = '\r'
	}
	line := 1
	for _, r := range text {
		if r == lineEnd {
			line++
			continue
		}
		if !control(r) {
			continue
		}
		if counts == nil {
			counts = Counts{}
		}
		counts[r]++
		if len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	return counts, lines
}

func control(r rune) bool {
	switch {
	case r < ' ':
		return r != '\t' && r != '\n' && r != '\r'
	case r < 0x200E:
		return r == 0x7F
	}
	return r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
