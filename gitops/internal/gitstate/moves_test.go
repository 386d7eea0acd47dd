package gitstate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

// commit is the id of the n-th commit of a test; 0: none.
func commit(n int) object.ID {
	if n == 0 {
		return object.ID{}
	}
	id, _ := object.ParseID(fmt.Sprintf("%040x", n))
	return id
}

// TestHeadMoves reads the moves of HEAD out of its reflog, in which commits are work
// and no moves.
func TestHeadMoves(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after int
		log           string // from, to and the message, a step a line
		want          string // kind, from and to
	}{
		{"nothing", 1, 1, "", ""},
		{"commits", 1, 3, "1 2 commit: x\n2 3 commit (amend): x", ""},
		{"the first commit", 0, 1, "0 1 commit (initial): x", ""},
		{"a switch between commits", 1, 5, "1 2 commit: x\n2 4 checkout: moving from a to b\n4 5 commit: y", "switch 2 4"},
		{"a merge", 1, 3, "1 3 commit (merge): x", "merge 1 3"},
		{"a message that only begins like one", 1, 2, "1 2 resetting: x", "move 1 2"},
		{"no message", 1, 2, "1 2 ", "move 1 2"},
		{"steps of one rebase", 1, 6, "1 4 rebase (start): checkout main\n4 5 rebase (pick): x\n5 6 rebase (finish): returning", "rebase 1 6"},
		{"a rebase that goes back", 1, 1, "1 4 rebase (start): checkout main\n4 1 rebase (abort): returning", ""},
		{"two resets", 1, 3, "1 2 reset: moving to HEAD~\n2 3 reset: moving to x", "reset 1 2, reset 2 3"},
		{"what the log does not tell", 1, 5, "2 3 commit: x", "move 1 2, move 3 5"},
		{"no log", 1, 2, "", "move 1 2"},
	} {
		var log []ref.LogEntry
		for line := range strings.Lines(tt.log) {
			var from, to int
			fmt.Sscan(line, &from, &to)
			log = append(log, ref.LogEntry{Old: commit(from), New: commit(to), Message: strings.TrimSuffix(strings.SplitN(line, " ", 3)[2], "\n")})
		}
		var got []string
		for _, m := range headMoves(log, oid(commit(tt.before)), oid(commit(tt.after))) {
			got = append(got, fmt.Sprintf("%s %s %s", m.Kind, strings.TrimLeft(m.From, "0"), strings.TrimLeft(m.To, "0")))
		}
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestWords names moves as a person does, each kind once.
func TestWords(t *testing.T) {
	turn := &Turn{Record: Record{Moves: []Move{{Kind: "switch"}, {Kind: "pull"}, {Kind: "switch"}, {Kind: "move"}}}}
	turn.Head.After.Ref = "refs/heads/main"
	if got, want := Words(turn.Kinds(), false), "the branch switch, the pull and a move of HEAD"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Words(turn.Kinds(), true), "the switch, the pull and the move"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	turn.Head.After.Ref = ""
	if got, want := turn.Kinds(), []string{"checkout", "pull", "move"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (&Turn{}).Kinds(); got != nil {
		t.Errorf("%q of a turn without moves", got)
	}
}

// TestStashBetween tells the lists that a change of the stashes passes from those
// that somebody else made.
func TestStashBetween(t *testing.T) {
	list := func(ids string) (list []Stash) {
		for _, id := range strings.Fields(ids) {
			list = append(list, Stash{ID: id})
		}
		return list
	}
	m := &Stashes{Before: list("c b a"), After: list("e d a")}
	for now, want := range map[string]bool{
		"c b a": true, "b a": true, "a": true, "d a": true, "e d a": true,
		"": false, "e a": false, "c a": false, "x a": false, "e d c b a": false,
	} {
		if got := m.between(list(now)); got != want {
			t.Errorf("%q: %v, want %v", now, got, want)
		}
	}
	if got, want := m.Went(), list("c b"); !slices.Equal(got, want) {
		t.Errorf("went: %v, want %v", got, want)
	}
	if got, want := m.Came(), list("e d"); !slices.Equal(got, want) {
		t.Errorf("came: %v, want %v", got, want)
	}
}
