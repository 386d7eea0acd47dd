package gitops

import (
	"fmt"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
)

// The codes of notes about git's own state: files that came with a move of HEAD
// and stay, and what of HEAD, branches and index is taken back or not.
const (
	HeadMoved   edit.Code = "head-moved"
	GitRestored edit.Code = gitstate.Restored
	GitLeft     edit.Code = gitstate.Left
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
	kinds := t.gitPart().Kinds()
	if kinds == nil {
		return nil
	}
	return &HeadMove{Kinds: kinds, From: t.meta.Head.Before.Short(), To: t.meta.Head.After.Short(), Files: t.meta.Git.Carried}
}

// With names the moves: "the branch switch", "the pull and the reset".
func (m *HeadMove) With() string { return gitstate.Words(m.Kinds, false) }

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
	return fmt.Sprintf("%s and %s; --git takes %s back", of.Came(), verb, gitstate.Words(m.Kinds, true))
}

// leftCame is why a path stays that came with a move of HEAD. Such paths are
// counted, not listed: nobody reads the names of what a pull brought.
const leftCame = "it came with a move of HEAD"

// noteGit says what of a turn stays because it is git's: the files that came with
// moves of HEAD, and what a sparse checkout hides.
func (p *rewinder) noteGit(came int) {
	t := p.d.turn
	if m := t.HeadMove(); came > 0 && m != nil {
		p.notes = append(p.notes, edit.Note{Code: HeadMoved, Msg: m.stay(came, p.opt.Git)})
	}
	p.notes = append(p.notes, t.sparseNote()...)
}
