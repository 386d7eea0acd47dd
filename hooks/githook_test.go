package hooks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/hooks"
)

var (
	one  = strings.Repeat("1", 40)
	two  = strings.Repeat("2", 40)
	none = strings.Repeat("0", 40)
)

// The guard lets through what sync push sends, deletions, and everything that is
// no turn.
func TestGuarded(t *testing.T) {
	for _, c := range []struct {
		line    string
		refused bool
	}{
		{"refs/heads/main " + one + " refs/heads/main " + two, false},
		{"refs/chordgit/turns/7 " + one + " refs/chordgit/turns/7 " + none, true},
		{"refs/chordgit/turns/7 " + one + " refs/heads/x " + none, true},
		{"refs/heads/main " + one + " refs/chordgit/x " + none, true},
		{"(delete) " + none + " refs/chordgit/turns/7 " + one, false},
		{"refs/chordgit/turns/7 " + one + " refs/chordgit/clones/0a1b2c3d/7 " + none, false},
		{"refs/chordgit/turns/7 " + one + " refs/chordgit/clones/0a1b2c3d/8 " + none, true},
		{"refs/chordgit/turns/7 " + one + " refs/chordgit/clones/ffffffff/7 " + none, true},
		{"refs/chordgit/clones/ffffffff/7 " + one + " refs/chordgit/clones/ffffffff/7 " + none, true},
		{"main@{1 day ago} " + one + " refs/heads/main " + none, false},
	} {
		updates, err := hooks.ParsePrePush(c.line + "\n")
		if err != nil || len(updates) != 1 {
			t.Errorf("%s: %v, %v", c.line, updates, err)
			continue
		}
		if got := len(hooks.Guarded(updates, "0a1b2c3d")) > 0; got != c.refused {
			t.Errorf("%s: refused %v", c.line, got)
		}
	}
	updates, _ := hooks.ParsePrePush("refs/chordgit/turns/7 " + one + " refs/chordgit/clones//7 " + none)
	if len(hooks.Guarded(updates, "")) == 0 {
		t.Error("a clone without an id sent a turn")
	}
	received, err := hooks.ParsePreReceive(none + " " + one + " refs/chordgit/turns/7\n" + none + " " + one + " refs/chordgit/clones/a/7\n" + one + " " + none + " refs/chordgit/x\n")
	if refused := hooks.GuardedHere(received); err != nil || len(refused) != 1 || refused[0].Ref != "refs/chordgit/turns/7" {
		t.Errorf("the server refuses %v, %v", refused, err)
	}
}

func TestParseUpdatesRefuses(t *testing.T) {
	for _, bad := range []string{"x\n", "refs/heads/a " + one + " refs/heads/a\n", " " + one + " r " + two, "r " + one + " r xyz", "a b c d"} {
		if got, err := hooks.ParsePrePush(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
		if got, err := hooks.ParsePreReceive(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

// What is read has every line of the input: none is passed over.
func FuzzPrePush(f *testing.F) {
	f.Add("refs/heads/main " + one + " refs/heads/main " + two + "\n")
	f.Add("(delete) " + none + " refs/chordgit/turns/7 " + one)
	f.Add("main@{1 day ago} " + one + " refs/heads/main " + none + "\n\n")
	f.Add(none + " " + one + " refs/heads/a\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines := slices.Collect(strings.Lines(text))
		push, err1 := hooks.ParsePrePush(text)
		receive, err2 := hooks.ParsePreReceive(text)
		if err1 == nil && len(push) != len(lines) || err2 == nil && len(receive) != len(lines) {
			t.Fatalf("%d lines, read %d and %d", len(lines), len(push), len(receive))
		}
		for i, u := range push {
			if strings.TrimSuffix(lines[i], "\n") != u.Local+" "+u.New+" "+u.Ref+" "+u.Old {
				t.Fatalf("%q became %+v", lines[i], u)
			}
		}
	})
}

func TestAgentFromCommit(t *testing.T) {
	for _, c := range []struct{ author, committer, message, want string }{
		{"A <a@localhost> 1 +0000", "A <a@localhost> 1 +0000", "x\n", ""},
		{"A <a@localhost>", "", "x\n\nCo-Authored-By: Claude <noreply@anthropic.com>\n", "claude-code"},
		{"Copilot <198982749+Copilot@users.noreply.github.com>", "", "", "copilot"},
		{"A <a@localhost>", "x <1+devin-ai-integration[bot]@users.noreply.github.com> 1 +0000", "", "devin"},
		{"dependabot[bot] <1+dependabot[bot]@users.noreply.github.com>", "", "", ""},
		{"A <a@localhost>", "", "about Co-authored-by: Claude <noreply@anthropic.com>", ""},
		{"noreply@anthropic.com", "", "", ""},
	} {
		if got := hooks.AgentFromCommit(c.author, c.committer, c.message); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
