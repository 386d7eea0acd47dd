package gitops

import (
	"strconv"
	"strings"
	"testing"
)

// Only names that a clone gives are taken from another repository.
func FuzzListed(f *testing.F) {
	id := strings.Repeat("1", 40)
	f.Add(id + "\trefs/chordgit/clones/0a1b2c3d/7\n" + id + "\trefs/chordgit/clones/x/7\n")
	f.Add(id + "\trefs/chordgit/clones/0a1b2c3d/07\n")
	f.Add("refs/chordgit/clones/0a1b2c3d/1")
	f.Fuzz(func(t *testing.T, out string) {
		for _, name := range parseListed(out) {
			clone, n, ok := parseClone(name)
			if !ok || name != clonesPrefix+clone+"/"+strconv.Itoa(n) || !strings.Contains(out, "\t"+name) {
				t.Fatalf("%q: %q", out, name)
			}
		}
	})
}

func TestParseListed(t *testing.T) {
	out := "1\trefs/chordgit/clones/0a1b2c3d/7\n1\trefs/chordgit/clones/0A1b2c3d/7\n1\trefs/heads/main\n1\trefs/chordgit/clones/0a1b2c3d/-1\n1\trefs/chordgit/clones/0a1b2c3d/7/x\n"
	if got := parseListed(out); len(got) != 1 || got[0] != "refs/chordgit/clones/0a1b2c3d/7" {
		t.Errorf("%q", got)
	}
}
