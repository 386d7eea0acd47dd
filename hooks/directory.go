package hooks

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks/internal/glob"
)

// walkMost is how many entries of a directory are judged when it is removed.
const walkMost = 50_000

// isDir reports whether the end is a directory, on disk or tracked.
func (e *end) isDir() bool {
	f, err := e.lookup(e.resolved)
	if err != nil {
		e.undecided(err)
	}
	return f.IsDir()
}

var errEnough = errors.New("enough")

// below judges what goes with a directory.
func (e *end) below() {
	for i, l := range e.layers {
		tables := []*table{l.tables[Put], l.tables[Delete]}
		if e.moving {
			tables = append(tables, l.tables[Move])
		}
		for _, t := range tables {
			if n, name := t.deny.Below(e.resolved); n != glob.None {
				f := l.finding(i, Deny, ClassRule, t.name+".deny", e.resolved, t.rules.Deny[n], "")
				f.Holds = name
				e.say(f)
			}
			if n, name := t.ask.Below(e.resolved); n != glob.None {
				f := l.finding(i, Ask, ClassAsk, t.name+".ask", e.resolved, t.rules.Ask[n], "")
				f.Holds = name
				e.say(f)
			}
		}
	}
	if e.site.Tree == nil {
		return
	}
	count, denied := 0, false
	err := e.site.Tree.Walk(e.resolved, func(name string) error {
		if count++; count > walkMost {
			return fmt.Errorf("%s holds more than %d entries", edit.Quote(e.resolved), walkMost)
		}
		if e.moving {
			e.contents = append(e.contents, strings.TrimPrefix(name, e.resolved))
		}
		if !denied {
			inner := *e
			inner.findings = nil
			inner.at(name)
			denied = e.holds(&inner)
		}
		if denied && !e.moving {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		e.undecided(err)
	}
}

// holds takes over what stands against something in a directory, the strictest
// alone, and reports whether it is denied.
func (e *end) holds(inner *end) bool {
	v := Strictest(inner.findings)
	if v == Allow {
		return false
	}
	i := slices.IndexFunc(inner.findings, func(f Finding) bool { return f.Verdict == v })
	f := inner.findings[i]
	f.Name, f.Holds = e.resolved, inner.resolved
	if !slices.ContainsFunc(e.findings, func(old Finding) bool { return old.Verdict == v && old.Holds != "" && old.Class == f.Class }) {
		e.findings = append(e.findings, f)
	}
	return v == Deny
}
