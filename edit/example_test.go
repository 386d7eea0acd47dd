package edit_test

import (
	"fmt"

	"github.com/chordgit/chordgit/edit"
)

func ExampleNewPlan() {
	tree := edit.MapTree{"settings.py": {Mode: 0o644, Data: []byte("timeout = 30\nretries = 3\n")}}
	ops := []edit.Op{
		{Kind: edit.Update, Path: "settings.py", Hunks: []edit.Hunk{{Lines: []edit.Line{
			{Kind: edit.Removed, Text: "timeout = 30"},
			{Kind: edit.Added, Text: "timeout = 60"},
		}}}},
		{Kind: edit.Delete, Path: "gone.py"},
	}
	plan, err := edit.NewPlan(tree, ops, edit.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range plan.Changes {
		fmt.Printf("%s: %q\n", c.Path, c.After.Data)
	}
	for _, f := range plan.Failures {
		fmt.Println("not applied:", f)
	}
	back := tree.Apply(plan).Apply(plan.Invert())
	fmt.Printf("taken back: %q\n", back["settings.py"].Data)
	// Output:
	// settings.py: "timeout = 60\nretries = 3\n"
	// not applied: gone.py: file not found
	// taken back: "timeout = 30\nretries = 3\n"
}

func ExampleMerge() {
	base := []byte("timeout = 30\nretries = 3\nverbose = no\n")
	ours := []byte("timeout = 60\nretries = 3\nverbose = no\n")
	merged, _, _ := edit.Merge(base, ours, []byte("timeout = 30\nretries = 3\nverbose = yes\n"))
	fmt.Printf("%q\n", merged)
	_, conflicts, _ := edit.Merge(base, ours, []byte("timeout = 90\nretries = 3\nverbose = no\n"))
	fmt.Println("conflicts at", conflicts)
	// Output:
	// "timeout = 60\nretries = 3\nverbose = yes\n"
	// conflicts at [{1 1}]
}
