package gitops

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// startOver gives a turn that began right before a rewind, or right after another,
// a start behind the rewind: what that put back is no change of the turn, and what
// the agent writes at the same paths from now on is. A turn in which anything else
// changed stays as it is: its start is still needed.
func (r *Repo) startOver(ctx context.Context, reopened int, rewind *Turn) error {
	open, err := r.OpenTurns()
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	// Several may have been started over behind the same rewind.
	behind := func(n int) bool {
		for n--; slices.ContainsFunc(open, func(t *Turn) bool { return t.N == n }); n-- {
		}
		return r.isRewind(n)
	}
	for _, t := range open {
		if t.N != reopened && !behind(t.N) {
			continue
		}
		_, dropped, err := r.finish(ctx, t, closing{status: StatusInterrupted, behind: rewind})
		if err == nil && dropped {
			_, err = r.begin(ctx, t.goesOn(rewind.Ended), nil)
		}
		if err != nil {
			return trouble(edit.CommitFailed, "the files were taken back, but the open turn of session "+edit.Quote(t.Session)+" could not be started over", err)
		}
	}
	return nil
}

// goesOn is the turn in which the agent of an open one goes on, once that is closed.
func (t *Turn) goesOn(from time.Time) *Turn {
	return &Turn{Kind: t.Kind, Agent: t.Agent, Session: t.Session, AgentTurn: t.AgentTurn, Message: t.Message, Started: from}
}

func (r *Repo) isRewind(n int) bool {
	t, err := r.Turn(n)
	return err == nil && n > 0 && t.Kind == KindRewind
}

// sameBehind reports whether all that changed in the turn is what the rewind right
// behind its start wrote: that would have started the turn over, but a crash came
// between.
func (e *ending) sameBehind() (bool, error) {
	rewind, err := e.r.Turn(e.open.N + 1)
	if err != nil || rewind.Kind != KindRewind || !e.r.mine(rewind) {
		return false, nil // a turn that cannot be read is named by who lists them
	}
	return e.only(rewind)
}

// only reports whether nothing has changed in the turn but what a rewind wrote.
func (e *ending) only(rewind *Turn) (bool, error) {
	changes, err := e.r.Changes(rewind)
	if err != nil {
		return false, err
	}
	wrote := map[string]string{}
	dirs := map[string]bool{} // that it made, removed, filled or emptied
	above := func(p string) {
		for up := parent(p); up != "."; up = parent(up) {
			dirs[up] = true
		}
	}
	for _, dir := range slices.Concat(rewind.MadeDirs, rewind.RemovedDirs) {
		dirs[dir] = true
		above(dir)
	}
	for _, c := range changes {
		if wrote[c.Path] = ""; c.After != nil {
			wrote[c.Path] = c.After.ID
		}
		above(c.Path)
	}
	m, w := &e.meta, rewind.meta
	for _, d := range e.diff {
		id, ok := wrote[d.Path]
		if now := d.After.ID; !ok || now.IsZero() != (id == "") || !now.IsZero() && now.String() != id {
			return false, nil
		}
	}
	for encoded := range m.Modes.After {
		p, isDir := strings.CutSuffix(pathcode.Decode(encoded), "/")
		if _, ok := wrote[p]; !ok && !(isDir && (dirs[p] || w.Modes.After[encoded] != "")) {
			return false, nil
		}
	}
	for _, encoded := range slices.Concat(m.EmptyDirs.After.Add, m.EmptyDirs.After.Del) {
		if !dirs[strings.TrimSuffix(pathcode.Decode(encoded), "/")] {
			return false, nil
		}
	}
	// What git's own state is.
	for _, x := range m.Git.Refs {
		if !slices.ContainsFunc(w.Git.Refs, func(o gitstate.Ref) bool { return o.Name == x.Name && o.After == x.After }) {
			return false, nil
		}
	}
	return (m.Head.After == m.Head.Before || m.Head.After == w.Head.After) && (m.Git.Index != gitstate.IndexChanged || w.Git.Index != ""), nil
}

// isDropped drops the turn if it holds nothing but what a rewind wrote. It stays
// open otherwise.
func (e *ending) isDropped(how closing) (bool, error) {
	only, err := e.only(how.behind)
	if err != nil || !only {
		return false, err
	}
	unlock, err := e.r.lockNumbers(context.Background())
	if err != nil {
		return false, err
	}
	defer unlock()
	return true, e.drop(how)
}
