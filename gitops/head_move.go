package gitops

import (
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// The codes of notes about git's own state: files that came with a move of HEAD
// and stay, and what of HEAD, branches and index is taken back or not.
const (
	HeadMoved   edit.Code = "head-moved"
	GitRestored edit.Code = "git"
	GitLeft     edit.Code = "git-left"
	Sparse      edit.Code = "sparse" // files that a sparse checkout hides
)

// A HeadMove tells how HEAD moved in a turn other than by the turn's own commits.
type HeadMove struct {
	Kinds []string `json:"kinds"` // switch, pull, merge, rebase, reset, cherry-pick, revert, am; move: unknown
	From  string   `json:"from"`  // what HEAD was at: a branch and a short id, as "main 10e14f7"
	To    string   `json:"to"`
	Files int      `json:"files"` // how many came with it
}

// HeadMove returns how HEAD moved in the turn, nil if it did not.
func (t *Turn) HeadMove() *HeadMove {
	g := &t.meta.Git
	if len(g.Moves) == 0 {
		return nil
	}
	m := &HeadMove{From: t.meta.Head.Before.short(), To: t.meta.Head.After.short(), Files: g.Carried}
	seen := map[string]bool{}
	for _, x := range g.Moves {
		kind := x.Kind
		if kind == moveSwitch && t.meta.Head.After.Ref == "" {
			kind = "checkout"
		}
		if !seen[kind] {
			seen[kind] = true
			m.Kinds = append(m.Kinds, kind)
		}
	}
	return m
}

// short is HEAD in few words.
func (h metaHead) short() string {
	id := h.OID
	switch {
	case h.Ref == "":
		return "detached " + shortID(id)
	case id == "":
		return shortRef(h.Ref) + " (no commit)"
	}
	return shortRef(h.Ref) + " " + shortID(id)
}

func shortID(id string) string { return id[:min(len(id), 7)] }

func shortRef(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "refs/heads/"), "refs/")
}

// moveWords are the kinds of move with an article: at length, and once it was
// spoken of.
var moveWords = map[string][2]string{
	moveSwitch:  {"the branch switch", "the switch"},
	moveReset:   {"the reset of the branch", "the reset"},
	moveUnknown: {"a move of HEAD", "the move"},
}

// With names the moves: "the branch switch", "the pull and the reset".
func (m *HeadMove) With() string { return m.words(0) }

func (m *HeadMove) words(which int) string {
	var list []string
	for _, kind := range m.Kinds {
		w := moveWords[kind][which]
		if w == "" {
			w = "the " + kind
		}
		list = append(list, w)
	}
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return list[0]
}

// Came says what came with the moves, empty if nothing did: "412 files came with
// the branch switch".
func (m *HeadMove) Came() string {
	switch m.Files {
	case 0:
		return ""
	case 1:
		return "1 file came with " + m.With()
	}
	return fmt.Sprintf("%d files came with %s", m.Files, m.With())
}

// stay says that n of these files stay in a rewind, and what takes them back;
// asked: it was asked for, and cannot be.
func (m *HeadMove) stay(n int, asked bool) string {
	of := *m
	of.Files = n
	verb := "stay"
	if n == 1 {
		verb = "stays"
	}
	if asked {
		return fmt.Sprintf("%s and %s with it", of.Came(), verb)
	}
	return fmt.Sprintf("%s and %s; --git takes %s back", of.Came(), verb, of.words(1))
}
