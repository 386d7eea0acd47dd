package edit_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

// TestPolicyIsAsked: about every operation, with the path that it comes to,
// before anything is matched; what it refuses is told all at once.
func TestPolicyIsAsked(t *testing.T) {
	tree := edit.MapTree{
		"a": {Mode: 0o644, Data: []byte("a\n")}, "b": {Mode: 0o755, Data: []byte("b\n")}, "c": {Mode: 0o644, Data: []byte("c\n")},
	}
	ops := []edit.Op{
		{Kind: edit.Add, Path: "x/../new", Content: []byte("n\n"), Line: 7},
		{Kind: edit.Update, Path: "a", Hunks: []edit.Hunk{{Lines: []edit.Line{{Kind: edit.Removed, Text: "not there"}}}}},
		{Kind: edit.Update, Path: "b", MoveTo: "d"},
		{Kind: edit.Delete, Path: "c"},
	}
	want := []string{"new <- false true []", "a <- true true []", "b <- true false []", "d <-b false true []", "c <- true false []"}
	want[0] = "new <- false true [x/../new]"
	for _, compat := range []edit.Compat{edit.Chord, edit.Codex} {
		var asked []string
		opt := edit.Options{Compat: compat, Policy: func(op *edit.Op, c edit.Change) *edit.Error {
			asked = append(asked, fmt.Sprintf("%s <-%s %v %v %v", c.Path, c.From, c.Before != nil, c.After != nil, c.Names))
			if c.Path == "new" || c.Path == "d" {
				return &edit.Error{Code: "denied", Path: c.Path}
			}
			return nil
		}}
		_, err := edit.NewPlan(tree, ops, opt)
		var errs edit.Errors
		if !errors.As(err, &errs) || len(errs) != 2 || errs[0].Op != 1 || errs[0].Line != 7 || errs[1].Op != 3 || errs[1].Path != "d" {
			t.Errorf("%v: %#v", compat, err)
		}
		if !slices.Equal(asked, want) {
			t.Errorf("%v: asked %q", compat, asked)
		}
	}
}
