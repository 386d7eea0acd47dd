package merge3

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDiffAsGit holds that the hunks are git's, also of texts so long and so
// different that the search is cut short in each of its ways. CHORDGIT_SEED repeats a run.
func TestDiffAsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	seed := rand.Uint64()
	if s := os.Getenv("CHORDGIT_SEED"); s != "" {
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("CHORDGIT_SEED=%d", seed)
	for i, size := range []int{10, 100, 1000, 5000, 5000, 50_000, 50_000, 50_000, 50_000} {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		a, b := mixed(rng, size)
		cmd := exec.Command(git, "diff", "--no-index", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--diff-algorithm=myers", "--no-indent-heuristic", "-U1", "a", "b")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		for name, text := range map[string][]byte{"a": a, "b": b} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := cmd.Output()
		if exit := new(exec.ExitError); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			t.Fatal(err)
		}
		want := unified(t, string(out))
		all, different := read(a, b)
		if got := diff(all[0].ids, all[1].ids, different); !slices.Equal(got, want) {
			k := 0
			for k < min(len(got), len(want)) && got[k] == want[k] {
				k++
			}
			t.Errorf("text %d of %d lines: %d hunks here, %d in git; from hunk %d on %v, in git %v", i, size, len(got), len(want), k, got[k:min(k+3, len(got))], want[k:min(k+3, len(want))])
		}
	}
}

// mixed makes a text and another one of it, in which stretches of lines are
// kept, mixed up, moved or written anew.
func mixed(rng *rand.Rand, size int) (a, b []byte) {
	words := []int{2, 50, size, 1 << 40}[rng.IntN(4)]
	old := make([]string, size)
	for i := range old {
		if old[i] = "}\n"; rng.IntN(6) > 0 {
			old[i] = fmt.Sprintf("word %d\n", rng.IntN(words))
		}
	}
	long := []int{4, 30, 100}[rng.IntN(3)]
	var now []string
	for at := 0; at < size; {
		part := slices.Clone(old[at:min(size, at+1+rng.IntN(long))])
		at += len(part)
		switch rng.IntN(5) {
		case 0:
			rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		case 1:
			from := rng.IntN(size)
			part = slices.Clone(old[from:min(size, from+len(part))])
		case 2:
			part = slices.Insert(part, rng.IntN(len(part)), "new\n", old[rng.IntN(size)])
		case 3: // a frequent line among such as the old text does not have
			for i := range part {
				if part[i] = "}\n"; rng.IntN(8) > 0 {
					part[i] = fmt.Sprintf("new %d\n", rng.IntN(words))
				}
			}
		}
		now = append(now, part...)
	}
	return []byte(strings.Join(old, "")), []byte(strings.Join(now, ""))
}

// unified reads the hunks of a unified diff, without their context.
func unified(t *testing.T, text string) (hunks []hunk) {
	t.Helper()
	_, text, _ = strings.Cut(text, "\n+++ b/b\n")
	i, j := 0, 0
	for line := range strings.Lines(text) {
		var n int
		switch line[0] {
		case '@':
			if _, err := fmt.Sscanf(line, "@@ -%d", &i); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscanf(line[strings.Index(line, "+"):], "+%d", &j); err != nil {
				t.Fatal(err)
			}
			i, j = i-1, j-1
			continue
		case ' ':
			i, j = i+1, j+1
			continue
		}
		if n = len(hunks); n == 0 || hunks[n-1].to != i || hunks[n-1].newTo != j {
			hunks = append(hunks, hunk{i, i, j, j})
			n++
		}
		if line[0] == '-' {
			i++
		} else {
			j++
		}
		hunks[n-1].to, hunks[n-1].newTo = i, j
	}
	return hunks
}
