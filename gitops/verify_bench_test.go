package gitops

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

// BenchmarkVerify checks 50 turns over a commit of 100,000 files.
func BenchmarkVerify(b *testing.B) {
	g := gittest.New(b)
	var in strings.Builder
	in.WriteString("commit refs/heads/main\ncommitter a <a@x> 1700000000 +0000\ndata 1\nc\n")
	for i := range 100_000 {
		text := fmt.Sprintf("file %d\n", i)
		fmt.Fprintf(&in, "M 100644 inline d%d/f%d\ndata %d\n%s\n", i%1000, i, len(text), text)
	}
	g.GitIn(in.String(), "fast-import", "--quiet")
	r, err := Open(g.Dir, Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for i := range 50 {
		ops := []edit.Op{{Kind: edit.Write, Path: fmt.Sprintf("d%d/new", i), Content: []byte("x\n")}}
		if _, err := r.Apply(b.Context(), Turn{}, func(tree edit.Tree) (*edit.Plan, error) { return edit.NewPlan(tree, ops, r.PlanOptions()) }); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		found, err := r.Verify(b.Context(), nil)
		if err != nil || len(found.Failures)+len(found.Notes) > 0 || len(found.Turns) != 50 {
			b.Fatalf("%+v, %v", found, err)
		}
	}
}
