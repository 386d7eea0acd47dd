package hooks

import (
	"fmt"
	"slices"
	"strings"
)

// turnRefs is where turns are kept, and sentRefs where another clone's arrive.
const (
	turnRefs = "refs/chordgit/"
	sentRefs = "refs/chordgit/clones/"
)

// A RefUpdate is what a push does to one ref. A zero id is all zeros: before it
// the ref did not exist, after it is deleted.
type RefUpdate struct {
	Local    string // the ref that is sent; empty where the server looks
	Ref      string // on the remote
	Old, New string
}

// Deletes reports whether the ref is removed.
func (u *RefUpdate) Deletes() bool { return IsZeroID(u.New) }

// IsZeroID reports whether an object id is git's word for "none".
func IsZeroID(id string) bool { return strings.Trim(id, "0") == "" }

// ParsePrePush reads what git tells a pre-push hook: "LOCALREF LOCALOID
// REMOTEREF REMOTEOID" a line.
func ParsePrePush(stdin string) ([]RefUpdate, error) {
	return parseUpdates(stdin, 4, func(f []string) RefUpdate {
		return RefUpdate{Local: f[0], New: f[1], Ref: f[2], Old: f[3]}
	})
}

// ParsePreReceive reads what git tells a pre-receive hook: "OLD NEW REF" a line.
func ParsePreReceive(stdin string) ([]RefUpdate, error) {
	return parseUpdates(stdin, 3, func(f []string) RefUpdate {
		return RefUpdate{Old: f[0], New: f[1], Ref: f[2]}
	})
}

// parseUpdates refuses what it does not understand: a line that was passed over
// would be a ref that nobody looked at. A revision that is pushed may hold blanks
// ("main@{1 day ago}"), so that the last fields count from the end.
func parseUpdates(stdin string, n int, make func([]string) RefUpdate) (all []RefUpdate, err error) {
	for line := range strings.Lines(stdin) {
		line = strings.TrimSuffix(line, "\n")
		f := strings.Split(line, " ")
		if extra := len(f) - n; n == 4 && extra > 0 {
			f = append([]string{strings.Join(f[:extra+1], " ")}, f[extra+1:]...)
		}
		if len(f) != n || slices.Contains(f, "") {
			return nil, fmt.Errorf("git describes a push by %q", line)
		}
		u := make(f)
		if !isHex(u.Old) || !isHex(u.New) {
			return nil, fmt.Errorf("git describes a push by %q", line)
		}
		all = append(all, u)
	}
	return all, nil
}

func isHex(id string) bool {
	return (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
}

// Guarded are the updates that would publish turns. Deletions pass, and so do
// those that send a turn to where other clones keep those of clone, the id of
// this one (empty: it has none yet).
func Guarded(updates []RefUpdate, clone string) (refused []RefUpdate) {
	for _, u := range updates {
		switch n, ok := strings.CutPrefix(u.Local, turnRefs+"turns/"); {
		case u.Deletes(), !strings.HasPrefix(u.Local, turnRefs) && !strings.HasPrefix(u.Ref, turnRefs):
		case ok && clone != "" && u.Ref == sentRefs+clone+"/"+n:
		default:
			refused = append(refused, u)
		}
	}
	return refused
}

// GuardedHere are the updates that a server refuses: those of turns that were
// not sent to where other clones' are kept.
func GuardedHere(updates []RefUpdate) (refused []RefUpdate) {
	for _, u := range updates {
		if !u.Deletes() && strings.HasPrefix(u.Ref, turnRefs) && !strings.HasPrefix(u.Ref, sentRefs) {
			refused = append(refused, u)
		}
	}
	return refused
}

// GuardText is why turns are not pushed, and the way to push them.
const GuardText = "turns hold prompts and ignored files; git push --mirror would publish them. To send them: chordgit sync push REMOTE"
