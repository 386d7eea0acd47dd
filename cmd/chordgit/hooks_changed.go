package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// A hookChange is what became of something outside of the worktree's files that
// makes git or an agent ask chordgit.
type hookChange struct {
	Turn int    `json:"turn"`
	Name string `json:"name"`
	Now  string `json:"now,omitempty"` // its fingerprint; empty: it is gone
	Had  bool   `json:"had,omitempty"` // it was there before
}

func (c *hookChange) String() string {
	switch {
	case c.Name == hooksPathPrint:
		return "core.hooksPath leads to " + edit.Quote(c.Now)
	case c.Now == "":
		return edit.Quote(c.Name) + " removed"
	case !c.Had:
		return edit.Quote(c.Name) + " added"
	}
	return edit.Quote(c.Name) + " changed"
}

// hooksPathPrint is under which name the directory of git's hooks is kept.
const hooksPathPrint = "core.hooksPath"

// fingerprints are those of what is told to run by git's hooks and, as far as
// chordgit stands in them, by agents' settings.
func (a *app) fingerprints(repo *gitops.Repo) map[string]string {
	prints := map[string]string{}
	dir := repo.HooksDir()
	prints[hooksPathPrint] = dir
	scripts, _ := os.ReadDir(dir)
	for _, script := range scripts {
		if name := script.Name(); !strings.HasSuffix(name, ".sample") {
			fingerprint(prints, filepath.Join(dir, name), "")
		}
	}
	maps.Copy(prints, repo.HookPrints())
	for _, name := range a.agentSettings(repo.Top()) {
		fingerprint(prints, name, "chordgit")
	}
	return prints
}

// agentSettings are the files that tell agents which hooks to run: of the worktree
// and of the user.
func (a *app) agentSettings(top string) (names []string) {
	home := filepath.ToSlash(a.getenv("HOME"))
	for _, f := range hooks.AgentFiles() {
		for _, name := range f.Settings(filepath.ToSlash(top), home, a.getenv) {
			names = append(names, filepath.FromSlash(name))
		}
	}
	return names
}

// fingerprint adds that of a file, if it holds a text.
func fingerprint(prints map[string]string, name, holds string) {
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

// hookChanges tells what became of the fingerprints in a turn.
func hookChanges(turn int, was, now map[string]string) (list []hookChange) {
	names := maps.Clone(was)
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, had := was[name]
		if after, has := now[name]; before != after || had != has {
			list = append(list, hookChange{Turn: turn, Name: name, Now: after, Had: had})
		}
	}
	return list
}

// hooksChanged adds what turns changed of hooks and is still as they left it.
func (a *app) hooksChanged(answer *hooksAnswer) {
	repo, err := a.open()
	if err != nil {
		return // status told, or there is no worktree
	}
	defer repo.Close()
	now := a.fingerprints(repo)
	states, err := repo.Sessions()
	if err != nil {
		answer.note("what turns changed of hooks is not known: %s", edit.Quote(err.Error()))
	}
	told := map[string]bool{}
	tell := func(when string, c *hookChange) {
		if line := fmt.Sprintf("changed %s turn %d: %s", when, c.Turn, c); !told[line] {
			told[line] = true
			answer.note("%s", line)
		}
	}
	for _, state := range states {
		f := factsOf(state)
		for i := range f.Hooks {
			if c := &f.Hooks[i]; now[c.Name] == c.Now {
				tell("during", c)
			}
		}
		if f.Start != nil && f.Start.Turn == state.Open && state.Open > 0 {
			for _, c := range hookChanges(state.Open, f.Start.Outside, now) {
				tell("since the begin of", &c)
			}
		}
	}
}
