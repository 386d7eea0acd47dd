package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

// dirModes reads the permissions of all directories below top.
func dirModes(t testing.TB, top string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(top, func(p string, e fs.DirEntry, err error) error {
		if err != nil || p == top || !e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(top, p)
		fi, err := e.Info()
		out[rel] = fmt.Sprintf("%04o", modeBits(fi.Mode()))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var barred = map[string]string{"d/f": "old", "d/in/g": "old", "gone/f": "gone", "other/": ""}

func layBarred(t testing.TB, top string) {
	lay(t, top, barred)
	for dir, mode := range map[string]fs.FileMode{"gone": 0o500, "d/in": 0o550} {
		if err := os.Chmod(filepath.Join(top, dir), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// barring is a plan that gives directories permissions: of those that stay, one that
// is made, and one that goes.
func (m memory) barring(t testing.TB, w *Worktree) *edit.Plan {
	p := m.plan(t, w, wish{
		after: map[string]*edit.File{"d/f": m.file("new", 0o644), "d/in/g": m.file("new", 0o644), "gone/f": nil, "n/f": m.file("new", 0o644)},
		rmdir: []string{"gone"},
	})
	p.DirModes = []edit.DirMode{
		{Path: "d", Before: 0o755, After: 0o555}, {Path: "d/in", Before: 0o550, After: 0o700}, {Path: "gone", Before: 0o500},
		{Path: "n", After: 0o500}, {Path: "other", Before: 0o755, After: 0o711},
	}
	return p
}

// die carries a plan out until a step, counted from 0, and gives the transaction as
// it stands. The step is empty if there are not so many.
func (w *Worktree) die(t testing.TB, plan *edit.Plan, at int) (x *tx, step string) {
	t.Helper()
	x, err := w.begin(7, plan)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	w.opt.Step = func(s string) {
		if count++; count > at {
			step = s
			panic(errDied)
		}
	}
	defer func() {
		w.opt.Step = func(string) {}
		if r := recover(); r != nil && r != any(errDied) {
			panic(r)
		}
	}()
	if err := x.carryOut(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x, step
}

// What fails at any step of a transaction that gives directories permissions leaves
// them as they were, whether it is rolled back at once or found by the next command;
// and so does a file that somebody changed before that.
func TestDirectoryPermissionsGoBack(t *testing.T) {
	for _, how := range []string{"rollback", "recover", "changed since"} {
		met := map[bool]int{}
		for at := 0; ; at++ {
			m, top := memory{}, t.TempDir()
			layBarred(t, top)
			files, dirs := tree(t, top), dirModes(t, top)
			w := open(t, top, Options{Store: m, NoSync: true})
			plan := m.barring(t, w)
			x, step := w.die(t, plan, at)
			if step == "" {
				x.close()
				if got := dirModes(t, top); got["d"] != "0555" || got["d/in"] != "0700" || got["n"] != "0500" || got["other"] != "0711" || got["gone"] != "" {
					t.Errorf("alive: %v", got)
				}
				break
			}
			completed := false
			if how == "rollback" {
				// Between two files: within one nothing can fail but what undoes it itself.
				name, _, _ := strings.Cut(step, ":")
				if name != "mkdir" && name != "rmdir" && name != "dirmode" && name != "opendir" && name != "sync" {
					x.close()
					continue
				}
				if err := x.rollback(errors.New("the disk is full")); errors.Is(err, &edit.Error{Code: edit.RollbackFailed}) {
					t.Errorf("%s: %v", step, err)
				}
				x.close()
			} else {
				x.close()
				if how == "changed since" {
					if err := os.WriteFile(filepath.Join(top, "d/in/g"), []byte("mine"), 0o644); err != nil {
						t.Fatal(err)
					}
					files["d/in/g"] = "0644 mine"
				}
				again := recorded(plan)
				again.DirModes = plan.DirModes
				r, err := w.Recover(7, again, true)
				if err != nil {
					t.Fatalf("%s: %v", step, err)
				}
				completed = r.Outcome == Completed
				if completed && how == "changed since" {
					t.Errorf("%s: %+v", step, r)
				}
			}
			met[completed]++
			if completed {
				if got := dirModes(t, top); got["d"] != "0555" || got["n"] != "0500" || got["other"] != "0711" {
					t.Errorf("%s, %s: completed: %v", how, step, got)
				}
				continue
			}
			sameTree(t, how+", "+step, tree(t, top), files)
			sameTree(t, how+", "+step, dirModes(t, top), dirs)
		}
		if met[false] == 0 || (met[true] > 0) != (how == "recover") {
			t.Errorf("%s: %v", how, met)
		}
	}
}

// Permissions alone are taken back as a whole, too, and what somebody set since
// stays.
func TestDirectoryPermissionsAlone(t *testing.T) {
	for at := 0; ; at++ {
		m, top := memory{}, t.TempDir()
		layBarred(t, top)
		dirs := dirModes(t, top)
		w := open(t, top, Options{Store: m, NoSync: true})
		plan := &edit.Plan{DirModes: []edit.DirMode{{Path: "d", Before: 0o755, After: 0o555}, {Path: "d/in", Before: 0o550, After: 0o700}, {Path: "other", Before: 0o755, After: 0o711}}}
		x, step := w.die(t, plan, at)
		x.close()
		if step == "" {
			break
		}
		if err := os.Chmod(filepath.Join(top, "other"), 0o770); err != nil {
			t.Fatal(err)
		}
		dirs["other"] = "0770"
		r, err := w.Recover(7, plan, true)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome != Completed {
			sameTree(t, step, dirModes(t, top), dirs)
		} else if got := dirModes(t, top); got["d"] != "0555" || got["d/in"] != "0700" || got["other"] != "0770" {
			t.Errorf("%s: %v", step, got)
		}
	}
}
