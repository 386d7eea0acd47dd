package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops"
)

// twoTimeoutsMeanwhile are the same requests inside an open turn in which
// somebody changed line 6 since its begin.
func twoTimeoutsMeanwhile(t *testing.T, dir string) (passed, failed []string) {
	dir = filepath.Join(dir, "..", "examples", "two-timeouts")
	settings, err := os.ReadFile(filepath.Join(dir, "settings.py"))
	if err != nil {
		return nil, nil
	}
	const note, stale = "Note: settings.py: somebody else changed the file since the turn began", "[stale-overwrite]"
	for _, c := range []struct {
		file          string
		logged        bool // a read of another file is
		args          []string
		exit          int
		retries       string
		first, second string
		phrases       []string
		not           string
	}{
		{"01-codex-bare.patch", false, nil, 0, "4", "60", "30", []string{note, "also matches at line 10"}, stale},
		{"02-codex-anchor.patch", false, nil, 0, "4", "30", "60", []string{note, "at line 6"}, stale},
		{"02-codex-anchor.patch", true, nil, 0, "4", "30", "60", []string{note, "at line 6"}, stale},
		{"03-codex-context.patch", true, nil, 0, "4", "30", "60", []string{note, "at line 6"}, stale},
		{"04-codex-missing-anchor.patch", true, nil, 3, "4", "30", "30", []string{"[ambiguous]"}, stale},
		{"05-edit-ambiguous.json", true, nil, 3, "4", "30", "30", []string{"old_string found 2 times"}, stale},
		{"06-edit-unique.json", true, nil, 0, "4", "30", "60", []string{note, "at line 6"}, stale},
		{"07-edit-all.json", true, nil, 0, "4", "60", "60", []string{note, "at line 6"}, stale},
		{"08-aider-ambiguous.md", true, nil, 3, "4", "30", "30", []string{"[ambiguous]"}, stale},
		{"09-aider-unique.md", true, nil, 0, "4", "30", "60", []string{note, "at line 6"}, stale},
		{"10-responses-bare.json", true, nil, 0, "4", "60", "30", []string{note, "also matches at line 10"}, stale},
		{"11-responses-anchor.json", true, nil, 0, "4", "30", "60", []string{note, "at line 6"}, stale},
		{"12-aider-whole.md", false, nil, 0, "3", "30", "60", []string{note, "at line 6"}, stale},
		{"12-aider-whole.md", true, nil, 3, "4", "30", "30", []string{stale, "at line 6", `line 6: "    limits.retries = 4"`}, "Turn"},
		{"12-aider-whole.md", true, []string{"--force"}, 0, "3", "30", "60", []string{note, "at line 6"}, stale},
	} {
		name := fmt.Sprintf("%s logged=%v %v", c.file, c.logged, c.args)
		w := newWorkspace(t, map[string]fixture{"settings.py": {Text: string(settings)}})
		repo, err := gitops.Open(w.dir, gitops.Options{NoSync: true})
		if err == nil {
			_, err = repo.Begin(t.Context(), gitops.Turn{Session: "s"})
		}
		if err == nil && c.logged {
			err = repo.LogCall("s", gitops.Call{Kind: gitops.CallRead, Paths: []string{"other.py"}}, true)
		}
		if err == nil {
			err = errors.Join(repo.Close(), os.WriteFile(filepath.Join(w.dir, "settings.py"), []byte(timeouts(settings, "4", "30", "30")), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
		request, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := w.apply(string(request), append([]string{"--session=s"}, c.args...)...)
		all := stdout + stderr
		ok := code == c.exit && w.files()["settings.py"] == timeouts(settings, c.retries, c.first, c.second) && !strings.Contains(all, c.not)
		for _, phrase := range c.phrases {
			ok = ok && strings.Contains(all, phrase)
		}
		if ok {
			passed = append(passed, name)
			continue
		}
		failed = append(failed, fmt.Sprintf("%s: exit %d\n%s", name, code, all))
	}
	return passed, failed
}

// timeouts is the file of two timeouts with these values.
func timeouts(settings []byte, retries, first, second string) string {
	s := strings.Replace(string(settings), "retries = 3", "retries = "+retries, 1)
	s = strings.Replace(s, "timeout = 30", "timeout = "+first, 1)
	i := strings.LastIndex(s, "timeout = ")
	return s[:i] + "timeout = " + second + s[i+len("timeout = 30"):]
}
