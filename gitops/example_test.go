package gitops_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
)

// An agent's harness that embeds chordgit plans a change against the worktree,
// commits it as a turn, and takes it back.
func ExampleRepo_Apply() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for _, d := range []string{".git/objects", ".git/refs/heads"} {
		os.MkdirAll(filepath.Join(dir, d), 0o755)
	}
	os.WriteFile(filepath.Join(dir, ".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o644)
	os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644)

	repo, err := gitops.Open(dir, gitops.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer repo.Close()
	ctx := context.Background()
	ops := []edit.Op{{Kind: edit.Replace, Path: "a.txt", Replacements: []edit.Replacement{{Old: "two", New: "2"}}}}
	turn, err := repo.Apply(ctx, gitops.Turn{Agent: "mine", Message: "count in digits"}, func(tree edit.Tree) (*edit.Plan, error) {
		return edit.NewPlan(tree, ops, repo.PlanOptions())
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, _ := os.ReadFile(filepath.Join(dir, "a.txt"))
	fmt.Printf("turn %d, %s: %q\n", turn.N, turn.Subject(), data)

	back, err := repo.Rewind(ctx, turn.N, gitops.RewindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, _ = os.ReadFile(filepath.Join(dir, "a.txt"))
	fmt.Printf("turn %d takes it back: %q\n", back.Turn.N, data)
	// Output:
	// turn 1, count in digits: "one\n2\n"
	// turn 2 takes it back: "one\ntwo\n"
}
