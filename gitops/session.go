package gitops

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/durable"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

// sessionFile is where the state of an agent's session is kept in this
// worktree. An id may hold any character, so its hash names the file.
func (r *Repo) sessionFile(id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(r.stateDir(), "sessions", hex.EncodeToString(sum[:16])+".json")
}

// indexKept is where the index of the start of a session's open turn is.
func (r *Repo) indexKept(session string) string {
	return strings.TrimSuffix(r.sessionFile(session), ".json") + ".index"
}

// The members of a session's file, beside those of others.
const (
	memberOpen   = "open"      // an openMark
	memberClosed = "last_turn" // a closedMark
	memberRefs   = "refs"      // the refs at the begin of its open turn, by name
	memberGit    = "git"       // the rest of git's state then: a gitstate.Start
	memberJudge  = "unjudged"  // the numbers of closed turns that policy was not asked about
	memberFacts  = "facts"     // of the caller's own, kept unread
)

// An openMark names a session's open turn, so that its ref can be made again.
type openMark struct {
	Turn int    `json:"turn"`
	Tag  string `json:"tag"`
}

// A closedMark tells which turn of a session was closed last, and when.
type closedMark struct {
	Turn int       `json:"turn"`
	At   time.Time `json:"at"`
	By   string    `json:"status"`
}

// get decodes a member; false if it is absent or odd.
func get(state map[string]json.RawMessage, member string, into any) bool {
	raw, ok := state[member]
	return ok && json.Unmarshal(raw, into) == nil
}

// put encodes members.
func put(state map[string]json.RawMessage, members map[string]any) error {
	for name, v := range members {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		state[name] = raw
	}
	return nil
}

// changeSession changes a session's file, under the number lock.
func (r *Repo) changeSession(session string, change func(state map[string]json.RawMessage) error) error {
	name := r.sessionFile(session)
	state, err := readSession(name)
	if err != nil {
		return err
	}
	if err := change(state); err != nil {
		return err
	}
	return r.writeSession(name, session, state)
}

// sessionBegins writes a session's file anew, which notes an open turn, git's
// state and the caller's facts. A new turn clears the count of texts that were
// looked for in vain. The file has a temporary name until the turn is open, so
// that a full disk shows before.
func (r *Repo) sessionBegins(t *Turn, start *gitstate.Start, note Note) (*os.File, error) {
	name := r.sessionFile(t.Session)
	state, err := readSession(name)
	if err != nil {
		return nil, err
	}
	delete(state, misses)
	if note != nil {
		s := sessionState(state)
		if err := note(t, &s); err != nil {
			return nil, err
		}
		if err := s.into(state); err != nil {
			return nil, err
		}
	}
	if err := put(state, map[string]any{memberOpen: openMark{t.N, t.tag.String()}, memberRefs: start.Refs, memberGit: start}); err != nil {
		return nil, err
	}
	return r.stageSession(name, t.Session, state)
}

// sessionEnds notes that the open turn of a session was closed, or dropped
// (closed nil).
func (r *Repo) sessionEnds(open, closed *Turn) error {
	return r.changeSession(open.Session, func(state map[string]json.RawMessage) error {
		delete(state, memberOpen)
		delete(state, memberRefs)
		delete(state, memberGit)
		os.Remove(r.indexKept(open.Session)) // one that stays is replaced by the next begin
		mark := closedMark{At: time.Now().UTC(), By: "unchanged"}
		var unjudged []int
		get(state, memberJudge, &unjudged)
		if closed != nil {
			mark.Turn, mark.By = closed.N, closed.Status
			unjudged = append(unjudged, closed.N)
		}
		return put(state, map[string]any{memberClosed: mark, memberJudge: unjudged})
	})
}

