package gitops

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/durable"
)

// sessionFile is where the state of an agent's session is kept in this
// worktree. An id may hold any character, so its hash names the file.
func (r *Repo) sessionFile(id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(r.stateDir(), "sessions", hex.EncodeToString(sum[:16])+".json")
}

// misses is the member of a session's file that counts, by path, the requests
// in a row whose text was not found there.
const misses = "misses"

// CountMisses counts for a session that text was looked for in vain in the
// files missed, once a request, and that a change of the files fit did find its
// place, which clears the count of that file. It returns the count of each file
// in missed. Without a session (the empty id) nothing is counted.
func (r *Repo) CountMisses(ctx context.Context, session string, missed, fit []string) (map[string]int, error) {
	name := r.sessionFile(session)
	if session == "" {
		return nil, nil
	}
	if _, err := os.Stat(name); len(missed) == 0 && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	unlock, err := r.lockNumbers(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	state, err := readSession(name)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	if raw, ok := state[misses]; ok && json.Unmarshal(raw, &counts) != nil {
		counts = map[string]int{}
	}
	before := len(counts)
	for _, path := range fit {
		delete(counts, path)
	}
	if len(missed) == 0 && len(counts) == before {
		return nil, nil
	}
	told := map[string]int{}
	for _, path := range missed {
		counts[path]++
		told[path] = counts[path]
	}
	if state[misses], err = json.Marshal(counts); err != nil {
		return nil, err
	}
	return told, r.writeSession(name, session, state)
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

// writeSession replaces a session's file as a whole. It is not synced: after a
// crash the old state serves.
func (r *Repo) writeSession(name, session string, state map[string]json.RawMessage) error {
	id, err := json.Marshal(session)
	if err != nil {
		return err
	}
	state["session"] = id
	data, err := json.Marshal(state)
	if err != nil {
		return err
	}
	perm := r.layout.Perm()
	const mode = 0o666 // less the umask
	place := func() error {
		if err := perm.MkdirAll(filepath.Dir(name), true); err != nil {
			return err
		}
		f, err := durable.CreateTemp(filepath.Dir(name), "tmp_session_", mode, perm)
		if err != nil {
			return err
		}
		if _, err := bytes.NewReader(append(data, '\n')).WriteTo(f); err != nil {
			f.Close()
			os.Remove(f.Name())
			return err
		}
		return durable.Place(f, name, mode, perm, true)
	}
	if err := place(); err != nil {
		return trouble(edit.CommitFailed, "the session's state cannot be written", err)
	}
	return nil
}
