//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// fiveOperations are an update, an add in a new directory, a delete, a move, and
// a file that becomes a directory.
const fiveOperations = `*** Begin Patch
*** Update File: update
@@
-one
+ONE
*** Add File: new/dir/add
+added
*** Delete File: delete
*** Update File: move
*** Move to: moved/away
*** Delete File: swap
*** Add File: swap/in
+inside
*** End Patch
`

var (
	fiveBefore = map[string]string{"update": "one\ntwo\n", "delete": "gone\n", "move": "moves\n", "swap": "a file\n", "keep": "kept\n"}
	fiveAfter  = map[string]string{"update": "ONE\ntwo\n", "new/dir/add": "added\n", "moved/away": "moves\n", "swap/in": "inside\n", "keep": "kept\n"}
)

// A victim is a repository in which commands die.
type victim struct {
	workspace
	env []string
}

func (v victim) command(args ...string) *exec.Cmd {
	cmd := exec.Command("chordgit", append([]string{"-C", v.dir}, args...)...)
	cmd.Env = append(os.Environ(), "CHORDGIT_TEST_NOSYNC=1")
	cmd.Env = append(cmd.Env, v.env...)
	cmd.Dir = v.dir
	return cmd
}

// run runs a command and returns its output; a death by signal is no failure.
func (v victim) run(env []string, stdin string, args ...string) (out string, died syscall.Signal) {
	v.t.Helper()
	cmd := v.command(args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin = strings.NewReader(stdin)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if s := exit.Sys().(syscall.WaitStatus); s.Signaled() {
			return b.String(), s.Signal()
		}
		if exit.ExitCode() == 0 {
			err = nil
		}
	}
	if err != nil {
		v.t.Fatalf("chordgit %v: %v\n%s", args, err, b.String())
	}
	return b.String(), 0
}

// refs are the numbers of turns and open marks.
func (v victim) refs() (closed, open []string) {
	v.t.Helper()
	out, err := exec.Command("git", "-C", v.dir, "for-each-ref", "--format=%(refname)", "refs/chordgit").Output()
	if err != nil {
		v.t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if n, ok := strings.CutPrefix(line, "refs/chordgit/turns/"); ok {
			closed = append(closed, n)
		} else {
			open = append(open, line)
		}
	}
	return closed, open
}

