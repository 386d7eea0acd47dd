package gitops

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// A SessionState is what is kept of an agent's session in this worktree.
type SessionState struct {
	Open     int   // the number of its open turn; 0: none
	Unjudged []int // its closed turns that nobody has asked policy about, oldest first
	// Facts are the caller's own. A turn's begin and end leave them alone.
	Facts json.RawMessage
}

// Session reads the state of a session, the zero value if there is none. It costs
// one file: refs and objects are not looked at.
func (r *Repo) Session(id string) (SessionState, error) {
	state, err := readSession(r.sessionFile(id))
	if err != nil {
		return SessionState{}, err
	}
	return sessionState(state), nil
}

// Ended reports whether a turn is over that a session's state calls open: an end that
// died closed it and did not note that. For a turn that is open it costs two files.
func (r *Repo) Ended(n int) (bool, error) {
	loose := func(name string) bool {
		_, err := os.Lstat(filepath.Join(r.layout.CommonDir, filepath.FromSlash(name)))
		return err == nil
	}
	if loose(openRef(n)) && !loose(turnRef(n)) {
		return false, nil // what a later gc packs it packs together
	}
	ended, err := r.closed(&Turn{N: n})
	if err != nil {
		return false, trouble(edit.Damaged, "the refs cannot be read", err)
	}
	return ended, nil
}

// Sessions reads the states of all sessions of this worktree, in no order that
// means anything. One that cannot be read is left out, and is the error.
func (r *Repo) Sessions() (all []SessionState, err error) {
	dir := filepath.Dir(r.sessionFile(""))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, trouble(edit.Unreadable, "the sessions cannot be listed", err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		state, failed := readSession(filepath.Join(dir, e.Name()))
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		all = append(all, sessionState(state))
	}
	return all, err
}

func sessionState(state map[string]json.RawMessage) (s SessionState) {
	var mark openMark
	get(state, memberOpen, &mark)
	get(state, memberJudge, &s.Unjudged)
	s.Open, s.Facts = mark.Turn, state[memberFacts]
	return s
}

// ChangeSession changes Unjudged and Facts of a session; of what change does not
// touch, nothing is lost by changes at the same time.
func (r *Repo) ChangeSession(ctx context.Context, id string, change func(*SessionState)) error {
	unlock, err := r.lockNumbers(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	r.opt.Step("session")
	return r.changeSession(id, func(state map[string]json.RawMessage) error {
		s := sessionState(state)
		change(&s)
		return s.into(state)
	})
}

// into puts what a caller may change into a session's members.
func (s *SessionState) into(state map[string]json.RawMessage) error {
	if s.Facts == nil {
		delete(state, memberFacts)
	} else {
		state[memberFacts] = s.Facts
	}
	return put(state, map[string]any{memberJudge: s.Unjudged})
}

// FilesAtBegin returns a file as it was when a turn began: in the commit that was
// HEAD, and in the worktree. At most limit bytes of each are read; nil: it was not
// there. What stood there and was no regular file is an error. Where the start of
// the turn did not look, or did not store it, what stands there now counts: no
// policy is lifted by a start that was not finished in time.
func (r *Repo) FilesAtBegin(n int, name string, limit int64) (head, worktree []byte, err error) {
	t, err := r.read(n, openRef(n))
	if err != nil {
		if t, err = r.read(n, turnRef(n)); err != nil {
			return nil, nil, err
		}
	}
	return r.StartOf(t, name, limit)
}

// StartOf is FilesAtBegin for a turn at hand, one too that a [Note] is asked about.
func (r *Repo) StartOf(t *Turn, name string, limit int64) (head, worktree []byte, err error) {
	if id, ok := object.ParseID(t.meta.Head.Before.OID); ok {
		if head, err = r.fileIn(id, name, limit); err != nil {
			return nil, nil, trouble(edit.Damaged, "HEAD:"+name+" as it was when the turn began cannot be read", err)
		}
	}
	before, err := r.side(t, "before")
	if err == nil {
		worktree, err = r.fileOf(before.root, name, limit)
	}
	if err == nil && worktree == nil {
		worktree, err = r.unprovenFile(t.meta.proof(before), name, limit)
	}
	if err != nil {
		return nil, nil, trouble(edit.Damaged, name+" as it was when the turn began cannot be read", err)
	}
	return head, worktree, nil
}

// unprovenFile reads a file that a captured start neither has nor proves absent.
func (r *Repo) unprovenFile(start *proof, name string, limit int64) ([]byte, error) {
	if absent, err := start.absent(name); absent || err != nil {
		return nil, err
	}
	f, err := r.tree.Reach(name)
	if err != nil || f == nil {
		return nil, err
	}
	if !f.Regular() {
		return nil, &edit.Error{Code: edit.NotRegular, Path: name, Msg: "is " + f.KindName() + ", not a regular file"}
	}
	in, err := r.tree.Open(name, f)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, limit))
}
