//go:build unix

package gitops

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestMadeWhileStarting: what somebody makes while the start is captured was
// not there when its directory was listed, and is not the turn's all the same.
func TestMadeWhileStarting(t *testing.T) {
	g, r := testRepo(t)
	for i := range 200 {
		g.Write(fmt.Sprintf("many/%03d", i), fmt.Sprintln(i))
	}
	late := filepath.Join(g.Dir, "x.txt")
	// Another file here, whatever becomes of it.
	if !foldsCase(g.Dir) {
		g.Write("X.TXT", "of a like name\n")
	}
	r.Cover(Coverage{Progress: func(done, total int) {
		if _, err := os.Lstat(late); err != nil {
			writeTestFile(t, late, "a person's\n")
		}
	}})
	if _, err := r.Begin(t.Context(), Turn{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(late); err != nil {
		t.Fatal("the capture told of no progress: nothing was made beside it")
	}
	r.Cover(Coverage{})
	g.Write("a", "agent\n")
	g.Write("new.txt", "agent\n")
	if !foldsCase(g.Dir) {
		os.Remove(filepath.Join(g.Dir, "X.TXT"))
	}
	if _, err := r.End(t.Context(), "", EndOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		res, err := r.Rewind(t.Context(), 1, RewindOptions{Force: force})
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(late); err != nil || string(data) != "a person's\n" {
			t.Errorf("force %t: x.txt holds %q: %v", force, data, err)
		}
		if !slices.ContainsFunc(res.Left, func(l Left) bool { return l.Path == "x.txt" }) {
			t.Errorf("force %t: x.txt is not named: left are %v", force, res.Left)
		}
		if _, err := os.Lstat(filepath.Join(g.Dir, "new.txt")); err == nil {
			t.Errorf("force %t: new.txt, which the turn made, is still there", force)
		}
	}
}

// TestSameSizeEdits: an edit that keeps the size, right after a capture and
// within a tick of the file system's clock, is never missed.
func TestSameSizeEdits(t *testing.T) {
	g, r := testRepo(t)
	name := filepath.Join(g.Dir, "f")
	writeTestFile(t, name, "....\n")
	for i := range 150 {
		if _, err := r.Begin(t.Context(), Turn{}); err != nil {
			t.Fatal(err)
		}
		writeTestFile(t, name, fmt.Sprintf("%04d\n", i))
		turn, err := r.End(t.Context(), "", EndOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if turn == nil {
			t.Fatalf("edit %d was missed", i)
		}
		changes, err := r.Changes(turn)
		if err != nil || len(changes) != 1 || changes[0].Path != "f" {
			t.Fatalf("edit %d: %v: %v", i, changes, err)
		}
		if got := string(r.Content(changes[0].After)); got != fmt.Sprintf("%04d\n", i) {
			t.Fatalf("edit %d: stored is %q", i, got)
		}
	}
}
