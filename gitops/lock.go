package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/gofrs/flock"
)

// numberWait is how long the lock on numbers is waited for.
const numberWait = 10 * time.Second

// lockWorktree takes the worktree's lock. From planning to the end of a
// transaction nobody else may run one here.
func (r *Repo) lockWorktree(ctx context.Context) (unlock func(), err error) {
	return r.lock(ctx, filepath.Join(r.stateDir(), "worktree.lock"), "worktree", r.opt.LockWait, false)
}

// shareWorktree takes the worktree's lock for a capture: several may look at
// once, while no transaction is half done.
func (r *Repo) shareWorktree(ctx context.Context) (unlock func(), err error) {
	return r.lock(ctx, filepath.Join(r.stateDir(), "worktree.lock"), "worktree", r.opt.LockWait, true)
}

// lockNumbers takes the lock under which numbers are given out and refs of
// turns come and go, in all worktrees.
func (r *Repo) lockNumbers(ctx context.Context) (unlock func(), err error) {
	if err := mayRecord(); err != nil {
		return nil, err
	}
	return r.lock(ctx, filepath.Join(r.sharedDir(), "lock"), "number", numberWait, false)
}

// lockRefs takes the lock under which one ref is made or removed: who has it knows
// that a lock file of ours is left by somebody who died.
func (r *Repo) lockRefs() (unlock func(), err error) {
	return r.lock(context.Background(), filepath.Join(r.sharedDir(), "refs.lock"), "ref", numberWait, false)
}

// lock takes a lock that the kernel drops with its process, so none ever
// goes stale. The file holds the pid of whoever has it, for the message.
func (r *Repo) lock(ctx context.Context, name, what string, wait time.Duration, shared bool) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	begun := time.Now()
	for {
		if err := r.layout.Perm().MkdirAll(filepath.Dir(name), true); err != nil {
			return nil, trouble(edit.CommitFailed, "the git directory cannot be written", err)
		}
		l := flock.New(name)
		now, try := l.TryLock, l.TryLockContext
		if shared {
			now, try = l.TryRLock, l.TryRLockContext
		}
		// A lock that is free is taken although the time for looking is up: what
		// was not looked at is recorded as such.
		ok, err := now()
		if err == nil && !ok {
			ok, err = try(ctx, 5*time.Millisecond)
		}
		if errors.Is(err, context.DeadlineExceeded) || err == nil && !ok {
			return nil, &edit.Error{Code: edit.Locked, Msg: fmt.Sprintf("another chordgit command%s has held the %s lock for %s", holder(name), what, time.Since(begun).Round(time.Millisecond))}
		}
		if err != nil {
			return nil, trouble(edit.CommitFailed, "the lock cannot be taken", err)
		}
		// Somebody may have removed the directory while we waited: then what we
		// hold is the lock on a file that is no longer there.
		held, err1 := l.Stat()
		there, err2 := os.Stat(name)
		if err1 == nil && err2 == nil && os.SameFile(held, there) {
			r.layout.Perm().Fix(name)
			if shared {
				return func() { l.Unlock() }, nil
			}
			os.WriteFile(name, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644) // only for messages
			return func() { l.Unlock() }, nil
		}
		l.Unlock()
	}
}

// holder names the process that has a lock, if it says so.
func holder(name string) string {
	data, err := os.ReadFile(name)
	if pid := strings.TrimSpace(string(data)); err == nil && pid != "" {
		return " (process " + edit.Quote(pid) + ")"
	}
	return ""
}
