//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestConcurrentApplies runs eight applies at once: to eight files they give
// eight turns, to one file no lost update.
func TestConcurrentApplies(t *testing.T) {
	const n = 8
	files := map[string]string{"shared": ""}
	for i := range n {
		files[fmt.Sprint("f", i)] = "old\n"
		files["shared"] += fmt.Sprintf("line %d\n", i)
	}
	for name, patch := range map[string]func(int) string{
		"different files": func(i int) string {
			return fmt.Sprintf("*** Begin Patch\n*** Update File: f%d\n@@\n-old\n+new %d\n*** End Patch\n", i, i)
		},
		"one file": func(i int) string {
			return fmt.Sprintf("*** Begin Patch\n*** Update File: shared\n@@\n-line %d\n+LINE %d\n*** End Patch\n", i, i)
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := victim{workspace: newWorkspace(t, toFixtures(files))}
			var wg sync.WaitGroup
			for i := range n {
				wg.Go(func() {
					cmd := v.command("apply")
					cmd.Stdin = strings.NewReader(patch(i))
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("apply %d: %v\n%s", i, err, out)
					}
				})
			}
			wg.Wait()
			closed, open := v.refs()
			if len(closed) != n || len(open) != 0 {
				t.Errorf("turns %v, open %v", closed, open)
			}
			got := v.files()
			for i := range n {
				if name == "one file" && !strings.Contains(got["shared"], fmt.Sprintf("LINE %d\n", i)) {
					t.Errorf("update %d is lost: %q", i, got["shared"])
				}
				if name == "different files" && got[fmt.Sprint("f", i)] != fmt.Sprintf("new %d\n", i) {
					t.Errorf("f%d holds %q", i, got[fmt.Sprint("f", i)])
				}
			}
			if out, err := exec.Command("git", "-C", v.dir, "fsck", "--strict", "--full").CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("fsck: %v\n%s", err, out)
			}
		})
	}
}

// raceTime is how long each kind of writer disturbs applies: CHORDGIT_RACE
// ("60s"), by default two seconds.
func raceTime(t *testing.T) time.Duration {
	d := 2 * time.Second
	if s := os.Getenv("CHORDGIT_RACE"); s != "" {
		var err error
		if d, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// TestWriterRace lets another process save a file over and over while applies
// change it. Every save that the writer itself did not replace must be on disk,
// in a turn, or in a kept file; every apply either landed as a whole or says
// that the file changed. Where two names cannot be exchanged, what is saved by
// rename between the second name of the old file and the rename over it is lost,
// as the note of such an apply says: there one save in many may be missing.
func TestWriterRace(t *testing.T) {
	for name, save := range map[string]string{
		// Each script saves its whole text: a head that the patch changes back and
		// forth, and the number of the save.
		"rename":  `printf 'head\nsave %d.\n' $i > tmp-save && mv tmp-save f`,
		"inplace": `printf 'head\nsave %d.\n' $i > f`,
		"append":  `printf 'save %d.\n' $i >> f`,
	} {
		for _, env := range [][]string{nil, {"CHORDGIT_TEST_NOEXCHANGE=1"}} {
			t.Run(strings.TrimSpace(name+" "+strings.Join(env, "")), func(t *testing.T) {
				raceWith(t, name, save, env)
			})
		}
	}
}

// round is how many saves the writer makes before the last one is looked for.
const round = 40

func raceWith(t *testing.T, kind, save string, env []string) {
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"f": "head\nsave 0.\n"})), env: env}
	deadline := time.Now().Add(raceTime(t))
	var landed, stale, rounds, applies, gone int
	last := 0
	for time.Now().Before(deadline) {
		rounds++
		first := last + 1
		last += round
		writer := exec.Command("sh", "-c", fmt.Sprintf(`i=%d; while [ $i -le %d ]; do %s; i=$((i+1)); done`, first, last, save))
		writer.Dir = v.dir
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		var done atomic.Bool
		finished := make(chan error, 1)
		go func() {
			err := writer.Wait()
			done.Store(true)
			finished <- err
		}()
		for !done.Load() {
			applies++
			switch out, code := v.disturbed(); code {
			case 0:
				landed++
			case 3:
				stale++
			default:
				t.Fatalf("exit %d\n%s", code, out)
			}
		}
		if err := <-finished; err != nil {
			t.Fatal(err)
		}
		wanted := []int{last}
		if kind == "append" { // no save replaces another
			wanted = nil
			for i := first; i <= last; i++ {
				wanted = append(wanted, i)
			}
		}
		if lost := v.lost(wanted); len(lost) > 0 {
			if gone += len(lost); kind != "rename" || env == nil {
				t.Fatalf("round %d: the saves %v are nowhere; f holds %q", rounds, lost, v.files()["f"])
			}
		}
	}
	if gone > 1+rounds/20 {
		t.Errorf("%d saves of %d rounds are nowhere: more than the last microseconds", gone, rounds)
	}
	t.Logf("%d rounds of %d saves, %d applies: %d landed, %d refused, %d saves lost", rounds, round, applies, landed, stale, gone)
	if landed == 0 {
		t.Error("no apply landed: nothing was tried")
	}
	if _, open := v.refs(); len(open) > 0 {
		t.Errorf("open marks are left: %v", open)
	}
}

// disturbed applies a patch that changes the head back or forth.
func (v victim) disturbed() (string, int) {
	v.t.Helper()
	from, to := "head", "HEAD"
	if data, _ := os.ReadFile(filepath.Join(v.dir, "f")); bytes.HasPrefix(data, []byte("HEAD")) {
		from, to = to, from
	}
	cmd := v.command("apply")
	cmd.Stdin = strings.NewReader(fmt.Sprintf("*** Begin Patch\n*** Update File: f\n@@\n-%s\n+%s\n*** End Patch\n", from, to))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(out), exit.ExitCode()
	}
	if err != nil {
		v.t.Fatal(err)
	}
	return string(out), 0
}

// lost returns the saves that are neither on disk nor in a turn.
func (v victim) lost(saves []int) (lost []int) {
	v.t.Helper()
	var all strings.Builder
	for _, text := range v.files() { // kept files among them
		all.WriteString(text)
	}
	for _, n := range saves {
		token := fmt.Sprintf("save %d.\n", n)
		if strings.Contains(all.String(), token) {
			continue
		}
		if out, _ := exec.Command("git", "-C", v.dir, "for-each-ref", "--format=%(refname)", "refs/chordgit/turns").Output(); v.inTurns(string(out), token) {
			continue
		}
		lost = append(lost, n)
	}
	return lost
}

func (v victim) inTurns(refs, token string) bool {
	for ref := range strings.Lines(refs) {
		for _, side := range []string{"before", "after"} {
			out, _ := exec.Command("git", "-C", v.dir, "cat-file", "blob", strings.TrimSpace(ref)+":"+side+"/f").Output()
			if strings.Contains(string(out), token) {
				return true
			}
		}
	}
	return false
}
