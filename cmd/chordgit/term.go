package main

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	return term.IsTerminal(int(f.Fd()))
}

// coloured reports whether standard output takes colours.
func (a *app) coloured() bool {
	f, ok := a.stdout.(*os.File)
	return ok && !a.noColor && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb" && isTerminal(f)
}

const (
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
	plain = "\x1b[0m"
)

// paint prepares a diff for standard output: on a terminal control characters
// are made visible and lines coloured; elsewhere the bytes stay as they are.
func (a *app) paint(diff string) string {
	f, ok := a.stdout.(*os.File)
	if !ok || !isTerminal(f) {
		return diff
	}
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text := visible(strings.TrimSuffix(line, "\n"))
		switch {
		case !a.coloured():
		case strings.HasPrefix(line, "@@"):
			text = cyan + text + plain
		case strings.HasPrefix(line, "+"):
			text = green + text + plain
		case strings.HasPrefix(line, "-"):
			text = red + text + plain
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// visible replaces control characters, so that a file cannot steer the terminal
// that shows it. TAB stays.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case r < 0x20:
			return r + 0x2400
		case r >= 0x7F && r <= 0x9F:
			return '\u2421'
		}
		return r
	}, s)
}

// isFileTerminal reports whether a stream is a file and a terminal.
func isFileTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isTerminal(f)
}
