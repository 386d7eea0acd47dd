package seed

import (
	"bytes"
	"strings"
)

// The attributes by which git converts content. A path for which one of them
// has a value is in doubt.
var converting = [...]string{"text", "eol", "crlf", "filter", "ident", "working-tree-encoding"}

// Limits of what is read. Beyond them programs differ: git passes over long
// lines, old ones broke them in two.
const (
	maxFile = 1 << 20
	maxLine = 2000
)

// A line is one line of an attribute file that a path may match.
type line struct {
	pattern  string // without a slash at the start
	byName   bool   // matches the last part of a path
	unsure   bool   // git may ignore the line, or the pattern is not known
	mentions []mention
}

// A mention is what a line says of one attribute.
type mention struct {
	name  string
	value value
}

type value uint8

const (
	set       value = iota // "text"
	given                  // "text=auto"
	unset                  // "-text"
	undecided              // "!text"
)

// A macro is a name for several mentions.
type macro struct {
	name     string
	unsure   bool
	mentions []mention
}

// parse reads an attribute file. It is not ok if the file is one that git
// may read in another way.
func parse(data []byte) (lines []line, macros []macro, ok bool) {
	if len(data) > maxFile || bytes.IndexByte(data, 0) >= 0 {
		return nil, nil, false
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for text := range strings.SplitSeq(string(data), "\n") {
		if len(text) > maxLine {
			return nil, nil, false
		}
		text = strings.TrimLeft(text, blanks)
		if text == "" || text[0] == '#' {
			continue
		}
		if text[0] == '"' {
			// A quoted pattern may hold blanks. Whatever it is, it may match;
			// but it must not be a macro.
			if strings.HasPrefix(text, `"[`) || strings.HasPrefix(text, `"\`) {
				return nil, nil, false
			}
			mentions, _ := parseMentions(strings.ReplaceAll(text, `"`, " "))
			lines = append(lines, line{unsure: true, mentions: mentions})
			continue
		}
		name, rest := word(text)
		mentions, valid := parseMentions(rest)
		if name, isMacro := strings.CutPrefix(name, "[attr]"); isMacro && name != "" {
			macros = append(macros, macro{name, !valid || !validName(name), mentions})
			continue
		}
		if name[0] == '!' || strings.HasSuffix(name, "/") {
			continue // git has no such patterns, and a file is no directory
		}
		l := line{pattern: strings.TrimPrefix(name, "/"), byName: !strings.Contains(name, "/"), unsure: !valid, mentions: mentions}
		lines = append(lines, l)
	}
	return lines, macros, true
}

const blanks = " \t\r"

func word(s string) (first, rest string) {
	if i := strings.IndexAny(s, blanks); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// parseMentions is not valid if git ignores the line, or a newer one does.
func parseMentions(s string) (mentions []mention, valid bool) {
	valid = true
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(blanks, r) }) {
		m := mention{name: w}
		switch w[0] {
		case '-':
			m = mention{w[1:], unset}
		case '!':
			m = mention{w[1:], undecided}
		}
		if name, _, ok := strings.Cut(m.name, "="); ok {
			if m.name = name; m.value == set {
				m.value = given
			}
		}
		valid = valid && validName(m.name)
		mentions = append(mentions, m)
	}
	return mentions, valid
}

func validName(name string) bool {
	if name == "" || name[0] == '-' || strings.HasPrefix(name, "builtin_") {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !plain(c) && c != '-' {
			return false
		}
	}
	return true
}
