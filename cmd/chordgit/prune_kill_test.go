//go:build unix

package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestKillPrune ends a prune of two of three turns at every step. Whatever was
// left, each turn is there as a whole or gone as a whole, verify finds nothing
// damaged or lost, and the next prune comes to what an undisturbed one does. A
// number is not given again.
func TestKillPrune(t *testing.T) {
	template := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"f": "0\n"}))}
	for i := range 3 {
		template.run(nil, fmt.Sprintf("*** Begin Patch\n*** Update File: f\n@@\n-%d\n+%d\n*** End Patch\n", i, i+1), "apply")
	}
	git := func(v victim, args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", v.dir}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for n := 1; n <= 2; n++ {
		if err := age(template.dir, fmt.Sprint(n), 48); err != nil {
			t.Fatal(err)
		}
		blob := git(template, "rev-parse", fmt.Sprintf("refs/chordgit/turns/%d:meta.json", n))
		git(template, "update-ref", fmt.Sprintf("refs/chordgit/keep/%d/0", n), blob)
	}
	git(template, "pack-refs", "--all")
	for _, all := range []bool{false, true} {
		args, last := []string{"prune", "--keep-turns", "1"}, []string{"3"}
		if all {
			args, last = []string{"prune", "--all"}, nil
		}
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			steps := 0
			for k := 1; ; k += killStride() {
				v := clone(t, template.dir)
				_, died := v.run([]string{fmt.Sprintf("CHORDGIT_TEST_KILL=%d", k)}, "", args...)
				steps = k
				if out, _ := v.run(nil, "", "verify"); strings.Contains(out, "lost") || strings.Contains(out, "failed") {
					t.Fatalf("step %d: %s", k, out)
				}
				closed, _ := v.refs()
				list := git(v, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/chordgit/turns")
				lines, err := exec.Command("cut", "-d ", "-f1", v.dir+"/.git/chordgit/turns").Output()
				slices.Sort(closed)
				if listed := strings.Fields(string(lines)); err != nil || !slices.Equal(slices.Sorted(slices.Values(listed)), strings.Fields(list)) {
					t.Fatalf("step %d: the list holds %q, the refs are %q (%v)", k, lines, list, err)
				}
				v.run(nil, "", args...)
				v.run(nil, "", args...) // sweeps what a dead one left
				closed, rest := v.refs()
				if !slices.Equal(closed, last) || len(rest) > 0 {
					t.Fatalf("step %d: %v and %v are left", k, closed, rest)
				}
				if out, _ := v.run(nil, probePatch, "apply"); !strings.Contains(out, "Turn 4.") {
					t.Fatalf("step %d: %s", k, out)
				}
				git(v, "fsck", "--strict", "--no-dangling")
				if died == 0 {
					break
				}
			}
			if steps < 8 {
				t.Errorf("only %d steps", steps)
			}
		})
	}
}

// TestKillVerify ends a verify that puts refs back at every step; the next one
// puts back the rest.
func TestKillVerify(t *testing.T) {
	template := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"f": "0\n"}))}
	for i := range 3 {
		template.run(nil, fmt.Sprintf("*** Begin Patch\n*** Update File: f\n@@\n-%d\n+%d\n*** End Patch\n", i, i+1), "apply")
		if out, err := exec.Command("git", "-C", template.dir, "update-ref", "-d", fmt.Sprintf("refs/chordgit/turns/%d", i+1)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	steps := 0
	for k := 1; ; k++ {
		v := clone(t, template.dir)
		_, died := v.run([]string{fmt.Sprintf("CHORDGIT_TEST_KILL=%d", k)}, "", "verify")
		v.run(nil, "", "verify")
		if closed, open := v.refs(); !slices.Equal(closed, []string{"1", "2", "3"}) || len(open) > 0 {
			t.Fatalf("step %d: %v and %v", k, closed, open)
		}
		if steps = k; died == 0 {
			break
		}
	}
	if steps < 4 {
		t.Errorf("only %d steps", steps)
	}
}
