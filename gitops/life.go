package gitops

import (
	"errors"
	"io/fs"
	"math"
	"os"

	"github.com/chordgit/chordgit/edit"
)

// A lastSign tells, in nanoseconds, until when a session was certainly at work
// in a turn that somebody else closes, and until when it may have been. Nothing
// known: the end of time.
type lastSign struct{ certain, possible int64 }

// everlasting is the sign of a session of which nothing is known.
var everlasting = lastSign{math.MaxInt64, math.MaxInt64}

// lastSign finds the last sign of life of the turn's session. The command of a
// run gives one every [SignOfLife]: it died before the next was due. Others give
// one with each event after their begin; without any there is no evidence.
func (e *ending) lastSign() (lastSign, error) {
	name := e.r.sessionFile(e.open.Session)
	if e.open.Kind == KindRun {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return everlasting, nil
		}
		if err != nil {
			return everlasting, trouble(edit.Unreadable, "the session's state cannot be read", err)
		}
		at := info.ModTime().UnixNano()
		return lastSign{at, at + int64(SignOfLife)}, nil
	}
	log, err := e.r.callsOf(e.open.Session)
	if err != nil {
		return everlasting, err
	}
	sign := log.last()
	if sign <= e.meta.Scans.Before.Ended {
		return everlasting, nil
	}
	return lastSign{sign, sign}, nil
}

// judge takes from a run what changed when its command gave no sign of life any
// more: that is a person's, or nobody can tell. Of other sessions the calls tell.
func (l lastSign) judge(e *ending, p, owner string) string {
	if owner != OwnerSelf || e.open.Kind != KindRun {
		return owner
	}
	changed, _, known := e.lastChange(p)
	switch {
	case !known || changed <= l.certain:
		return owner
	case changed <= l.possible:
		return OwnerAmbiguous
	}
	return OwnerOutside
}
