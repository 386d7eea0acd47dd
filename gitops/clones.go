package gitops

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

// Name is how a person calls the turn: its number, behind the clone's id and a
// slash if it is another clone's: "7", "0a1b2c3d/7".
func (t *Turn) Name() string {
	if t.Clone == "" {
		return strconv.Itoa(t.N)
	}
	return t.Clone + "/" + strconv.Itoa(t.N)
}

// ref is the name of the ref of a closed turn.
func (t *Turn) ref() string {
	if t.Clone == "" {
		return turnRef(t.N)
	}
	return clonesPrefix + t.Name()
}

// ParseName takes the name of a turn apart, as [Turn.Name] gives it. The clone is
// empty for a turn of this one.
func ParseName(name string) (clone string, n int, ok bool) {
	if strings.Contains(name, "/") {
		return parseClone(clonesPrefix + name)
	}
	n, err := strconv.Atoi(name)
	return "", n, err == nil && n > 0
}

// Clones are the ids of the clones of which turns were fetched, sorted.
func (r *Repo) Clones() ([]string, error) {
	refs, err := r.refs.List(clonesPrefix)
	if err != nil {
		return nil, trouble(edit.Damaged, "the turns of other clones cannot be listed", err)
	}
	var ids []string
	for _, x := range refs {
		if id, _, ok := parseClone(x.Name); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// CloneTurns yields the turns that were fetched of another clone, of all its
// worktrees, newest first. One that cannot be read or understood is an error; the
// others follow.
func (r *Repo) CloneTurns(clone string) iter.Seq2[*Turn, error] {
	return func(yield func(*Turn, error) bool) {
		list, err := r.numbers(clonesPrefix + clone + "/")
		if err != nil {
			yield(nil, trouble(edit.Damaged, "the turns of clone "+clone+" cannot be listed", err))
			return
		}
		for _, n := range slices.Backward(list) {
			if !yield(r.CloneTurn(clone, n)) {
				return
			}
		}
	}
}

// CloneTurn reads turn n of another clone. Errors are those of [Repo.Turn]; a turn
// that says what cannot be, or that a newer chordgit made, is Damaged.
func (r *Repo) CloneTurn(clone string, n int) (*Turn, error) {
	t := &Turn{N: n, Clone: clone}
	if _, _, ok := parseClone(t.ref()); !ok {
		return nil, t.missing()
	}
	if err := r.readInto(t, t.ref()); err != nil {
		return nil, err
	}
	// Others wrote it: nothing of it is shown that a turn cannot say.
	if err := t.usable(); err != nil {
		return nil, err
	}
	if t.Status == StatusOpen {
		return nil, t.damaged(errors.New("it is not closed"))
	}
	return t, nil
}

// CloneUndone is [Repo.Undone] for another clone.
func (r *Repo) CloneUndone(clone string) map[int]int { return undone(r.CloneTurns(clone)) }

// readInto reads the turn behind a ref.
func (r *Repo) readInto(t *Turn, name string) error {
	id, err := r.refs.Read(name)
	if errors.Is(err, ref.ErrNotFound) {
		return t.missing()
	}
	if err == nil {
		err = r.loadInto(t, id)
	}
	if err != nil {
		return t.damaged(err)
	}
	return nil
}

func (t *Turn) missing() error {
	return &edit.Error{Code: edit.NoTurn, Msg: "no such turn: " + t.Name()}
}

// damaged says that the turn cannot be used, unless an error says more.
func (t *Turn) damaged(err error) error {
	var known *edit.Error
	if errors.As(err, &known) {
		return err
	}
	return &edit.Error{Code: edit.Damaged, Msg: fmt.Sprintf("turn %s is damaged", t.Name()), Err: err}
}

func damaged(n int, err error) error { return (&Turn{N: n}).damaged(err) }
