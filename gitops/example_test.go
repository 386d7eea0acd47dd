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

// Whatever a program does between the two ends of a turn can be taken back, and
// what somebody did since stays.
func ExampleRepo_Begin() {
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
	file := filepath.Join(dir, "a.txt")
	os.WriteFile(file, []byte("one\ntwo\nthree\n"), 0o644)

	repo, err := gitops.Open(dir, gitops.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer repo.Close()
	ctx := context.Background()
	if _, err := repo.Begin(ctx, gitops.Turn{Session: "7f3c", Message: "count in digits"}); err != nil {
		fmt.Println(err)
		return
	}
	os.WriteFile(file, []byte("1\ntwo\nthree\n"), 0o644) // by any program
	turn, err := repo.End(ctx, "7f3c", gitops.EndOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	os.WriteFile(file, []byte("1\ntwo\nTHREE\n"), 0o644) // by a person, later
	back, err := repo.Rewind(ctx, turn.N, gitops.RewindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, _ := os.ReadFile(file)
	fmt.Printf("turn %d takes turn %d back: %q\n", back.Turn.N, turn.N, data)
	// Output:
	// turn 2 takes turn 1 back: "one\ntwo\nTHREE\n"
}