// openTurn finds the open turn of a session in this worktree, nil if it has
// none. A turn whose open mark was removed by hand is opened again if its
// objects are there.
func (r *Repo) openTurn(session string) (*Turn, error) {
	open, err := r.OpenTurns()
	if err != nil {
		return nil, err
	}
	for _, t := range open {
		if t.Session == session {
			return t, nil
		}
	}
	state, err := readSession(r.sessionFile(session))
	if err != nil {
		return nil, err
	}
	var mark openMark
	if !get(state, memberOpen, &mark) {
		return nil, nil
	}
	if closed, err := r.closed(&Turn{N: mark.Turn}); err != nil || closed {
		return nil, err
	}
	id, ok := object.ParseID(mark.Tag)
	if !ok {
		return nil, nil
	}
	lost := func(err error) error {
		return &edit.Error{Code: edit.Damaged, Msg: fmt.Sprintf("turn %d: its mark was removed and its start is lost", mark.Turn), Err: err}
	}
	if _, err := r.db.ReadAs(object.Tag, id); err != nil {
		return nil, lost(err)
	}
	if err := r.refs.Create(openRef(mark.Turn), id); err != nil && !errors.Is(err, ref.ErrExists) {
		return nil, lost(err)
	}
	t, err := r.read(mark.Turn, openRef(mark.Turn))
	if err != nil {
		return nil, lost(err)
	}
	return t, nil
}

// OpenTurns lists the turns that record this worktree and are open, the oldest
// first. One that cannot be read is left to recovery, which names it.
func (r *Repo) OpenTurns() (list []*Turn, err error) {
	numbers, err := r.numbers(openPrefix)
	if err != nil {
		return nil, trouble(edit.Damaged, "the open turns cannot be listed", err)
	}
	for _, n := range numbers {
		t, err := r.read(n, openRef(n))
		if err != nil || t.Scope != ScopeWorktree || !r.mine(t) {
			continue
		}
		if closed, err := r.closed(t); err == nil && !closed {
			list = append(list, t)
		}
	}
	return list, nil
}

// SoleSession is the session of the one turn that is open in this worktree;
// empty if none is, or several are, or it has no name.
func (r *Repo) SoleSession() (string, error) {
	open, err := r.OpenTurns()
	if err != nil || len(open) != 1 {
		return "", err
	}
	return open[0].Session, nil
}

// noOpenTurn says that a session has none, and since when.
func (r *Repo) noOpenTurn(session string) error {
	msg := "no turn open"
	if state, err := readSession(r.sessionFile(session)); err == nil {
		var mark closedMark
		if get(state, memberClosed, &mark) {
			msg += fmt.Sprintf(": the last one was closed at %s", mark.At.Local().Format("15:04:05"))
			if mark.Turn > 0 {
				msg += fmt.Sprintf(" as turn %d (%s)", mark.Turn, mark.By)
			}
		}
	}
	return &edit.Error{Code: edit.NoTurn, Msg: msg}
}

// readSession reads a session's file. Members that this version does not know
// are kept; a file that cannot be understood counts as none, since what it
// holds is advice.
func readSession(name string) (map[string]json.RawMessage, error) {
	state := map[string]json.RawMessage{}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return nil, trouble(edit.Unreadable, "the session's state cannot be read", err)
	}
	if json.Unmarshal(data, &state) != nil || state == nil {
		return map[string]json.RawMessage{}, nil
	}
	return state, nil
}

// writeSession replaces a session's file as a whole.
func (r *Repo) writeSession(name, session string, state map[string]json.RawMessage) error {
	f, err := r.stageSession(name, session, state)
	if err != nil {
		return err
	}
	return r.placeSession(f, name)
}

const sessionMode = 0o666 // less the umask

// stageSession writes what is to be a session's file under a temporary name. It
// is not synced: after a crash the old state serves.
func (r *Repo) stageSession(name, session string, state map[string]json.RawMessage) (*os.File, error) {
	id, err := json.Marshal(session)
	if err != nil {
		return nil, err
	}
	state["session"] = id
	data, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	perm := r.layout.Perm()
	stage := func() (*os.File, error) {
		if err := perm.MkdirAll(filepath.Dir(name), true); err != nil {
			return nil, err
		}
		f, err := durable.CreateTemp(filepath.Dir(name), "tmp_session_", sessionMode, perm)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(append(data, '\n')); err != nil {
			unstage(f)
			return nil, err
		}
		return f, nil
	}
	f, err := stage()
	if err != nil {
		return nil, trouble(edit.CommitFailed, "the session's state cannot be written", err)
	}
	return f, nil
}

// unstage gives a temporary file up.
func unstage(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

// placeSession gives a session's new file its name.
func (r *Repo) placeSession(f *os.File, name string) error {
	if err := durable.Place(f, name, sessionMode, r.layout.Perm(), true); err != nil {
		return trouble(edit.CommitFailed, "the session's state cannot be written", err)
	}
	return nil
}
