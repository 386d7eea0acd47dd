package gitstate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/ref"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// A Move is a step of HEAD that was no commit of the turn's.
type Move struct {
	Kind string `json:"kind"`
	From string `json:"from,omitempty"` // commits; empty: none
	To   string `json:"to,omitempty"`
}

// The kinds of move, as the reflog's messages begin.
const (
	moveUnknown = "move" // nothing says what it was
	moveSwitch  = "switch"
	moveReset   = "reset"
)

var moveKinds = []struct{ prefix, kind string }{
	{"checkout", moveSwitch}, {"pull", "pull"}, {"initial pull", "pull"}, {"merge", "merge"}, {"commit (merge)", "merge"},
	{"rebase", "rebase"}, {"reset", moveReset}, {"cherry-pick", "cherry-pick"}, {"commit (cherry-pick)", "cherry-pick"},
	{"revert", "revert"}, {"am", "am"},
}

// moveKind reads a reflog's message; empty: a commit, which is work.
func moveKind(message string) string {
	for _, work := range []string{"commit: ", "commit (amend): ", "commit (initial): "} {
		if strings.HasPrefix(message, work) {
			return ""
		}
	}
	for _, k := range moveKinds {
		rest, ok := strings.CutPrefix(message, k.prefix)
		if ok && (rest == "" || strings.ContainsRune(" :(", rune(rest[0]))) {
			return k.kind
		}
	}
	return moveUnknown
}

// headMoves tells the moves among the steps of HEAD from one commit to another,
// oldest first. What the log does not tell is a move, too. The steps of one
// rebase or pull are one move: what it takes away and puts back did not come
// with it.
func headMoves(log []ref.LogEntry, before, after string) (moves []Move) {
	joins := false // the next step may continue the last move
	add := func(kind, from, to string) {
		if n := len(moves); joins && (kind == "rebase" || kind == "pull") && moves[n-1].Kind == kind {
			moves[n-1].To = to
		} else if from != to {
			moves = append(moves, Move{kind, from, to})
		}
		joins = len(moves) > 0 && moves[len(moves)-1].To == to && moves[len(moves)-1].Kind == kind
	}
	at := before
	for _, e := range log {
		from, to := oid(e.Old), oid(e.New)
		if from != at {
			add(moveUnknown, at, from)
		}
		if kind := moveKind(e.Message); kind != "" {
			add(kind, from, to)
		} else {
			joins = false
		}
		at = to
	}
	if at != after {
		add(moveUnknown, at, after)
	}
	return slices.DeleteFunc(moves, func(m Move) bool { return m.From == m.To })
}

// oid is an object's name, empty for none.
func oid(id object.ID) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// treeOf is the tree of a commit, zero for none.
func (st *State) treeOf(commit string) (object.ID, error) {
	if commit == "" {
		return object.ID{}, nil
	}
	id, ok := object.ParseID(commit)
	if !ok {
		return object.ID{}, fmt.Errorf("%s is no commit", edit.Quote(commit))
	}
	return object.PeelToTree(st.DB, id)
}

// MovedNested reports whether HEAD of a repository below the top went from one
// commit to another otherwise than by commits. Its whole reflog is read, of which
// the steps since it was last at the first commit count.
func MovedNested(l *repo.Layout, before, after string) (bool, error) {
	log, _, err := ref.ReadLog(headLog(l), ref.LogMark{})
	if err != nil {
		return false, err
	}
	from := len(log) // the latest step away from where it was
	for from > 0 {
		if from--; oid(log[from].Old) == before {
			break
		}
	}
	return len(headMoves(log[from:], before, after)) > 0, nil
}

// Came is what came with the moves of HEAD in a turn: H is its tree at the start, C
// is H with each move laid over it in order. A path that was as in H and is as in C
// merely came with them.
type Came struct {
	Paths map[string]object.Difference // from H to C
	Lost  bool                         // a commit cannot be read: nobody can tell
}

// moves finds what came with moves of HEAD.
// Where the begin of the log is not known, the steps in it may be older than the
// turn: then only the two ends of HEAD tell, and any difference is a move.
func (e *End) moves(st *State, start *Start, after Head, batch *object.Batch) error {
	var log []ref.LogEntry
	if start.Noted {
		read, ok, err := ref.ReadLog(headLog(st.Layout), start.Log)
		if err != nil {
			return logUnreadable(err)
		}
		if ok {
			log = read
		}
	}
	m := &e.Record
	m.Moves = headMoves(log, start.Head.OID, after.OID)
	if len(m.Moves) > 0 {
		if err := e.lay(st, start.Head.OID, batch); err != nil {
			// Without these commits, as in a shallow clone whose history is not all
			// here, nothing is known to be the turn's own.
			e.Came.Lost = true
		}
	}
	return nil
}

// lay makes the two trees.
func (e *End) lay(st *State, start string, batch *object.Batch) error {
	head, err := st.treeOf(start)
	if err != nil {
		return err
	}
	changes := map[string]*object.Leaf{}
	for _, m := range e.Record.Moves {
		from, err1 := st.treeOf(m.From)
		to, err2 := st.treeOf(m.To)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("a commit that HEAD was at: %w", firstError(err1, err2))
		}
		diff, err := object.Diff(st.DB, from, to)
		if err != nil {
			return err
		}
		for _, d := range diff {
			changes[d.Path] = leafOf(d.After)
		}
	}
	carried, err := batch.Overlay(head, changes)
	if err != nil {
		return err
	}
	diff, err := object.Diff(batch, head, carried)
	if err != nil || len(diff) == 0 {
		return err
	}
	for name, id := range map[string]object.ID{treeHead: head, treeCarried: carried} {
		if id.IsZero() { // no commit yet: an empty tree, which is an object here
			if id, err = batch.Object(object.Tree, nil); err != nil {
				return err
			}
		}
		e.Trees[name] = id
	}
	e.Came.Paths = make(map[string]object.Difference, len(diff))
	for _, d := range diff {
		e.Came.Paths[d.Path] = d
	}
	return nil
}

func firstError(errs ...error) error {
	return errs[slices.IndexFunc(errs, func(err error) bool { return err != nil })]
}

// leafOf is a tree's entry as Overlay takes it, with one of today's modes; nil
// for none.
func leafOf(e object.Entry) *object.Leaf {
	if e.ID.IsZero() {
		return nil
	}
	mode := e.Mode
	if mode&0o170000 == 0o100000 {
		if mode = object.File; e.Mode&0o100 != 0 {
			mode = object.Executable
		}
	}
	return &object.Leaf{Mode: mode, ID: e.ID}
}
