package main

import (
	"bytes"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/patchapply"
)

// FuzzApply reads, plans and inverts requests against a small tree, seeded by
// the cases. Whatever the request: no panic, an error changes nothing and says
// why, every change says what was there, no line changes that the request does
// not speak of, and the inverse gives the bytes back.
func FuzzApply(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "cases", "*.txtar"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		c := readCase(f, file)
		name, text := "f", ""
		for _, p := range slices.Sorted(maps.Keys(c.before)) {
			name, text = p, string(c.before[p].Data)
			break
		}
		f.Add(c.request, name, text)
	}
	f.Fuzz(func(t *testing.T, request, name, text string) {
		req, err := patchapply.Parse([]byte(request), patchapply.Options{})
		if err != nil {
			for _, e := range toErrors(err) {
				if e.Code == "" || e.Error() == "" {
					t.Fatalf("an error without words: %+v", e)
				}
			}
			return
		}
		before := edit.MapTree{"other": {Mode: 0o755, Data: []byte("x\n")}}
		if name != "" && !strings.HasPrefix(name, "/") && !strings.Contains(name, "\x00") {
			before[name] = &edit.File{Mode: 0o644, Data: []byte(text)}
		}
		plan, err := edit.NewPlan(before, req.Ops, edit.Options{Umask: 0o022, Roots: []string{"/repo"}, Base: req.Base})
		if err != nil {
			var several edit.Errors
			if !errors.As(err, &several) || len(several) == 0 {
				t.Fatalf("a refusal without reasons: %v", err)
			}
			return
		}
		for _, c := range plan.Changes {
			was := before[c.Path]
			if (was == nil) != (c.Before == nil) {
				t.Fatalf("%s: was %v, the plan says %v", c.Path, was, c.Before)
			}
		}
		untouched(t, req, plan, before)
		after := before.Apply(plan)
		back := after.Apply(fill(plan, before, after).Invert())
		compareTrees(t, back, before)
		if len(plan.Changes) == 0 && !maps.EqualFunc(before, after, func(a, b *edit.File) bool { return bytes.Equal(a.Data, b.Data) }) {
			t.Fatal("no change, and the tree is another")
		}
	})
}
