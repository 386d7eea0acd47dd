package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chordgit/chordgit/edit"
)

// TestPruneDecides: "N" is a turn that stays, "N:why" one that goes.
func TestPruneDecides(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Now()
	turn := func(n, days int, bytes int64, undoes ...int) *past {
		return &past{n: n, ended: now.Add(-time.Duration(days) * day), bytes: bytes, undoes: undoes}
	}
	gone := func(p *past) *past { p.gone = true; return p }
	lost := func(p *past) *past { p.lost = true; return p }
	for _, tt := range []struct {
		name  string
		turns []*past
		opt   PruneOptions
		kept  map[int]bool
		want  string
	}{
		{"no limit", []*past{turn(1, 900, 9), turn(2, 1, 9)}, PruneOptions{}, nil, "1 2"},
		{"number", []*past{turn(1, 5, 0), turn(2, 4, 0), turn(3, 3, 0)}, PruneOptions{Keep: Retention{Turns: 2}}, nil, "1:turns 2 3"},
		{"number, all young", []*past{turn(1, 0, 0), turn(2, 0, 0)}, PruneOptions{Keep: Retention{Turns: 1}}, nil, "1 2"},
		{"size, the fewest", []*past{turn(1, 5, 10), turn(2, 4, 10), turn(3, 3, 10)}, PruneOptions{Keep: Retention{Size: 20}}, nil, "1:size 2 3"},
		{"a turn that stores nothing in the way goes, too", []*past{turn(1, 5, 0), turn(2, 4, 30), turn(3, 3, 10)}, PruneOptions{Keep: Retention{Size: 20}}, nil, "1:size 2:size 3"},
		{"age", []*past{turn(1, 31, 0), turn(2, 29, 0)}, PruneOptions{Keep: Retention{Age: 30 * day}}, nil, "1:age 2"},
		{"age takes what number need not take", []*past{turn(1, 31, 0), turn(2, 3, 0), turn(3, 2, 0)}, PruneOptions{Keep: Retention{Age: 30 * day, Turns: 2}}, nil, "1:age 2 3"},
		{"a kept rewind keeps its turn", []*past{turn(1, 5, 0), turn(2, 4, 0), turn(3, 3, 0, 1)}, PruneOptions{Keep: Retention{Turns: 2}}, nil, "1 2:turns 3"},
		{"and that of the rewind it takes back", []*past{turn(1, 9, 0), turn(2, 8, 0, 1), turn(3, 0, 0, 2)}, PruneOptions{Keep: Retention{Turns: 1}}, nil, "1 2 3"},
		{"all rewinds go, and so does the turn", []*past{turn(1, 9, 0), turn(2, 8, 0, 1), turn(3, 7, 0, 2), turn(4, 1, 0)}, PruneOptions{Keep: Retention{Turns: 1}}, nil, "1:turns 2:turns 3:turns 4"},
		{"a rewind about to be closed", []*past{turn(1, 9, 0), turn(2, 8, 0)}, PruneOptions{Keep: Retention{Turns: 1}}, map[int]bool{1: true}, "1 2:turns"},
		{"gone worktrees, but for the last day", []*past{gone(turn(1, 2, 0)), turn(2, 2, 0), gone(turn(3, 0, 0))}, PruneOptions{}, nil, "1:worktree 2 3"},
		{"all, but for what is open", []*past{turn(1, 0, 0), turn(2, 0, 0), turn(3, 0, 0, 1)}, PruneOptions{All: true}, map[int]bool{2: true}, "1:all 2 3:all"},
		{"lost", []*past{lost(turn(1, 0, 0)), turn(2, 0, 0)}, PruneOptions{}, nil, "1:lost 2"},
	} {
		p := &pruner{opt: tt.opt, now: now}
		p.decide(tt.turns, tt.kept)
		var got []string
		for _, at := range tt.turns {
			got = append(got, strings.TrimSuffix(fmt.Sprintf("%d:%s", at.n, at.why), ":"))
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, text, tt.want)
		}
	}
}

