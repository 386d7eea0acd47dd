package gitops

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

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
// Somebody else who has it for more than a second is an error with code Locked.
func (r *Repo) Owning(session string) (release func(), err error) {
	name := r.runLock(session)
	// Whoever asks whether the command is alive has the lock for a moment.
	unlock, err := r.lock(context.Background(), name, "run", time.Second, false)
	if err != nil {
		return nil, err
	}
	return func() { os.Remove(name); unlock() }, nil
}

// SignOfLife is how often the command of a run is to call [Repo.Alive].
const SignOfLife = 10 * time.Second

// Alive notes a sign of life of a session: what changes later than the last one
// is not taken for the session's if its turn has to be closed by somebody else.
// It may be called while another goroutine uses the repository.
func (r *Repo) Alive(session string) error {
	now := time.Now()
	return os.Chtimes(r.sessionFile(session), now, now)
}

// dead reports whether an open turn is one of a run whose process died.
func (r *Repo) dead(t *Turn) bool {
	return t.Kind == KindRun && r.ours(t) && !r.alive(t)
}

// CloseOverdue closes the turns that have been open for longer than most,
// unless the command that runs them is alive. 0 means [DefaultMaxOpen].
func (r *Repo) CloseOverdue(ctx context.Context, most time.Duration) error {
	if most == 0 {
		most = DefaultMaxOpen
	}
	open, err := r.OpenTurns()
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
	return r.abandon(ctx, t)
}

// abandon closes a turn that nobody ends any more, with what is on disk now,
// under the worktree's lock.
func (r *Repo) abandon(ctx context.Context, t *Turn) error {
	_, same, err := r.finish(ctx, t, closing{status: StatusInterrupted, late: true})
	switch {
	case err != nil:
		return err
	case t.Kind == KindRun:
		if release, err := r.Owning(t.Session); err == nil {
			release() // which removes the lock's file
		}
	}
	switch {
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
