package main

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestForeignMachine has an apply stand still at every step on another machine that
// shares the directory, and no lock: at first a command here leaves its mark and its
// temporaries alone, after ten minutes it finishes or undoes it.
func TestForeignMachine(t *testing.T) {
	if out, err := exec.Command("unshare", "--uts", "hostname", "elsewhere").CombinedOutput(); err != nil {
		t.Skipf("cannot give a process another host name: %v %s", err, out)
	}
	template := prepare(t, false)
	still := 0
	for k := 1; ; k += killStride() {
		v := clone(t, template)
		cmd := v.command("apply")
		cmd.Args = append([]string{"unshare", "--uts", "sh", "-c", `hostname elsewhere && exec "$@"`, "sh"}, cmd.Args...)
		cmd.Path, _ = exec.LookPath("unshare")
		cmd.Env = append(cmd.Env, fmt.Sprintf("CHORDGIT_TEST_KILL=%d", k))
		cmd.Stdin = strings.NewReader(fiveOperations)
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if len(out) > 0 {
			t.Fatalf("step %d: %v: %s", k, err, out)
		}
		at := fmt.Sprint("step ", k)
		left := v.files()
		_, open := v.refs()
		said, _ := v.run(nil, strings.ReplaceAll(probePatch, "probe", "other"), "apply")
		files := v.files()
		delete(files, "other")
		closed, now := v.refs()
		if !slices.Equal(now, open) || !maps.Equal(files, left) {
			t.Fatalf("%s: the mark was %v and is %v, there were %q and are %q\n%s", at, open, now, left, files, said)
		}
		if len(open) == 0 {
			continue
		}
		still++
		number := strings.TrimPrefix(open[0], "refs/chordgit/open/")
		if number == closed[0] { // closed, and only its end is missing
			continue
		}
		if err := age(v.dir, "open/"+number, 1); err != nil {
			t.Fatal(err)
		}
		said, _ = v.run(nil, probePatch, "apply")
		files = v.files()
		delete(files, "other")
		delete(files, "probe")
		_, now = v.refs()
		if len(now) > 0 || !maps.Equal(files, fiveBefore) && !maps.Equal(files, fiveAfter) {
			t.Errorf("%s: open is %v, there are %q\n%s", at, now, files, said)
		}
	}
	if still < 8 {
		t.Errorf("it stood still at %d steps only", still)
	}
}
