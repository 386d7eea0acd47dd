package glob

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

// A List answers which of a list of globs is the first to match a name. It
// remembers what it found of directories, so it is used by one goroutine at a
// time.
type List struct {
	fold, widen bool
	exact       map[string]int       // the first glob that names a path
	heads       map[string][]pattern // by the component that every match begins with
	tails       map[byte][]pattern   // of the others, by the byte that every match ends in
	rest        []pattern
	names       []string       // the paths that globs name
	dirs        map[string]int // what covers a directory
}

// A pattern is one alternative with wildcards. The literal texts that a name
// must have are looked at before it is matched.
type pattern struct {
	glob                  int
	text                  string
	prefix, suffix, inner string
}

// None is the answer of a List that has no glob for a name.
const None = -1

// NewList makes a list. With fold, letter case does not count; with widen, a
// glob that matches a directory matches what lies below it.
func NewList(globs []Glob, fold, widen bool) *List {
	l := &List{fold: fold, widen: widen, exact: map[string]int{}, heads: map[string][]pattern{}, tails: map[byte][]pattern{}, dirs: map[string]int{}}
	for i, g := range globs {
		for _, alt := range g.alternatives {
			l.add(i, alt)
		}
	}
	return l
}

func (l *List) add(i int, alt string) {
	name, ok := literal(alt)
	if ok {
		if l.fold {
			name = Fold(name)
		}
		l.names = append(l.names, name)
	} else if head, below := strings.CutSuffix(alt, "/**"); below && l.widen {
		// What lies below it is covered anyway.
		if name, ok = literal(head); l.fold {
			name = Fold(name)
		}
	}
	if ok {
		if _, taken := l.exact[name]; !taken {
			l.exact[name] = i
		}
		return
	}
	if l.fold {
		alt, _ = classes(alt, true) // Parse has checked them
		alt = foldPattern(alt)
	}
	p := pattern{glob: i, text: alt}
	p.prefix, p.suffix, p.inner = literals(alt)
	head, _, whole := strings.Cut(p.prefix, "/")
	switch {
	case whole:
		l.heads[head] = append(l.heads[head], p)
	case p.suffix != "":
		end := p.suffix[len(p.suffix)-1]
		l.tails[end] = append(l.tails[end], p)
	default:
		l.rest = append(l.rest, p)
	}
}

// foldPattern folds what stands outside of classes.
func foldPattern(s string) string {
	var b strings.Builder
	for s != "" {
		n := strings.IndexAny(s, `[\`)
		if n < 0 {
			n = len(s)
		}
		b.WriteString(Fold(s[:n]))
		if s = s[n:]; s == "" {
			break
		}
		n = 1
		if s[0] == '[' {
			n = classLength(s)
		} else if _, size := utf8.DecodeRuneInString(s[1:]); size > 0 {
			b.WriteString(`\` + Fold(s[1:1+size]))
			s = s[1+size:]
			continue
		}
		b.WriteString(s[:n])
		s = s[n:]
	}
	return b.String()
}

// literals are texts that every match of a pattern begins with, ends in, and
// holds.
func literals(s string) (prefix, suffix, inner string) {
	var runs []string
	from := 0
	end := func(at, next int) {
		runs = append(runs, s[from:at])
		from = next
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			end(i, i+1) // what follows belongs to the next text
			i++
		case '[':
			n := classLength(s[i:])
			end(i, i+n)
			i += n - 1
		case '?':
			end(i, i+1)
		case '*':
			at, next := i, i+1
			if strings.HasPrefix(s[i:], "**") {
				// It matches no component as well, and then one slash goes.
				next++
				if next < len(s) {
					next++
				} else if at > 0 {
					at--
				}
			}
			end(max(at, from), next)
			i = next - 1
		}
	}
	end(len(s), len(s))
	for _, run := range runs {
		if len(run) > len(inner) {
			inner = run
		}
	}
	return runs[0], runs[len(runs)-1], inner
}

// Normal is the form in which a List compares a name.
func (l *List) Normal(name string) string {
	if l == nil {
		return name
	}
	if !norm.NFC.IsNormalString(name) && utf8.ValidString(name) {
		name = norm.NFC.String(name)
	}
	if l.fold {
		name = Fold(name)
	}
	return name
}

// Match returns the index of the first glob that matches a name, or with widen a
// directory above it, [None] if there is none.
func (l *List) Match(name string) int {
	if l == nil {
		return None
	}
	name = l.Normal(name)
	found := l.itself(name)
	if !l.widen {
		return found
	}
	return first(found, l.dir(path.Dir(name)))
}

// By returns the directory above a name that the glob which Match found matches,
// empty if it is the name itself.
func (l *List) By(name string, found int) string {
	name = l.Normal(name)
	for at := name; at != "." && at != "/"; at = path.Dir(at) {
		if l.itself(at) != found {
			continue
		}
		if at == name {
			return ""
		}
		return at
	}
	return ""
}

// dir is what covers a directory and so all below it.
func (l *List) dir(name string) int {
	if name == "." || name == "/" {
		return None
	}
	found, known := l.dirs[name]
	if !known {
		found = first(l.itself(name), l.dir(path.Dir(name)))
		if len(l.dirs) >= 1<<16 {
			clear(l.dirs)
		}
		l.dirs[name] = found
	}
	return found
}

func first(a, b int) int {
	if a == None || b != None && b < a {
		return b
	}
	return a
}

// itself looks at a name alone.
func (l *List) itself(name string) int {
	if name == "" {
		return None
	}
	found, ok := l.exact[name]
	if !ok {
		found = None
	}
	head, _, _ := strings.Cut(name, "/")
	for _, group := range [][]pattern{l.heads[head], l.tails[name[len(name)-1]], l.rest} {
		found = first(found, firstOf(group, name, found))
	}
	return found
}

// firstOf finds the first pattern that matches, if it comes before a glob that
// was found.
func firstOf(group []pattern, name string, before int) int {
	for i := range group {
		p := &group[i]
		if before != None && p.glob > before {
			break // they are in the order of the list
		}
		if strings.HasPrefix(name, p.prefix) && strings.HasSuffix(name, p.suffix) && strings.Contains(name, p.inner) && doublestar.MatchUnvalidated(p.text, name) {
			return p.glob
		}
	}
	return None
}

// Below returns the index of the first glob that names, without wildcards, a
// path below a directory, and that path.
func (l *List) Below(dir string) (int, string) {
	if l == nil {
		return None, ""
	}
	dir = l.Normal(dir) + "/"
	found, which := None, ""
	for _, name := range l.names {
		if i := l.exact[name]; strings.HasPrefix(name, dir) && (found == None || i < found) {
			found, which = i, name
		}
	}
	return found, which
}
