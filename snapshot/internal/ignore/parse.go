package ignore

import "strings"

// Options are the settings that change what a pattern means.
type Options struct {
	FoldCase bool // core.ignoreCase: ASCII letters match in either case
}

// Rules are the patterns of one ignore file.
type Rules struct {
	name  string
	fold  bool
	rules []rule
	index index
}

// A rule is one line. Its pattern is kept without "!" and without the slash at
// the end, then split as git splits it: bytes before the first special one,
// which are compared, and the rest, which is matched.
type rule struct {
	text    string // the line
	line    int
	kind    kind
	negated bool
	dirOnly bool
	deep    bool   // glob has "**": it matches at any depth from depth on
	depth   int    // slashes that a path must have
	lit     string // lower case if case is folded
	glob    glob   // empty if all of the pattern is literal
}

type kind uint8

const (
	never      kind = iota // matches nothing, as git treats what it cannot read
	byName                 // no slash, no wildcard: the name is lit
	byTail                 // a star and lit
	byNameGlob             // no slash: the name starts with lit and the rest matches glob
	byPath                 // a slash, no wildcard: the path is lit
	byPathGlob             // a slash: the path starts with lit and the rest matches glob
)

// Parse reads the text of an ignore file. Source names it in a [Match]. No text
// is an error: a pattern that git cannot read matches nothing.
//
// A byte order mark at the start is dropped, and so is one CR before a line
// feed or the end of the text, before the blanks at the end are. A line ends at
// a NUL. This is what git 2.39 was seen to do.
func Parse(source string, text []byte, opt Options) *Rules {
	r := &Rules{name: source, fold: opt.FoldCase}
	rest := strings.TrimPrefix(string(text), "\ufeff")
	for n, more := 1, true; more; n++ {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		line = strings.TrimSuffix(line, "\r")
		line, _, _ = strings.Cut(line, "\x00")
		if line = trimBlanks(line); line != "" {
			if rule := parseRule(line, r.fold); rule.kind != never {
				rule.line = n
				r.rules = append(r.rules, rule)
			}
		}
	}
	r.index = newIndex(r.rules)
	return r
}

// trimBlanks drops the blanks at the end of a line, but none after a backslash.
// Tabs stay.
func trimBlanks(s string) string {
	end := len(s)
	for end > 0 && s[end-1] == ' ' {
		end--
	}
	if end == len(s) {
		return s
	}
	slashes := 0
	for slashes < end && s[end-1-slashes] == '\\' {
		slashes++
	}
	return s[:end+slashes%2] // an odd backslash keeps the blank that follows it
}

func parseRule(line string, fold bool) rule {
	r := rule{text: line}
	p := line
	p, r.negated = strings.CutPrefix(p, "!")
	p, r.dirOnly = strings.CutSuffix(p, "/")
	if p == "" {
		return r
	}
	anchored := strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/") // one only: nothing matches "//a"

	n := strings.IndexAny(p, special)
	if n < 0 {
		n = len(p)
	}
	r.lit = p[:n]
	if fold {
		r.lit = lower(r.lit)
	}
	var ok bool
	if r.glob, ok = compile(p[n:], fold); !ok {
		return r
	}
	tail := r.glob.tail()
	if len(tail) == len(r.glob) { // what was special was escaped
		r.lit, r.glob = r.lit+tail, nil
	}
	switch {
	case anchored && r.glob == nil:
		r.kind = byPath
	case anchored:
		r.kind = byPathGlob
	case r.glob == nil:
		r.kind = byName
	case r.lit == "" && len(tail) == len(r.glob)-1 && r.glob[0].kind <= deepStar:
		r.kind, r.lit, r.glob = byTail, tail, nil
	default:
		r.kind = byNameGlob
	}
	r.depth = strings.Count(r.lit, "/") + r.glob.slashes()
	r.deep = r.glob.deep()
	return r
}

// matches reports whether the rule is about e. For the kind byName it assumes
// that the index found it by e.name.
func (r *rule) matches(e *entry, fold bool) bool {
	if r.dirOnly && !e.isDir {
		return false
	}
	switch r.kind {
	case byName:
		return true
	case byTail:
		n := len(e.name) - len(r.lit)
		return n >= 0 && equal(e.name[n:], r.lit, fold)
	case byNameGlob:
		return hasPrefix(e.name, r.lit, fold) && r.glob.match("", e.name[len(r.lit):], fold)
	}
	if e.depth < r.depth || !r.deep && e.depth > r.depth {
		return false
	}
	n := len(r.lit)
	if n <= len(e.dir) {
		return hasPrefix(e.dir, r.lit, fold) && r.glob.match(e.dir[n:], e.name, fold)
	}
	return equal(e.dir, r.lit[:len(e.dir)], fold) &&
		hasPrefix(e.name, r.lit[len(e.dir):], fold) &&
		r.glob.match("", e.name[n-len(e.dir):], fold)
}

// equal compares a name's bytes with a literal, which is in lower case if case
// is folded.
func equal(s, lit string, fold bool) bool {
	return s == lit || fold && len(s) == len(lit) && hasPrefix(s, lit, true)
}

func hasPrefix(s, lit string, fold bool) bool {
	if !fold {
		return strings.HasPrefix(s, lit)
	}
	if len(s) < len(lit) {
		return false
	}
	for i := range len(lit) {
		if lowerByte(s[i]) != lit[i] {
			return false
		}
	}
	return true
}

// lower folds ASCII letters; unlike strings.ToLower it leaves other bytes alone.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lowerByte(c)
	}
	return string(b)
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
