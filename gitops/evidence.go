package gitops

import (
	"slices"
	"time"

	"github.com/chordgit/chordgit/edit"
)

// How far back turns are looked at for who changed a path: whichever is more.
const (
	evidenceTurns = 200
	evidenceAge   = 30 * 24 * time.Hour
)

// PolicyAgent is the Agent of a rewind that puts back what policy denies. What it
// took from the disk may be staged or committed already, and stays an agent's.
const PolicyAgent = "chordgit"

// Evidence tells which changes agents made, by the turns of all worktrees that
// are recorded. It is read when it is first asked.
type Evidence struct {
	r     *Repo
	read  bool
	turns []*witness // newest first, rewinds among them
	open  []*side    // the starts of the turns that are open here
}

// A witness is a turn and, once it was asked, what it left at each path.
type witness struct {
	*Turn
	after map[string]string // object ids, empty: nothing
}

// Evidence is what the recorded turns say.
func (r *Repo) Evidence() *Evidence { return &Evidence{r: r} }

// Oldest is when the oldest recorded turn began; zero if there is none that can
// be read.
func (e *Evidence) Oldest() (time.Time, error) {
	numbers, err := e.r.numbers(turnsPrefix)
	if err != nil {
		return time.Time{}, trouble(edit.Damaged, "the turns cannot be listed", err)
	}
	for _, n := range numbers {
		if t, err := e.r.read(n, turnRef(n)); err == nil {
			return t.Started, nil
		}
	}
	return time.Time{}, nil
}

func (e *Evidence) load() error {
	if e.read {
		return nil
	}
	numbers, err := e.r.numbers(turnsPrefix)
	if err != nil {
		return trouble(edit.Damaged, "the turns cannot be listed", err)
	}
	since := time.Now().Add(-evidenceAge)
	for i, n := range slices.Backward(numbers) {
		t, err := e.r.read(n, turnRef(n))
		if err != nil {
			continue // named by whoever lists the turns
		}
		if len(numbers)-i > evidenceTurns && t.Started.Before(since) {
			break
		}
		e.turns = append(e.turns, &witness{Turn: t})
	}
	open, err := e.r.OpenTurns()
	if err != nil {
		return err
	}
	for _, t := range open {
		before, err := e.r.side(t, "before")
		if err != nil {
			return damaged(t.N, err)
		}
		e.open = append(e.open, before)
	}
	e.read = true
	return nil
}

// Committed is the agents' turn that accounts for what a commit has at a path: one
// that left the same content there, or one that began at a parent and changed the
// path, and was not taken back before the commit was made. Nil: none.
func (e *Evidence) Committed(path string, now Entry, c *Commit) (*Turn, error) {
	return e.find(path, now, c.Parents, c)
}

// Staged is the same for the commit that is being made in this worktree, where
// in addition a turn that is open counts if the path is not what it was at the
// turn's start.
func (e *Evidence) Staged(path string, now Entry, parents []string) (*Turn, error) {
	t, err := e.find(path, now, parents, nil)
	if t != nil || err != nil {
		return t, err
	}
	for _, before := range e.open {
		was, _, err := before.entry(path)
		if err != nil {
			return nil, damaged(before.t.N, err)
		}
		id := ""
		if !was.ID.IsZero() && !was.Mode.IsDir() {
			id = was.ID.String()
		}
		if id != now.ID {
			return before.t, nil
		}
	}
	return nil, nil
}

// find looks for the turn of a commit; nil: it is being made, here.
func (e *Evidence) find(path string, now Entry, parents []string, c *Commit) (*Turn, error) {
	here := c == nil
	if err := e.load(); err != nil {
		return nil, err
	}
	back := map[int]bool{} // turns whose change of the path was taken back
	for _, w := range e.turns {
		after, changed, err := w.at(e.r, path)
		if err != nil {
			return nil, err
		}
		switch {
		case !changed || back[w.N]:
		case w.Kind == KindRewind && (w.Agent == PolicyAgent || !here && w.Started.After(c.Time())): // the commit holds it all the same
		case w.Kind == KindRewind:
			for _, n := range w.Undoes {
				back[n] = true
			}
		case !w.byAgent(path):
		case after == now.ID:
			return w.Turn, nil
		case slices.Contains(parents, w.meta.Head.Before.OID) && (!here || e.r.mine(w.Turn)):
			return w.Turn, nil
		}
	}
	return nil, nil
}

// byAgent reports whether the turn is an agent's and the path its work. What
// begin and run record is taken for an agent's, whoever started it.
func (w *witness) byAgent(path string) bool {
	if w.Kind == KindApply && w.Agent == "" {
		return false
	}
	owner := w.Owner(path)
	return owner == OwnerSelf || owner == OwnerAmbiguous
}

// at tells whether the turn changed a path, and what it left there.
func (w *witness) at(r *Repo, path string) (id string, changed bool, err error) {
	if w.after == nil {
		w.after = map[string]string{}
		changes, err := r.Changes(w.Turn)
		if err != nil {
			return "", false, err
		}
		appeared, err := r.Appeared(w.Turn)
		if err != nil {
			return "", false, err
		}
		for _, c := range append(changes, appeared...) {
			if w.after[c.Path] = ""; c.After != nil {
				w.after[c.Path] = c.After.ID
			}
		}
	}
	id, changed = w.after[path]
	return id, changed, nil
}
