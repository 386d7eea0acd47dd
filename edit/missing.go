package edit

import (
	"path"
	"strings"
	"unicode/utf8"
)

const (
	namesMost = 50_000 // names that are compared for one missing path
	namesTold = 3      // names that a message proposes
)

// missing says that there is no such file, and which one may have been meant:
// names that differ in letter case, in one character, in a backslash, or only
// in the directory.
func (r *run) missing() Errors {
	e := &Error{Code: Missing, Msg: "file not found"}
	// Each message reads the index; a request of many missing files reads it
	// for a few of them.
	if r.listings == 0 {
		return Errors{e}
	}
	r.listings--
	if near := nearNames(r.path, r.tree.Names(path.Dir(r.path), namesMost)); len(near) > 0 {
		e.Facts = []string{"there is " + strings.Join(near, ", ")}
	}
	return Errors{e}
}

// nearNames returns the names that are most like a missing one, nearest first.
func nearNames(missing string, names []string) []string {
	base := path.Base(missing)
	slashed := strings.ReplaceAll(missing, `\`, "/")
	var ranked [4][]string
	seen := map[string]bool{missing: true}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		var rank int
		switch {
		case strings.EqualFold(name, missing):
			rank = 0
		case name == slashed || strings.ReplaceAll(name, `\`, "/") == slashed:
			rank = 1
		case oneApart(name, missing):
			rank = 2
		case path.Base(name) == base:
			rank = 3
		default:
			continue
		}
		if len(ranked[rank]) < namesTold {
			ranked[rank] = append(ranked[rank], Quote(name))
		}
	}
	var near []string
	for _, r := range ranked {
		near = append(near, r...)
	}
	return near[:min(len(near), namesTold)]
}

// oneApart reports whether two names differ in one character: replaced, added
// or left out.
func oneApart(a, b string) bool {
	if d := len(a) - len(b); d > utf8.UTFMax || d < -utf8.UTFMax {
		return false
	}
	x, y := []rune(a), []rune(b)
	if len(x) < len(y) {
		x, y = y, x
	}
	if len(x)-len(y) > 1 {
		return false
	}
	i := 0
	for i < len(y) && x[i] == y[i] {
		i++
	}
	if len(x) == len(y) {
		return i < len(x) && string(x[i+1:]) == string(y[i+1:])
	}
	return string(x[i+1:]) == string(y[i:])
}
