package gitops

import (
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// told is what a person is told of a conflict.
func (s *step) told(path string, turn int) Conflict {
	c := Conflict{Turn: turn, Before: s.before != nil, After: s.after != nil}
	c.Now = s.now.Regular() || s.now.IsLink()
	switch {
	case s.wall != "":
		c.InWay, c.Now = s.wall, false
	case s.now != nil && !c.Now:
		c.InWay = path
	case s.why != "occupied":
		c.Force = true
	}
	return c
}

// explain says what a conflict's reason means here.
func (p *rewinder) explain(s *step) string {
	n := p.d.turn.N
	switch s.why {
	case "gone since":
		if s.wall != "" {
			return fmt.Sprintf("%s is %s now", edit.Quote(s.wall), s.kind)
		}
		return fmt.Sprintf("turn %d left a file here that is no longer there", n)
	case "exists again":
		return fmt.Sprintf("turn %d removed it, and there is another one now", n)
	case "kind":
		return fmt.Sprintf("it is %s now", s.now.KindName())
	case "link":
		return fmt.Sprintf("the link has another target than turn %d gave it", n)
	case "binary":
		return fmt.Sprintf("changed since turn %d, and no text that could be merged", n)
	case whyUnreadable:
		return "it cannot be read now: permission denied"
	case "overlap":
		if s.note != "" {
			return s.note
		}
		return fmt.Sprintf("changed since turn %d where that changed it (%s)", n, lineWords(s.lines))
	case "in use":
		if s.who != "" {
			return "it is open for writing in " + edit.Quote(s.who)
		}
		return "another program has it open for writing"
	case "unstable":
		return "a program was writing to it when the turn began: what is stored may be a mixture"
	case "occupied":
		return "it goes only together with paths that cannot go"
	case NotYours:
		return "an agent takes back only what its own session wrote"
	case OwnerAmbiguous:
		return fmt.Sprintf("turn %d and others were at work when it changed: --owner self,ambiguous takes it back", n)
	}
	return fmt.Sprintf("changed since turn %d", n)
}

// lineWords names lines.
func lineWords(lines []int) string {
	switch {
	case len(lines) == 0:
		return "all of it"
	case len(lines) == 1:
		return fmt.Sprintf("line %d", lines[0])
	case len(lines) > 10:
		return fmt.Sprintf("lines %d to %d", lines[0], lines[len(lines)-1])
	}
	return "lines " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(lines)), ", "), "[]")
}
