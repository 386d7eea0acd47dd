package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/patchapply"
)

// TestAgainstGitApply makes random changes of files whose lines are all
// different, writes each as a unified diff for git apply and as an envelope for
// us, and wants the same bytes.
func TestAgainstGitApply(t *testing.T) {
	const rounds, files = 8, 60
	for seed := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed, 7))
		dir := t.TempDir()
		before, want := edit.MapTree{}, map[string]string{}
		var diffs, sections strings.Builder
		for i := range files {
			name := fmt.Sprintf("f%02d", i)
			old, new := randomChange(rng, i)
			before[name] = &edit.File{Mode: 0o644, Data: []byte(old)}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(old), 0o644); err != nil {
				t.Fatal(err)
			}
			diff, err := udiff.ToUnified("a/"+name, "b/"+name, old, udiff.Lines(old, new), 1+rng.IntN(3))
			if err != nil {
				t.Fatal(err)
			}
			if diff == "" {
				continue
			}
			want[name] = new
			diffs.WriteString(diff)
			sections.WriteString(asSection(name, diff))
		}
		git := exec.Command("git", "apply", "--whitespace=nowarn", "-")
		git.Dir, git.Stdin = dir, strings.NewReader(diffs.String())
		git.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("seed %d: git apply: %v\n%s", seed, err, out)
		}
		req, err := patchapply.Parse([]byte("*** Begin Patch\n"+sections.String()+"*** End Patch\n"), patchapply.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		plan, err := edit.NewPlan(before, req.Ops, edit.Options{RefuseAmbiguous: true})
		if err != nil || len(plan.Failures) > 0 || len(plan.Notes) > 0 {
			t.Fatalf("seed %d: %v, failures %v, notes %v", seed, err, plan.Failures, plan.Notes)
		}
		after := before.Apply(plan)
		for name, text := range want {
			theirs, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if ours := after[name].Data; !bytes.Equal(ours, theirs) || string(ours) != text {
				t.Fatalf("seed %d, %s: git has\n%q, we have\n%q, meant was\n%q", seed, name, theirs, ours, text)
			}
		}
	}
}

// randomChange makes a text of different lines and another one by a few
// replacements, insertions and deletions of lines.
func randomChange(rng *rand.Rand, n int) (old, new string) {
	line := func(i int) string { return fmt.Sprintf("%d/%d %s\n", n, i, strings.Repeat("é–x ", rng.IntN(4))) }
	var a, b strings.Builder
	for i := range 1 + rng.IntN(40) {
		l := line(i)
		a.WriteString(l)
		switch rng.IntN(12) {
		case 0:
		case 1:
			b.WriteString(line(i + 1000))
		case 2:
			b.WriteString(l + line(i+2000))
		default:
			b.WriteString(l)
		}
	}
	return a.String(), b.String()
}

// asSection writes a unified diff of one file as a section of an envelope.
func asSection(name, diff string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "*** Update File: %s\n", name)
	for l := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "+++ "):
		case strings.HasPrefix(l, "@@ "):
			s.WriteString("@@\n")
		default:
			s.WriteString(l)
		}
	}
	return s.String()
}
