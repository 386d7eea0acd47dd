package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// slowTree is a worktree on a disk that takes its time.
type slowTree struct{ hookTree }

func (t *slowTree) Walk(dir string, visit func(string) error) error {
	return t.hookTree.Walk(dir, func(name string) error {
		time.Sleep(10 * time.Millisecond)
		return visit(name)
	})
}

// TestHookWalkTime: what cannot be looked at in time is denied, and the hook answers
// soon; a directory that can be is judged by what is in it.
func TestHookWalkTime(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	for name, n := range map[string]int{"many": 500, "few": 3} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := os.WriteFile(filepath.Join(dir, name, fmt.Sprint(i)), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	repo, err := gitops.Open(dir, gitops.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	s := site(repo, "")
	s.Tree = &slowTree{hookTree{policyTree: policyTree{repo.Tree(), repo}}}
	policy := hooks.NewPolicy(s)
	begun := time.Now()
	found := policy.Judge(hooks.Agent, hooks.Operation{Kind: hooks.Delete, Path: "many"})
	if len(found) == 0 || found[0].Class != hooks.ClassUndecided || found[0].Verdict != hooks.Deny {
		t.Errorf("many: %+v", found)
	}
	if d := time.Since(begun); d > 3*time.Second { // all of it takes five
		t.Errorf("it looked for %s", d)
	}
	if found := policy.Judge(hooks.Agent, hooks.Operation{Kind: hooks.Delete, Path: "few"}); hooks.Strictest(found) != hooks.Allow {
		t.Errorf("few: %+v", found)
	}
}
