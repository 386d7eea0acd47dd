package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// sessionFacts are what is kept of a session beside its turns.
type sessionFacts struct {
	Start *startFacts `json:"start,omitempty"` // of the open turn
	Notes []string    `json:"notes,omitempty"` // for the model, not delivered yet
	// Hooks are what its turns changed of hooks, the newest last.
	Hooks   []hookChange `json:"hooks,omitempty"`
	Consent []consent    `json:"consent,omitempty"`
}

// startFacts are what held when a turn began. They save a hook the way to the
// repository's objects and index, and tell what is stored nowhere else.
type startFacts struct {
	Turn     int      `json:"turn"`
	Agents   string   `json:"agents,omitempty"` // the agent's own id of it
	Gitlinks []string `json:"gitlinks,omitempty"`
	// The texts of the policy files, nil where there was none: the user's, HEAD's and
	// the worktree's. Sum is over all three.
	User     []byte `json:"user,omitempty"`
	Head     []byte `json:"head,omitempty"`
	Worktree []byte `json:"worktree,omitempty"`
	Sum      string `json:"sum"`
	// Outside are fingerprints of what agents' and git's hooks consist of.
	Outside map[string]string `json:"outside,omitempty"`
}

func (s *startFacts) sum() string {
	h := sha256.New()
	for _, text := range [][]byte{s.User, s.Head, s.Worktree} {
		one := sha256.Sum256(text)
		h.Write(one[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func factsOf(state gitops.SessionState) (f sessionFacts) {
	_ = json.Unmarshal(state.Facts, &f) // what cannot be understood counts as none
	return f
}

// changeFacts changes the facts of a session.
func changeFacts(ctx context.Context, repo *gitops.Repo, session string, change func(*sessionFacts)) error {
	return repo.ChangeSession(ctx, session, func(s *gitops.SessionState) { refact(s, change) })
}

// refact changes the facts in a state.
func refact(s *gitops.SessionState, change func(*sessionFacts)) {
	f := factsOf(*s)
	change(&f)
	if raw, err := json.Marshal(f); err == nil {
		s.Facts = raw
	}
}

// keepStart notes what holds as a turn begins, unless that is noted: a later begin
// of the same turn may find the session's file gone.
func (a *app) keepStart(ctx context.Context, repo *gitops.Repo, t *gitops.Turn) error {
	state, err := repo.Session(t.Session)
	if err != nil {
		return err
	}
	if f := factsOf(state); f.Start != nil && f.Start.Turn == t.N {
		return nil
	}
	start, err := a.startFacts(repo, t, repo.Gitlinks)
	if err != nil {
		return err
	}
	return changeFacts(ctx, repo, t.Session, func(f *sessionFacts) { f.Start = start })
}

// soon begins to find something out, and returns what waits for the answer. The
// index of a large repository is read while a capture waits for its cache or the disk.
func soon[T any](find func() (T, error)) func() (T, error) {
	wait := sync.OnceValues(find)
	go func() { _, _ = wait() }()
	return wait
}

// startFacts finds what holds as a turn begins. links are the submodules.
func (a *app) startFacts(repo *gitops.Repo, t *gitops.Turn, links func() ([]string, error)) (start *startFacts, err error) {
	start = &startFacts{Turn: t.N, Agents: t.AgentTurn, Outside: a.fingerprints(repo)}
	if start.Head, start.Worktree, err = repo.StartOf(t, hooks.ConfigName, hooks.ConfigLimit+1); err != nil {
		return nil, err
	}
	if start.User, err = a.userText(); err != nil {
		return nil, err
	}
	if start.Gitlinks, err = links(); err != nil {
		return nil, err
	}
	start.Sum = start.sum()
	return start, nil
}

// sameText compares files, of which nil is none.
func sameText(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

// turnLayers are the layers that have a say about a turn: the user's file as it is
// and as it was when the turn began, and the repository's as it was then, in HEAD
// and in the worktree. facts are of the turn's begin, nil if they are lost.
func (a *app) turnLayers(repo *gitops.Repo, n int, start *startFacts) ([]hooks.Layer, error) {
	_, place := a.userFile()
	now, err := a.userText()
	if err != nil {
		return nil, err
	}
	if start == nil || start.Turn != n || start.sum() != start.Sum {
		start = &startFacts{User: now}
		if start.Head, start.Worktree, err = repo.FilesAtBegin(n, hooks.ConfigName, hooks.ConfigLimit+1); err != nil {
			return nil, err
		}
	}
	type version struct {
		name, place string
		text        []byte
	}
	versions := []version{{"user", place, now}}
	if !sameText(start.User, now) {
		versions = append(versions, version{"user", place + " as the turn began", start.User})
	}
	worktree := hooks.ConfigName
	if text, err := configText(repo); err != nil || !sameText(text, start.Worktree) {
		worktree = fmt.Sprintf("turn %d:%s", n, hooks.ConfigName)
	}
	switch {
	case start.Head == nil:
		versions = append(versions, version{"turn", worktree, start.Worktree})
	case sameText(start.Head, start.Worktree):
		versions = append(versions, version{"HEAD", worktree, start.Head})
	default:
		versions = append(versions, version{"HEAD", "HEAD:" + hooks.ConfigName, start.Head}, version{"turn", worktree, start.Worktree})
	}
	var layers []hooks.Layer
	for _, v := range versions {
		l := hooks.Layer{Name: v.name, Place: v.place}
		switch {
		case v.text == nil:
			if v.name == "user" && v.place != place {
				l.Config = &hooks.Config{} // there was none: it lifted nothing
			}
		case v.name == "user":
			l.Config, err = hooks.DecodeUserConfig(v.place, v.text)
		default:
			l.Config, err = hooks.DecodeConfig(v.place, v.text)
		}
		if err != nil {
			return layers, err
		}
		layers = append(layers, l)
	}
	return layers, nil
}
