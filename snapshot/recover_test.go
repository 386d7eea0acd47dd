package snapshot

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func sameTree(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(got)) {
		if got[p] != want[p] {
			t.Errorf("%s: %s: got %q, want %q", what, p, got[p], want[p])
		}
	}
	for _, p := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[p]; !ok {
			t.Errorf("%s: %s: missing, want %q", what, p, want[p])
		}
	}
}

func modes(t *testing.T, run func(t *testing.T, opt Options)) {
	t.Run("exchange", func(t *testing.T) { run(t, Options{}) })
	t.Run("fallback", func(t *testing.T) { run(t, Options{NoExchange: true}) })
}

// Killed at any step, the next command finds everything old or everything new
// and says so.
func TestKilledAtEveryStep(t *testing.T) {
	modes(t, func(t *testing.T, opt Options) {
		outcomes := map[Outcome]int{}
		for at := 0; ; at++ {
			m, top := memory{}, t.TempDir()
			lay(t, top, everything)
			before := tree(t, top)
			plan, step, closed := applyUntil(t, top, opt, m, m.everything(), at)
			if step == "" {
				sameTree(t, "alive", tree(t, top), changed)
				break
			}
			w := open(t, top, Options{Store: m, NoExchange: opt.NoExchange, NoSync: true})
			if closed {
				res, err := w.Clear(7, recorded(plan))
				if err != nil || len(res.Kept) > 0 {
					t.Errorf("%s: %v %v", step, err, res.Kept)
				}
				sameTree(t, step, tree(t, top), changed)
				continue
			}
			r, err := w.Recover(7, recorded(plan), true)
			if err != nil {
				t.Fatalf("%s: %v", step, err)
			}
			outcomes[r.Outcome]++
			want := before
			if r.Outcome == Completed {
				want = changed
				if _, err := w.Clear(7, recorded(plan)); err != nil {
					t.Fatal(err)
				}
			}
			if r.Outcome == Partial || len(r.Left)+len(r.Kept) > 0 {
				t.Errorf("%s: %+v", step, r)
			}
			sameTree(t, fmt.Sprint(step, " ", r.Outcome), tree(t, top), want)
		}
		if outcomes[Nothing] == 0 || outcomes[Completed] == 0 || outcomes[RolledBack] == 0 {
			t.Errorf("not every outcome was met: %v", outcomes)
		}
	})
}

// Recovery can be killed, too.
func TestRecoveryKilled(t *testing.T) {
	modes(t, func(t *testing.T, opt Options) {
		for at := 0; ; at += 5 {
			for inner := at % 3; ; inner += 3 {
				m, top := memory{}, t.TempDir()
				lay(t, top, everything)
				before := tree(t, top)
				plan, step, closed := applyUntil(t, top, opt, m, m.everything(), at)
				if step == "" || closed {
					return
				}
				count, second := 0, ""
				w := open(t, top, Options{Store: m, NoExchange: opt.NoExchange, NoSync: true, Step: func(step string) {
					if count++; count > inner {
						second = step
						panic(errDied)
					}
				}})
				func() {
					defer func() { recover() }()
					w.Recover(7, recorded(plan), true)
				}()
				if second == "" {
					break
				}
				w = open(t, top, Options{Store: m, NoExchange: opt.NoExchange, NoSync: true})
				r, err := w.Recover(7, recorded(plan), true)
				if err != nil {
					t.Fatalf("%s, %s: %v", step, second, err)
				}
				want := before
				if r.Outcome == Completed {
					want = changed
					if _, err := w.Clear(7, recorded(plan)); err != nil {
						t.Fatal(err)
					}
				}
				sameTree(t, fmt.Sprint(step, ", ", second, " ", r.Outcome), tree(t, top), want)
			}
		}
	})
}

