package gitops

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

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
	counts := missCounts(state)
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

// missCounts returns the counts that a session's file holds, none if they
// cannot be understood.
func missCounts(state map[string]json.RawMessage) map[string]int {
	var counts map[string]int
	if raw, ok := state[misses]; ok && json.Unmarshal(raw, &counts) == nil && counts != nil { // null is no error
		return counts
	}
	return map[string]int{}
}
