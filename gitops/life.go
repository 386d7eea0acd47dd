package gitops

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/chordgit/chordgit/edit"
)

// A lastSign tells, in nanoseconds, until when a session was certainly at work
// in a turn that somebody else closes, and until when it may have been. Nothing
// known: the end of time.
type lastSign struct{ certain, possible int64 }

// lastSign finds the last sign of life of the turn's session. The command of a
// run gives one every [SignOfLife]: it died before the next was due. Others give
// one with each event after their begin; without any there is no evidence.
func (e *ending) lastSign() (lastSign, error) {
	none := lastSign{math.MaxInt64, math.MaxInt64}
	name := e.r.sessionFile(e.open.Session)
	if e.open.Kind == KindRun {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return none, nil
		}
		if err != nil {
			return none, trouble(edit.Unreadable, "the session's state cannot be read", err)
		}
		at := info.ModTime().UnixNano()
		return lastSign{at, at + int64(SignOfLife)}, nil
	}
	state, err := readSession(name)
	if err != nil {
		return none, err
	}
	var at time.Time
	if !get(state, memberHeard, &at) {
		return none, nil
	}
	return lastSign{at.UnixNano(), at.UnixNano()}, nil
}

// judge takes from the session what changed when it gave no sign of life any
// more: that is a person's, or nobody can tell.
func (l lastSign) judge(e *ending, p, owner string) string {
	if owner != OwnerSelf {
		return owner
	}
	changed, known := e.lastChange(p)
	switch {
	case !known || changed <= l.certain:
		return owner
	case changed <= l.possible:
		return OwnerAmbiguous
	}
	return OwnerOutside
}