// What a person did between the crash and the next command stays.
func TestChangedBeforeRecovery(t *testing.T) {
	person := map[string]func(top string) error{
		"a.txt": func(top string) error { return os.WriteFile(filepath.Join(top, "a.txt"), []byte("mine"), 0o644) },
		"run.sh": func(top string) error {
			os.WriteFile(filepath.Join(top, "n"), []byte("mine"), 0o644)
			return os.Rename(filepath.Join(top, "n"), filepath.Join(top, "run.sh"))
		},
		"to.txt": func(top string) error { return os.WriteFile(filepath.Join(top, "to.txt"), []byte("mine"), 0o644) },
	}
	modes(t, func(t *testing.T, opt Options) {
		for path, act := range person {
			for at := 0; ; at++ {
				m, top := memory{}, t.TempDir()
				lay(t, top, everything)
				before := tree(t, top)
				plan, step, closed := applyUntil(t, top, opt, m, m.everything(), at)
				if step == "" || closed {
					break
				}
				if err := act(top); err != nil {
					t.Fatal(err)
				}
				r, err := open(t, top, Options{Store: m, NoExchange: opt.NoExchange, NoSync: true}).Recover(7, recorded(plan), true)
				if err != nil {
					t.Fatalf("%s: %v", step, err)
				}
				got := tree(t, top)
				for p, s := range got {
					if p == path && s != "0644 mine" || p != path && s != before[p] {
						t.Errorf("%s, %s written (%d): %s holds %q, was %q", step, path, r.Outcome, p, s, before[p])
					}
				}
				for p := range before {
					if got[p] == "" {
						t.Errorf("%s, %s written: %s is missing", step, path, p)
					}
				}
				if !slices.Equal(r.Left, []string{path}) || r.Outcome == Completed {
					t.Errorf("%s, %s written: %+v", step, path, r)
				}
			}
		}
	})
}

// With HEAD moved no path is put back, whatever is found.
func TestRecoverMayNotTouch(t *testing.T) {
	for at := 0; ; at++ {
		m, top := memory{}, t.TempDir()
		lay(t, top, everything)
		plan, step, closed := applyUntil(t, top, Options{}, m, m.everything(), at)
		if step == "" || closed {
			return
		}
		strip := func(files map[string]string) map[string]string {
			maps.DeleteFunc(files, func(p, s string) bool {
				return strings.HasPrefix(filepath.Base(p), ".chordgit-") || s == "d"
			})
			return files
		}
		was := strip(tree(t, top))
		w := open(t, top, Options{Store: m, NoSync: true})
		r, err := w.Recover(7, recorded(plan), false)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome == Completed {
			w.Clear(7, recorded(plan))
		}
		sameTree(t, step, strip(tree(t, top)), was)
		for p := range tree(t, top) {
			if strings.Contains(p, ".chordgit-") {
				t.Errorf("%s: %s is left", step, p)
			}
		}
		if r.Outcome == RolledBack {
			t.Errorf("%s: nothing may have been put back", step)
		}
	}
}

// A temporary whose bytes nobody knows is kept under a name of its own.
func TestUnknownTemporaryIsKept(t *testing.T) {
	m, top := memory{}, t.TempDir()
	lay(t, top, everything)
	plan, _, _ := applyUntil(t, top, Options{}, m, m.everything(), 0)
	lay(t, top, map[string]string{".chordgit-7-0.tmp": "who wrote this?"})
	r, err := open(t, top, Options{Store: m}).Recover(7, recorded(plan), true)
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome != Nothing || !slices.Equal(r.Kept, []string{"a.txt.chordgit-kept-7"}) {
		t.Errorf("%+v", r)
	}
	if s := tree(t, top)["a.txt.chordgit-kept-7"]; s != "0644 who wrote this?" {
		t.Errorf("kept %q", s)
	}
}

// A staged file that was cut short is known for what it is, also with the
// zeros that a power cut leaves.
func TestStagedFileCutShort(t *testing.T) {
	for _, s := range []string{"", "ne", "ne\x00\x00\x00"} {
		m, top := memory{}, t.TempDir()
		lay(t, top, everything)
		plan, _, _ := applyUntil(t, top, Options{}, m, m.everything(), 0)
		lay(t, top, map[string]string{".chordgit-7-0.tmp": s})
		r, err := open(t, top, Options{Store: m}).Recover(7, recorded(plan), true)
		if err != nil || len(r.Kept) > 0 {
			t.Errorf("%q: %v %+v", s, err, r)
		}
	}
}
