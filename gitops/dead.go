package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/gofrs/flock"
)

// DefaultMaxOpen is how long a turn may stay open before somebody else's begin
// closes it.
const DefaultMaxOpen = 24 * time.Hour

// runLock is the lock that the command of a run holds while it lives: the
// kernel drops it with the process, so that no reused pid can feign it.
func (r *Repo) runLock(session string) string {
	return strings.TrimSuffix(r.sessionFile(session), ".json") + ".lock"
}

// Owning takes the lock that tells others that the command which runs a
// session's turn is alive. It holds until release is called or the process ends.
func (r *Repo) Owning(session string) (release func(), err error) {
	name := r.runLock(session)
	if err := r.layout.Perm().MkdirAll(filepath.Dir(name), true); err != nil {
		return nil, trouble(edit.CommitFailed, "the git directory cannot be written", err)
	}
	l := flock.New(name)
	ok, err := l.TryLock()
	if err != nil || !ok {
		return nil, trouble(edit.Locked, "another command runs in this session", err)
	}
	r.layout.Perm().Fix(name)
	return func() { os.Remove(name); l.Unlock() }, nil
}

// closeDead closes the turns of runs whose process died, as interrupted.
func (r *Repo) closeDead(ctx context.Context) error {
	open, err := r.openTurns()
	if err != nil {
		return err
	}
	for _, t := range open {
		if t.Kind != KindRun || !r.ours(t) || r.alive(t) {
			continue
		}
		if err := r.closeLate(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// CloseOverdue closes the turns that have been open for longer than most,
// unless the command that runs them is alive. 0 means [DefaultMaxOpen].
func (r *Repo) CloseOverdue(ctx context.Context, most time.Duration) error {
	if most == 0 {
		most = DefaultMaxOpen
	}
	open, err := r.openTurns()
	if err != nil {
		return err
	}
	for _, t := range open {
		if time.Since(t.Started) < most || !r.ours(t) || t.Kind == KindRun && r.alive(t) {
			continue
		}
		if err := r.closeLate(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repo) closeLate(ctx context.Context, t *Turn) error {
	unlock, err := r.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if closed, err := r.closed(t); err != nil || closed {
		return err
	}
	_, same, err := r.finish(ctx, t, closing{status: StatusInterrupted, late: true})
	switch {
	case err != nil:
		return err
	case same:
		r.opt.Repaired(fmt.Sprintf("turn %d was not ended: nothing had changed in it", t.N))
	default:
		r.opt.Repaired(fmt.Sprintf("turn %d was not ended: closed as interrupted", t.N))
	}
	return nil
}

// alive reports whether the command of a run holds its lock.
func (r *Repo) alive(t *Turn) bool {
	name := r.runLock(t.Session)
	if _, err := os.Stat(name); err != nil {
		return false
	}
	l := flock.New(name)
	ok, err := l.TryLock()
	if ok {
		l.Unlock()
	}
	return err != nil || !ok
}
