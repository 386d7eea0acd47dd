// Package ignore says what git's ignore rules say: whether an entry of a
// directory is ignored, and which line of which file decided.
//
// It opens no file and knows no settings. The caller parses the text of each
// ignore file ([Parse]), puts those that hold everywhere at the top ([New]),
// enters directories as it walks down ([Level.Enter]) and asks about their
// entries by name ([Level.Ignored]). Names are bytes and need not be UTF-8.
//
// What it refuses to do: judge an entry below an ignored directory (git never
// looks there, so a walk that comes so far has already gone wrong), and know
// what is tracked. Both are the walker's care.
package ignore

// A Level is a directory with all rules that reach it. It never changes, so
// walkers in several goroutines may share one and enter different children.
type Level struct {
	dir   string // from the top, each name followed by a slash; "" at the top
	depth int    // names in dir
	rules *source
}

// A source is the rules of one file, anchored at the directory that holds it.
type source struct {
	*Rules
	base   int // length of that directory's Level.dir
	depth  int
	weaker *source
}

// New returns the top of a tree with the rules that hold in all of it, weakest
// first: those of core.excludesFile, then those of info/exclude. The top's own
// .gitignore is added by own, nil if there is none, as in Enter.
func New(own *Rules, global ...*Rules) *Level {
	l := &Level{}
	for _, r := range global {
		l.add(r)
	}
	l.add(own)
	return l
}

// Enter returns the level of the directory called name in l. Own is what its
// .gitignore says, nil if it has none.
func (l *Level) Enter(name string, own *Rules) *Level {
	sub := &Level{dir: l.dir + name + "/", depth: l.depth + 1, rules: l.rules}
	sub.add(own)
	return sub
}

func (l *Level) add(r *Rules) {
	if r != nil && len(r.rules) > 0 {
		l.rules = &source{Rules: r, base: len(l.dir), depth: l.depth, weaker: l.rules}
	}
}

// Ignored reports whether git ignores the entry called name, provided that it
// does not ignore l's directory. A link to a directory is not a directory.
func (l *Level) Ignored(name string, isDir bool) bool {
	r, _ := l.decide(name, isDir)
	return r != nil && !r.negated
}

// A Match is the line that decided about an entry.
type Match struct {
	Source  string // as given to Parse
	Line    int    // from 1
	Pattern string // as written, without the blanks at the end that do not count
	Negated bool   // it starts with "!": the entry is not ignored
}

// Explain returns the line that decides about the entry called name, as
// git check-ignore -v prints it; ok is false if no line matches.
func (l *Level) Explain(name string, isDir bool) (m Match, ok bool) {
	r, s := l.decide(name, isDir)
	if r == nil {
		return Match{}, false
	}
	return Match{s.name, r.line, r.text, r.negated}, true
}

// decide asks the strongest source first; the first one with an opinion wins.
func (l *Level) decide(name string, isDir bool) (*rule, *source) {
	if name == "" {
		return nil, nil
	}
	for s := l.rules; s != nil; s = s.weaker {
		if i := s.last(&entry{l.dir[s.base:], name, l.depth - s.depth, isDir}); i >= 0 {
			return &s.Rules.rules[i], s
		}
	}
	return nil, nil
}

// An entry is what a rule is asked about: its name and its directory as seen
// from the file that holds the rule.
type entry struct {
	dir, name string
	depth     int // slashes in dir
	isDir     bool
}