// clone copies a prepared repository, so that each death has a fresh one.
func clone(t *testing.T, from string) victim {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	if out, err := exec.Command("cp", "-a", from, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return victim{workspace: workspace{t, dir}}
}

// leftovers are the transaction's own files in the worktree.
func (v victim) leftovers() (names []string) {
	for name := range v.files() {
		if strings.Contains(name, ".chordgit-") || strings.Contains(name, ".chordgit-kept-") {
			names = append(names, name)
		}
	}
	return names
}

const probePatch = "*** Begin Patch\n*** Add File: probe\n+p\n*** End Patch\n"

// judge runs the next command and checks that everything is as before or as
// after, and that the turns say the same.
func (v victim) judge(before, after map[string]string, turn string) {
	v.t.Helper()
	out, _ := v.run(nil, probePatch, "apply")
	files := v.files()
	if files["probe"] != "p\n" {
		v.t.Fatalf("the next command did not do its own work:\n%s", out)
	}
	delete(files, "probe")
	closed, open := v.refs()
	has := strings.Contains(" "+strings.Join(closed, " ")+" ", " "+turn+" ")
	if strings.Contains(out, "Turn "+turn+".") {
		has = false // the number went to the probe: the dead command had none
	}
	switch {
	case len(open) > 0:
		v.t.Errorf("open marks are left: %v\n%s", open, out)
	case maps.Equal(files, before) && has:
		v.t.Errorf("nothing is applied, but turn %s exists\n%s", turn, out)
	case maps.Equal(files, after) && !has:
		v.t.Errorf("everything is applied, but there is no turn %s: %v\n%s", turn, closed, out)
	case !maps.Equal(files, before) && !maps.Equal(files, after):
		v.t.Errorf("neither before nor after: %q\n%s", files, out)
	}
	for _, dir := range []string{"new", "moved"} {
		if _, err := os.Lstat(filepath.Join(v.dir, dir)); err == nil && maps.Equal(files, fiveBefore) {
			v.t.Errorf("the directory %s is left\n%s", dir, out)
		}
	}
}

// prepare makes a repository; with applied, the five operations are done.
func prepare(t *testing.T, applied bool) string {
	t.Helper()
	v := victim{workspace: newWorkspace(t, toFixtures(fiveBefore))}
	if applied {
		v.run(nil, fiveOperations, "apply")
		if !maps.Equal(v.files(), fiveAfter) {
			t.Fatalf("the request gives %q", v.files())
		}
	}
	return v.dir
}

// A death is one way to end a command at a step.
type death struct {
	name string
	env  []string // beside the number of the step
	kill []string // variables that take the number, at one step after the other; %d is the number
}

// at is the environment of a death at a step.
func (d death) at(k int) []string {
	return append(slices.Clone(d.env), fmt.Sprintf(d.kill[k/killStride()%len(d.kill)], k))
}

var deaths = []death{
	{"kill", nil, []string{"CHORDGIT_TEST_KILL=%d"}},
	{"kill without exchange", []string{"CHORDGIT_TEST_NOEXCHANGE=1"}, []string{"CHORDGIT_TEST_KILL=%d"}},
	{"signal", nil, []string{"CHORDGIT_TEST_SIGNAL=%d:TERM", "CHORDGIT_TEST_SIGNAL=%d:INT", "CHORDGIT_TEST_SIGNAL=%d:HUP"}},
}

// TestKill ends an apply and a rewind at every step, and lets the next command
// repair what that left.
func TestKill(t *testing.T) {
	for _, command := range []struct {
		name          string
		args          []string
		stdin         string
		applied       bool
		before, after map[string]string
		turn          string
	}{
		{"apply", []string{"apply"}, fiveOperations, false, fiveBefore, fiveAfter, "1"},
		{"rewind", []string{"rewind", "1"}, "", true, fiveAfter, fiveBefore, "2"},
	} {
		template := prepare(t, command.applied)
		for _, d := range deaths {
			t.Run(command.name+" "+d.name, func(t *testing.T) {
				t.Parallel()
				steps := 0
				for k := 1; ; k += killStride() {
					v := clone(t, template)
					out, died := v.run(d.at(k), command.stdin, command.args...)
					signalled := d.name == "signal"
					if died == 0 {
						steps = k - 1
						break
					}
					if signalled {
						// A signal waits: the command itself leaves all in order.
						if _, open := v.refs(); len(open) > 0 || len(v.leftovers()) > 0 {
							t.Errorf("step %d: after the signal %v and %v are left\n%s", k, open, v.leftovers(), out)
						}
					}
					v.judge(command.before, command.after, command.turn)
					if left := v.leftovers(); len(left) > 0 {
						t.Errorf("step %d: %v are left", k, left)
					}
					if t.Failed() {
						t.Fatalf("failed at step %d", k)
					}
				}
				if steps < 20 {
					t.Errorf("only %d steps", steps)
				}
			})
		}
	}
}

// TestKillThenEdit lets a person change one file between the death and the next
// command: that file is left alone, every other one is as before or as after.
func TestKillThenEdit(t *testing.T) {
	template := prepare(t, false)
	const mine = "one\nmy own line\n"
	for _, env := range [][]string{nil, {"CHORDGIT_TEST_NOEXCHANGE=1"}} {
		t.Run(strings.Join(env, " "), func(t *testing.T) {
			t.Parallel()
			for k := 1; ; k += killStride() {
				v := clone(t, template)
				if _, died := v.run(append(slices.Clone(env), fmt.Sprintf("CHORDGIT_TEST_KILL=%d", k)), fiveOperations, "apply"); died == 0 {
					break
				}
				if err := os.WriteFile(filepath.Join(v.dir, "update"), []byte(mine), 0o644); err != nil {
					t.Fatal(err)
				}
				out, _ := v.run(nil, probePatch, "apply")
				files := v.files()
				if files["update"] != mine {
					t.Fatalf("step %d: the person's file holds %q\n%s", k, files["update"], out)
				}
				for name, text := range files {
					if name == "update" || name == "probe" || strings.HasPrefix(name, "update.chordgit-kept-") {
						continue
					}
					if text != fiveBefore[name] && text != fiveAfter[name] {
						t.Fatalf("step %d: %s holds %q\n%s", k, name, text, out)
					}
				}
				for _, left := range v.leftovers() {
					if !strings.HasPrefix(left, "update.chordgit-kept-") {
						t.Fatalf("step %d: %s is left\n%s", k, left, out)
					}
				}
				if _, open := v.refs(); len(open) > 0 {
					t.Fatalf("step %d: %v are left\n%s", k, open, out)
				}
			}
		})
	}
}
