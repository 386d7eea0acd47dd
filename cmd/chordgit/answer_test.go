package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/patchapply"
	"github.com/gofrs/flock"
)

const twoCalls = `[{"type":"apply_patch_call","call_id":"c1","operation":{"type":"create_file","path":"a","diff":"+a"}},
{"type":"apply_patch_call","call_id":"c2","operation":{"type":"create_file","path":"b","diff":"+b"}}]`

// A lock that somebody else holds past the deadline is told to every call.
func TestAnswerLocked(t *testing.T) {
	w := newWorkspace(t, map[string]fixture{"x": {Text: "x\n"}})
	if code, out, _ := w.apply(twoCalls); code != 0 {
		t.Fatal(out)
	}
	name := filepath.Join(w.dir, ".git", "chordgit", "worktree.lock")
	if _, err := os.Stat(name); err != nil {
		t.Fatal(err)
	}
	l := flock.New(name)
	if err := l.Lock(); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(twoCalls), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }, repo: gitops.Options{LockWait: 20 * time.Millisecond}}
	if code := a.run([]string{"-C", w.dir, "apply"}); code != 1 {
		t.Errorf("exit %d", code)
	}
	var items []struct {
		ID     string `json:"call_id"`
		Status string
		Output string
	}
	if err := json.Unmarshal(out.Bytes(), &items); err != nil || len(items) != 2 {
		t.Fatalf("%v: %s", err, &out)
	}
	for i, id := range []string{"c1", "c2"} {
		if it := items[i]; it.ID != id || it.Status != "failed" || !strings.Contains(it.Output, "has held the worktree lock") {
			t.Errorf("%+v", it)
		}
	}
}

// FuzzAnswer: whatever the calls, there is one answer a call in every form, it
// is JSON, and a call with a failure of its own is told that it failed.
func FuzzAnswer(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "cases", "[kt][012]*.txtar"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		f.Add(readCase(f, file).request)
	}
	f.Fuzz(func(t *testing.T, request string) {
		req, err := patchapply.Parse([]byte(request), patchapply.Options{})
		if req == nil || len(req.Calls) == 0 {
			return
		}
		rep := &report{Command: "apply", Format: req.Format}
		rep.note(req.Notes)
		tree := edit.MapTree{"a": {Mode: 0o644, Data: []byte("a\n")}, "f": {Mode: 0o644, Data: []byte("x\n")}}
		var plan *edit.Plan
		if err == nil {
			plan, err = edit.NewPlan(tree, req.Ops, edit.Options{Roots: []string{"/repo"}, Base: req.Base})
		}
		if err != nil {
			rep.refuse(toErrors(err))
		} else {
			rep.plan(plan, nil)
		}
		for _, form := range append(patchapply.Forms(), "") {
			results := make([]patchapply.Result, len(req.Calls))
			failing := 0
			for i := range results {
				results[i] = rep.result(i, req.FormOf(i, form), req, plan)
				if results[i].Failed {
					failing++
				}
			}
			if rep.refused && failing != len(results) || !rep.refused && (failing > 0) != (len(rep.Failures) > 0) {
				t.Fatalf("%d of %d calls failed: %v", failing, len(results), rep.Failures)
			}
			out, err := req.Answer(results, form)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(out) {
				if !json.Valid(line) && form != "" {
					t.Fatalf("no JSON: %s", line)
				}
			}
		}
	})
}
