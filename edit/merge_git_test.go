package edit

import (
	"bytes"
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

// gitMerge is what git merge-file makes of three texts: the result, and whether
// there are conflicts.
type gitMerge func(base, ours, theirs []byte) (merged []byte, conflict bool, err error)

// mergeFile is the git program's merge, of files in a folder of its own.
func mergeFile(t testing.TB) gitMerge {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	return func(base, ours, theirs []byte) ([]byte, bool, error) {
		for name, data := range map[string][]byte{"base": base, "ours": ours, "theirs": theirs} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				return nil, false, err
			}
		}
		cmd := exec.Command(git, "merge-file", "-p", "--quiet", "ours", "base", "theirs")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_DIR="+filepath.Join(dir, "none"))
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() < 128 {
			return nil, true, nil // the status is the number of conflicts
		}
		return out, false, err
	}
}

// TestMergeAsGit merges random triples: both are clean with the same result, or
// both conflict. CHORDGIT_MERGES is how many, CHORDGIT_SEED repeats a run.
func TestMergeAsGit(t *testing.T) {
	git := mergeFile(t)
	count := int(number(t, "CHORDGIT_MERGES", 500))
	seed := number(t, "CHORDGIT_SEED", rand.Uint64())
	t.Logf("%d triples, seed %d", count, seed)
	clean := 0
	for i := range count {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		base, ours, theirs := triple(rng)
		want, conflict, err := git(base, ours, theirs)
		if err != nil {
			t.Fatal(err)
		}
		got, places, err := Merge(base, ours, theirs)
		if err != nil {
			t.Fatal(err)
		}
		if !conflict {
			clean++
		}
		if conflict != (places != nil) || !bytes.Equal(got, want) {
			t.Errorf("CHORDGIT_SEED=%d, triple %d: conflict %v here, %v in git\nbase   %q\nours   %q\ntheirs %q\nhere   %q\ngit    %q",
				seed, i, places, conflict, base, ours, theirs, got, want)
		}
	}
	if clean < count/5 || clean > count*4/5 {
		t.Errorf("%d of %d merges are clean: the triples test little", clean, count)
	}
}

func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// triple makes a text and two others of it by edits as people and agents make
// them. Few different lines make for many ways to see a difference.
func triple(rng *rand.Rand) (base, ours, theirs []byte) {
	if rng.IntN(40) == 0 {
		return heavy(rng)
	}
	size := []int{3, 12, 40, 150, 600}[rng.IntN(5)]
	w := &texter{rng: rng, words: []int{2, 5, 20, 1000, 100000}[rng.IntN(5)], crlf: rng.IntN(4) == 0}
	lines := w.lines(rng.IntN(size + 1))
	edits := 1 + rng.IntN(1+size/12)
	mine := w.edit(lines, 1+rng.IntN(edits))
	its := w.edit(lines, 1+rng.IntN(edits))
	if rng.IntN(3) == 0 { // some edits in common
		lines = w.edit(lines, 1+rng.IntN(edits))
	}
	return w.text(lines), w.text(mine), w.text(its)
}

// heavy makes a long text of which one side is so different that the search for
// the shortest difference is given up. The other side has few changes, which
// are clean only where lines of the first one are taken for unchanged.
func heavy(rng *rand.Rand) (base, ours, theirs []byte) {
	w := &texter{rng: rng, words: []int{20, 500, 100000}[rng.IntN(3)]}
	lines := w.lines(1000 + rng.IntN(3000))
	mine := slices.Clone(lines)
	near, stretch := 2+rng.IntN(len(mine)), 1+rng.IntN(100)
	for i, mixed := 0, true; i < len(mine); i++ {
		if rng.IntN(stretch) == 0 {
			mixed = rng.IntN(10) > 2
		}
		if mixed {
			k := min(len(mine)-1, i+rng.IntN(near))
			mine[i], mine[k] = mine[k], mine[i]
		}
	}
	at := rng.IntN(len(mine))
	mine = slices.Insert(mine, at, lines[rng.IntN(at+1):at]...)
	its := w.edit(lines, 1+rng.IntN(3))
	return w.text(lines), w.text(mine), w.text(its)
}

type texter struct {
	rng   *rand.Rand
	words int
	crlf  bool
}

func (w *texter) lines(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		switch k := w.rng.IntN(w.words); {
		case w.words > 5 && w.rng.IntN(4) == 0:
			lines[i] = []string{"", "}", "\treturn nil"}[w.rng.IntN(3)]
		default:
			lines[i] = fmt.Sprintf("word %d", k)
		}
		if w.crlf && w.rng.IntN(20) > 0 {
			lines[i] += "\r"
		}
	}
	return lines
}

// edit makes n edits: lines inserted, deleted, changed, moved or doubled.
func (w *texter) edit(lines []string, n int) []string {
	out := slices.Clone(lines)
	for range n {
		at := w.rng.IntN(len(out) + 1)
		end := min(len(out), at+1+w.rng.IntN(1+w.rng.IntN(6)))
		block := slices.Clone(out[at:end])
		switch w.rng.IntN(5) {
		case 0:
			out = slices.Insert(out, at, w.lines(1+w.rng.IntN(4))...)
		case 1:
			out = slices.Delete(out, at, end)
		case 2:
			out = slices.Replace(out, at, end, w.lines(1+w.rng.IntN(3))...)
		case 3:
			out = slices.Delete(out, at, end)
			out = slices.Insert(out, w.rng.IntN(len(out)+1), block...)
		case 4:
			out = slices.Insert(out, end, block...)
		}
	}
	return out
}

func (w *texter) text(lines []string) []byte {
	text := strings.Join(lines, "\n")
	if len(lines) > 0 && w.rng.IntN(8) > 0 {
		text += "\n"
	}
	return []byte(text)
}
