package snapshot_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/snapshot"
)

func ExampleWorktree_Apply() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "a.txt"), []byte("old\n"), 0o644)
	w, err := snapshot.Open(dir, snapshot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	before, err := w.Lookup("a.txt")
	if err == nil {
		err = w.Load("a.txt", before)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := &edit.Plan{Changes: []edit.Change{{
		Path: "a.txt", Before: before, After: &edit.File{Mode: before.Mode, Data: []byte("new\n")},
	}}}

	// Somebody saves the file before the plan is carried out.
	os.WriteFile(filepath.Join(dir, "a.txt"), []byte("theirs\n"), 0o644)
	_, err = w.Apply(context.Background(), 1, plan, nil)
	fmt.Println(err)
	data, _ := os.ReadFile(filepath.Join(dir, "a.txt"))
	fmt.Printf("%q\n", data)
	// Output:
	// a.txt: changed after planning: content
	// "theirs\n"
}
