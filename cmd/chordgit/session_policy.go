package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// sessionFacts are what is kept of a session beside its turns.
type sessionFacts struct {
	Start *startFacts `json:"start,omitempty"` // of the open turn
	Notes []string    `json:"notes,omitempty"` // for the model, not delivered yet
}

// startFacts are what held when a turn began. They save a hook the way to the
// repository's objects and index, and tell what is stored nowhere else.
type startFacts struct {
	Turn     int      `json:"turn"`
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
	start, err := a.startFacts(repo, t)
	if err != nil {
		return err
	}
	return changeFacts(ctx, repo, t.Session, func(f *sessionFacts) { f.Start = start })
}

// startFacts finds what holds as a turn begins.
func (a *app) startFacts(repo *gitops.Repo, t *gitops.Turn) (start *startFacts, err error) {
	start = &startFacts{Turn: t.N, Outside: a.outside(repo)}
	if start.Head, start.Worktree, err = repo.StartOf(t, hooks.ConfigName, hooks.ConfigLimit+1); err != nil {
		return nil, err
	}
	if start.User, err = a.userText(); err != nil {
		return nil, err
	}
	if start.Gitlinks, err = repo.Gitlinks(); err != nil {
		return nil, err
	}
	start.Sum = start.sum()
	return start, nil
}

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
	if string(start.User) != string(now) || (start.User == nil) != (now == nil) {
		versions = append(versions, version{"user", place + " as the turn began", start.User})
	}
	switch {
	case start.Head == nil:
		versions = append(versions, version{"turn", hooks.ConfigName, start.Worktree})
	case string(start.Head) == string(start.Worktree):
		versions = append(versions, version{"HEAD", hooks.ConfigName, start.Head})
	default:
		versions = append(versions, version{"HEAD", "HEAD:" + hooks.ConfigName, start.Head}, version{"turn", hooks.ConfigName, start.Worktree})
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

// outside are fingerprints of what is told to run by git's hooks and, as far as
// chordgit stands in them, by agents' settings.
func (a *app) outside(repo *gitops.Repo) map[string]string {
	prints := map[string]string{}
	dir := repo.HooksDir()
	prints["core.hooksPath"] = dir
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range names {
		if !strings.HasSuffix(name, ".sample") {
			a.fingerprint(prints, name, "")
		}
	}
	home := a.getenv("HOME")
	for _, root := range []string{repo.Top(), home} {
		for _, rel := range []string{".claude/settings.json", ".claude/settings.local.json", ".codex/hooks.json", ".codex/config.toml", ".gemini/settings.json",
			".cursor/hooks.json", ".opencode/plugins/chordgit.js", ".config/opencode/plugins/chordgit.js", ".github/hooks/chordgit.json", ".copilot/hooks/chordgit.json"} {
			if root != "" {
				a.fingerprint(prints, filepath.Join(root, filepath.FromSlash(rel)), "chordgit")
			}
		}
	}
	return prints
}

// fingerprint adds that of a file, if it holds a text.
func (a *app) fingerprint(prints map[string]string, name, holds string) {
	const most = 1 << 20
	fi, err := os.Stat(name)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > most {
		return
	}
	data, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(data), holds) {
		return
	}
	sum := sha256.Sum256(data)
	prints[filepath.ToSlash(name)] = hex.EncodeToString(sum[:])
}

// outsideChanged tells what became of the fingerprints.
func outsideChanged(was, now map[string]string) (lines []string) {
	names := maps.Clone(was)
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, had := was[name]
		after, has := now[name]
		switch {
		case before == after && had == has:
		case name == "core.hooksPath":
			lines = append(lines, "core.hooksPath leads to "+edit.Quote(after))
		case !has:
			lines = append(lines, edit.Quote(name)+" removed")
		case !had:
			lines = append(lines, edit.Quote(name)+" added")
		default:
			lines = append(lines, edit.Quote(name)+" changed")
		}
	}
	return lines
}
