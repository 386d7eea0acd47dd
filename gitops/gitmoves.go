package gitops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

// OwnerGit is the owner of a path that came with a move of HEAD: a checkout, a
// pull, a merge. It stays without HEAD's own way back.
const OwnerGit = "git"

// metaMove is a step of HEAD that was no commit of the turn's.
type metaMove struct {
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
func headMoves(log []ref.LogEntry, before, after string) (moves []metaMove) {
	joins := false // the next step may continue the last move
	add := func(kind, from, to string) {
		if n := len(moves); joins && (kind == "rebase" || kind == "pull") && moves[n-1].Kind == kind {
			moves[n-1].To = to
		} else if from != to {
			moves = append(moves, metaMove{kind, from, to})
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
	return slices.DeleteFunc(moves, func(m metaMove) bool { return m.From == m.To })
}

// oid is an object's name, empty for none.
func oid(id object.ID) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// treeOf is the tree of a commit, zero for none.
func (r *Repo) treeOf(commit string) (object.ID, error) {
	if commit == "" {
		return object.ID{}, nil
	}
	id, ok := object.ParseID(commit)
	if !ok {
		return object.ID{}, fmt.Errorf("%s is no commit", edit.Quote(commit))
	}
	return object.PeelToTree(r.db, id)
}

// A cargo is what the moves of HEAD brought.
type cargo struct {
	head, carried object.ID                    // HEAD's tree at the start, and with the moves laid over it
	paths         map[string]object.Difference // in which these differ
	lost          bool                         // a commit cannot be read: nobody can tell
	owners        map[string]string
}

// carry finds what came with moves of HEAD: H is its tree at the start, C is H
// with each move laid over it in order. A path that was as in H and is as in C
// merely came with them.
// Where the begin of the log is not known, the steps in it may be older than the
// turn: then only the two ends of HEAD tell, and any difference is a move.
func (e *ending) carry(start *gitStart, noted bool) error {
	r, m := e.r, &e.meta.Git
	var log []ref.LogEntry
	if noted {
		read, ok, err := ref.ReadLog(r.headLog(), start.Log)
		if err != nil {
			return trouble(edit.Unreadable, "the reflog of HEAD cannot be read", err)
		}
		if ok {
			log = read
		}
	}
	m.Moves = headMoves(log, e.meta.Head.Before.OID, e.meta.Head.After.OID)
	if len(m.Moves) > 0 {
		if err := e.lay(m.Moves); err != nil {
			// Without these commits, as in a shallow clone whose history is not all
			// here, nothing is known to be the turn's own.
			e.cargo.lost = true
		}
	}
	return e.judgeCargo()
}

// lay makes the two trees.
func (e *ending) lay(moves []metaMove) (err error) {
	g := &e.cargo
	if g.head, err = e.r.treeOf(e.meta.Head.Before.OID); err != nil {
		return err
	}
	changes := map[string]*object.Leaf{}
	for _, m := range moves {
		from, err1 := e.r.treeOf(m.From)
		to, err2 := e.r.treeOf(m.To)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("a commit that HEAD was at: %w", firstError(err1, err2))
		}
		diff, err := object.Diff(e.r.db, from, to)
		if err != nil {
			return err
		}
		for _, d := range diff {
			changes[d.Path] = leafOf(d.After)
		}
	}
	if g.carried, err = e.c.batch.Overlay(g.head, changes); err != nil {
		return err
	}
	diff, err := object.Diff(e.c.batch, g.head, g.carried)
	if err != nil {
		return err
	}
	if len(diff) == 0 {
		return nil
	}
	for name, id := range map[string]object.ID{gitHead: g.head, gitCarried: g.carried} {
		if id.IsZero() { // no commit yet: an empty tree, which is an object here
			if id, err = e.c.batch.Object(object.Tree, nil); err != nil {
				return err
			}
		}
		e.gitTrees[name] = id
	}
	g.paths = make(map[string]object.Difference, len(diff))
	for _, d := range diff {
		g.paths[d.Path] = d
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

// judgeCargo finds the owner of each path that came with a move, or of which
// that cannot be told.
func (e *ending) judgeCargo() error {
	g, m := &e.cargo, &e.meta.Git
	g.owners = map[string]string{}
	if g.lost {
		for _, d := range e.diff {
			g.owners[d.Path] = OwnerAmbiguous
		}
		return nil
	}
	nested, err := e.movedNested()
	if err != nil {
		return err
	}
	var list []object.Difference
	for _, d := range e.diff {
		if _, ok := g.paths[d.Path]; ok {
			list = append(list, d)
		}
		if below(d.Path, nested) {
			g.owners[d.Path] = OwnerAmbiguous
		}
	}
	if len(list) == 0 {
		return nil
	}
	c, err := e.comparison(list)
	if err != nil {
		return err
	}
	defer c.close()
	for i, d := range list {
		h := g.paths[d.Path]
		switch {
		case !c.same(d.Path, d.Before, h.Before):
		case c.same(d.Path, d.After, h.After) || c.unchanged(i, h.After):
			g.owners[d.Path] = OwnerGit
			m.Carried++
		case c.converts(d.Path) && !h.After.ID.IsZero():
			g.owners[d.Path] = OwnerAmbiguous
			fallthrough
		default:
			m.Edited = append(m.Edited, pathcode.Encode(d.Path))
		}
	}
	return nil
}

// movedNested lists the repositories below the top whose own HEAD moved, other
// than by commits.
func (e *ending) movedNested() (moved []string, err error) {
	for _, n := range e.meta.Nested {
		if n.Made || n.Before == n.After || n.Before == "" || n.After == "" {
			continue
		}
		p := pathcode.Decode(n.Path)
		l := e.r.nestedLayout(p)
		if l == nil {
			continue
		}
		log, _, err := ref.ReadLog(ref.LogFile(l.GitDir, l.CommonDir, "HEAD"), ref.LogMark{})
		if err != nil {
			return nil, trouble(edit.Unreadable, "the reflog of the repository "+edit.Quote(p)+" cannot be read", err)
		}
		from := len(log) // the latest step away from where it was
		for from > 0 {
			if from--; oid(log[from].Old) == n.Before {
				break
			}
		}
		if len(headMoves(log[from:], n.Before, n.After)) > 0 {
			moved = append(moved, p)
		}
	}
	return moved, nil
}