// TestPruneRefLocked: a ref that somebody else has locked stays, with its line,
// and the others go.
func TestPruneRefLocked(t *testing.T) {
	g, r := testRepo(t)
	for i := 1; i <= 3; i++ {
		write(t, r, "a", fmt.Sprint(i))
	}
	lock := filepath.Join(g.GitDir(), "refs", "chordgit", "turns", "2.lock")
	r.opt.Step = func(step string) {
		if step == "prune" { // after stale locks were removed
			os.WriteFile(lock, nil, 0o644)
		}
	}
	taken, err := r.Prune(t.Context(), PruneOptions{All: true})
	if len(taken) != 2 || taken[0].Turn != 1 || taken[1].Turn != 3 {
		t.Errorf("%v were taken", taken)
	}
	if err == nil || !strings.Contains(err.Error(), "turn 2 cannot be pruned") {
		t.Errorf("error %v", err)
	}
	os.Remove(lock)
	r.opt.Step = func(string) {}
	found, err := r.Verify(t.Context(), nil)
	if err != nil || len(found.Failures)+len(found.Notes) > 0 || len(found.Turns) != 1 || found.Turns[0] != 2 {
		t.Errorf("verify: %+v, %v", found, err)
	}
}

// TestPruneBesideApply: turns that are closed while another process prunes keep
// their lines.
func TestPruneBesideApply(t *testing.T) {
	g, r := testRepo(t)
	for i := range 40 {
		write(t, r, "a", fmt.Sprint("x", i))
	}
	other := reopen(t, g, Options{NoSync: true})
	done := make(chan error)
	go func() {
		_, err := other.Prune(t.Context(), PruneOptions{All: true})
		done <- err
	}()
	made := 0
	for running := true; running; made++ {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			running = false
		default:
		}
		write(t, r, "a", fmt.Sprint("y", made))
	}
	found, err := r.Verify(t.Context(), nil)
	if err != nil || len(found.Failures)+len(found.Notes) > 0 {
		t.Errorf("verify: %+v, %v", found, err)
	}
	if n := write(t, r, "a", "last").N; n != 40+made+1 {
		t.Errorf("after %d turns the next is %d", 40+made, n)
	}
}

// TestExceeds looks at the limits without reading more than the oldest turn.
func TestExceeds(t *testing.T) {
	_, r := testRepo(t)
	check := func(keep Retention, want string) {
		t.Helper()
		if got, err := r.Exceeds(keep); got != want || err != nil {
			t.Errorf("%+v: %q, %v; want %q", keep, got, err, want)
		}
	}
	check(Retention{Turns: 1, Age: 1, Size: 1}, "")
	old := time.Now().Add(-40 * 24 * time.Hour)
	for i, ended := range []time.Time{old, time.Now()} {
		turn := write(t, r, "a", fmt.Sprint(i))
		if err := backdate(r, turn, ended); err != nil {
			t.Fatal(err)
		}
		check(Retention{Turns: i + 1, Size: 1 << 20}, "")
	}
	check(Retention{Turns: 1}, "turns")
	check(Retention{Turns: 2, Size: 3}, "size")
	check(Retention{Turns: 2, Age: 30 * 24 * time.Hour}, "age")
	check(Retention{Turns: 2, Age: 50 * 24 * time.Hour}, "")
	if _, err := r.Prune(t.Context(), PruneOptions{Keep: Retention{Turns: 1}}); err != nil {
		t.Fatal(err)
	}
	write(t, r, "a", "3")
	check(Retention{Turns: 1, Age: 1, Size: 1}, "") // all young
}

// backdate makes a closed turn end at another time.
func backdate(r *Repo, t *Turn, ended time.Time) error {
	before, err := r.side(t, "before")
	if err != nil {
		return err
	}
	after, err := r.side(t, "after")
	if err != nil {
		return err
	}
	old := t.tag
	t.Ended, t.meta.Ended = ended, ended
	d := &draft{batch: r.db.NewBatch(), before: before.root, after: after.root, meta: t.meta}
	defer d.batch.Close()
	if err := r.tag(t, d); err != nil {
		return err
	}
	if err := r.refs.Remove(turnRef(t.N), old); err != nil {
		return err
	}
	return r.close(t)
}

// TestVerifyStopsWithItsContext and says so, instead of calling all sound.
func TestVerifyStopsWithItsContext(t *testing.T) {
	_, r := testRepo(t)
	write(t, r, "a", "1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Verify(ctx, nil); err == nil {
		t.Error("no error")
	}
	if _, err := r.Verify(t.Context(), []string{"7"}); err != nil {
		t.Error(err)
	}
	found, _ := r.Verify(t.Context(), []string{"7"})
	if len(found.Failures) != 1 || found.Failures[0].Code != edit.NoTurn {
		t.Errorf("%v", found.Failures)
	}
}
