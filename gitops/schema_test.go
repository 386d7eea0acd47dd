package gitops

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
)

const soundMeta = `{"format":1, "turn":7, "kind":"apply", "scope":"paths", "status":"complete", "session":"s", "undoes":[3],
 "started":"2026-11-30T02:50:11.123Z", "ended":"2026-11-30T02:51:40.007Z", "paths":["a b","caf%E9"],
 "worktree":{"id":"main","key":"K","path":"/home/u/app"}, "head":{"before":{"ref":"refs/heads/main"}},
 "modes":{"base":{"file":"0644"}, "before":{"a b":"0600"}}, "moves":[{"from":"x","to":"y"}], "stats":{"stored_bytes":40960}, "later":1}`

// TestMetaWrong names what a meta.json of this format cannot say.
func TestMetaWrong(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"format":1`, `"format":0`, "format 0"},
		{`"format":1`, `"format":2`, "newer chordgit"},
		{`"kind":"apply"`, `"kind":["new"]`, "cannot be read"},
		{`"format":1, "turn":7, "kind":"apply"`, `"format":9, "turn":7, "kind":["new"]`, "newer chordgit"},
		{`"turn":7`, `"turn":8`, "that of turn 8"},
		{`"kind":"apply"`, `"kind":"guess"`, `kind "guess" is unknown`},
		{`"scope":"paths"`, `"scope":""`, `scope "" is unknown`},
		{`"status":"complete"`, `"status":"done"`, `status "done" is unknown`},
		{`"undoes":[3]`, `"undoes":[3,7]`, "it undoes turn 7"},
		{`"undoes":[3]`, `"undoes":[0]`, "it undoes turn 0"},
		{`"started":"2026-11-30T02:50:11.123Z",`, ``, "it has no start"},
		{`"a b","caf%E9"`, `"../a"`, `path "../a"`},
		{`"a b","caf%E9"`, `"a//b"`, `path "a//b"`},
		{`"a b","caf%E9"`, `"/etc/passwd"`, `path "/etc/passwd"`},
		{`"a b","caf%E9"`, `"%2E%2E"`, `path "%2E%2E"`},
		{`"to":"y"`, `"to":""`, `move from "x" to ""`},
		{`"id":"main"`, `"id":""`, "it names no worktree"},
		{`"ref":"refs/heads/main"`, `"oid":"10e1"`, `HEAD is "10e1"`},
		{`"0600"`, `"0888"`, `mode "0888" of "a b"`},
		{`"0600"`, `"77777"`, `mode "77777" of "a b"`},
		{`40960`, `-1`, "stored_bytes is -1"},
	} {
		turn := &Turn{N: 7}
		err := turn.fill([]byte(strings.Replace(soundMeta, tt.old, tt.new, 1)))
		if err == nil {
			err = turn.usable()
		}
		switch {
		case tt.want == "" && err == nil:
		case tt.want == "" || err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, &edit.Error{Code: edit.Damaged}):
			t.Errorf("%s: %v, want %q", tt.new, err, tt.want)
		}
	}
}

// TestGitEncoding: what a turn tells of git's own state stands in members of its
// meta.json, and one in which nothing moved has no more than HEAD.
func TestGitEncoding(t *testing.T) {
	data, err := json.Marshal(&meta{Head: gitstate.Heads{After: gitstate.Head{OID: "20e2"}}, Git: gitstate.Record{Index: "unknown"}})
	for _, member := range []string{`"head":{"before":{},"after":{"oid":"20e2"}}`, `"git":{"index":"unknown"}`} {
		if err != nil || !bytes.Contains(data, []byte(member)) {
			t.Errorf("%v: meta.json lacks %s: %s", err, member, data)
		}
	}
	if data, err := json.Marshal(&meta{}); err != nil || bytes.Contains(data, []byte(`"git"`)) {
		t.Errorf("%v: a turn in which git's state stayed has a member git: %s", err, data)
	}
}

// TestDisagreements finds each trailer that says something else than meta.json.
func TestDisagreements(t *testing.T) {
	turn := &Turn{N: 7}
	if err := turn.fill([]byte(soundMeta)); err != nil {
		t.Fatal(err)
	}
	turn.Message = "fix it\n\nStatus: none of the trailers"
	text := turn.tagMessage()
	for _, tt := range []struct {
		old, new string
		want     []string
	}{
		{"", "", nil},
		{"Session: s\n", "Session: t\n", []string{"Session"}},
		{"Session: s\n", "", []string{"Session"}},
		{"Undoes: 3\n", "Undoes: 3\nUndoes: 4\n", []string{"Undoes"}},
		{"Format: 1\n", "Partial: yes\nFormat: 1\n", []string{"Partial"}},
		{"Format: 1\n", "Turn-Id: x\nFormat: 1\n", nil}, // of a later version
		{"Status: complete\n", "", []string{"Status"}},
	} {
		turn.said = strings.Replace(text, tt.old, tt.new, 1)
		if got := turn.disagreements(); !slices.Equal(got, tt.want) {
			t.Errorf("%q for %q: %v, want %v", tt.new, tt.old, got, tt.want)
		}
	}
}

// FuzzFill: whatever meta.json holds, it is usable or refused as damaged, and what
// is usable names no path outside.
func FuzzFill(f *testing.F) {
	f.Add([]byte(soundMeta), "x\n\nStatus: complete\n")
	f.Add([]byte(strings.Replace(soundMeta, "caf%E9", "%2e%2e/x", 1)), "")
	f.Add([]byte(`{"format":9,"kind":1}`), "\n\n")
	f.Fuzz(func(t *testing.T, data []byte, said string) {
		turn := &Turn{N: 7, said: said}
		err := turn.fill(data)
		if err == nil {
			turn.disagreements()
			err = turn.usable()
		}
		if err != nil && !errors.Is(err, &edit.Error{Code: edit.Damaged}) {
			t.Fatalf("%v", err)
		}
		for _, p := range turn.Paths {
			if err == nil && (p == ".." || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "/")) {
				t.Fatalf("path %q is usable", p)
			}
		}
	})
}
