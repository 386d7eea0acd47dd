package gitops

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/gitstate"
)

// A Moved is a ref that moved in a turn, HEAD, a branch or a tag, or an entry of the
// list of stashes that came or went.
type Moved struct {
	Name   string `json:"name"`             // "HEAD", the ref's full name, of an entry refs/stash
	From   string `json:"from,omitempty"`   // the branch of HEAD at the start; empty if detached, and of others
	To     string `json:"to,omitempty"`     // the same at the end
	Before string `json:"before,omitempty"` // the object id at the start; empty if there was none
	After  string `json:"after,omitempty"`
	Title  string `json:"title,omitempty"` // of an entry, encoded as paths are
	Gained int    `json:"gained"`          // commits that After has and Before has not; -1: nobody can tell
	Lost   int    `json:"lost"`            // the reverse
}

// Moved lists what git itself moved in a captured turn, HEAD first unless its
// branch says the same.
func (r *Repo) Moved(t *Turn) (list []Moved) {
	if t.Scope != ScopeWorktree || t.Status == StatusOpen {
		return nil
	}
	b, a := t.meta.Head.Before, t.meta.Head.After
	told := b.Ref != "" && b.Ref == a.Ref && slices.ContainsFunc(t.meta.Git.Refs, func(m gitstate.Ref) bool { return m.Name == b.Ref })
	if b != a && !told {
		list = append(list, Moved{Name: "HEAD", From: b.Ref, To: a.Ref, Before: b.OID, After: a.OID})
	}
	for _, m := range t.meta.Git.Refs {
		list = append(list, Moved{Name: m.Name, Before: m.Before, After: m.After})
	}
	for i := range list {
		list[i].Gained, list[i].Lost = r.distance(list[i].Before, list[i].After)
	}
	if m := t.meta.Git.Stash; m != nil {
		for _, s := range m.Went() {
			list = append(list, Moved{Name: gitstate.StashRef, Title: s.Message, Before: s.ID, Gained: -1, Lost: -1})
		}
		for _, s := range m.Came() {
			list = append(list, Moved{Name: gitstate.StashRef, Title: s.Message, After: s.ID, Gained: -1, Lost: -1})
		}
	}
	return list
}

// distance counts the commits between two ids, -1 where git cannot: one of
// them is gone, or there is no git program.
func (r *Repo) distance(before, after string) (gained, lost int) {
	if before == "" || after == "" {
		return -1, -1
	}
	out, err := r.layout.Command("rev-list", "--count", "--left-right", after+"^{commit}..."+before+"^{commit}", "--").Output()
	if err != nil {
		return -1, -1
	}
	left, right, _ := strings.Cut(string(bytes.TrimSpace(out)), "\t")
	gained, err1 := strconv.Atoi(left)
	lost, err2 := strconv.Atoi(right)
	if err1 != nil || err2 != nil {
		return -1, -1
	}
	return gained, lost
}

// String tells the move to a person: "main moved from a1b2c3d to c3d4e5f, 2
// commits".
func (m Moved) String() string {
	short := func(id string) string { return id[:min(len(id), 7)] }
	branch := func(ref string) string {
		if ref == "" {
			return "no branch"
		}
		return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/")
	}
	at := func(id string) string {
		if id == "" {
			return "no commit"
		}
		return short(id)
	}
	name := branch(m.Name)
	switch {
	case m.Name == "HEAD" && m.From != m.To:
		return fmt.Sprintf("HEAD moved from %s (%s) to %s (%s)%s", branch(m.From), at(m.Before), branch(m.To), at(m.After), m.commits())
	case m.Name == "HEAD":
		name = "HEAD"
		if m.From != "" {
			name = branch(m.From)
		}
	case m.Name == gitstate.StashRef && m.Before == "":
		return fmt.Sprintf("stash %s was made%s", short(m.After), gitstate.Stash{Message: m.Title}.Told())
	case m.Name == gitstate.StashRef:
		return fmt.Sprintf("stash %s was removed%s", short(m.Before), gitstate.Stash{Message: m.Title}.Told())
	case m.Before == "":
		return fmt.Sprintf("%s was made at %s", name, short(m.After))
	case m.After == "":
		return fmt.Sprintf("%s was removed, it was at %s", name, short(m.Before))
	}
	return fmt.Sprintf("%s moved from %s to %s%s", name, at(m.Before), at(m.After), m.commits())
}

func (m Moved) commits() string {
	n := func(n int) string {
		if n == 1 {
			return "1 commit"
		}
		return fmt.Sprintf("%d commits", n)
	}
	switch {
	case m.Gained < 0 || m.Gained == 0 && m.Lost == 0:
		return ""
	case m.Lost == 0:
		return ", " + n(m.Gained)
	case m.Gained == 0:
		return ", " + n(m.Lost) + " back"
	}
	return fmt.Sprintf(", %s back and %s on", n(m.Lost), n(m.Gained))
}
