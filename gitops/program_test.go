package gitops

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gittest"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

// throughGit opens a repository whose refs the git program keeps, as it does
// where they are in a reftable.
func throughGit(t *testing.T, dir string, opt Options) *Repo {
	t.Helper()
	r, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	r.refs = &ref.Program{Format: r.layout.Config.Format(), Command: r.layout.Command}
	return r
}

// TestRefsThroughGit makes turns, takes them back and repairs one with refs that
// only the git program touches.
func TestRefsThroughGit(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			g := gittest.New(t, "--object-format="+format)
			g.Write("a.txt", "one\n")
			g.Commit()
			ctx := context.Background()
			change := func(r *Repo, from, to string) (*Turn, error) {
				ops := []edit.Op{{Kind: edit.Replace, Path: "a.txt", Replacements: []edit.Replacement{{Old: from, New: to}}}}
				return r.Apply(ctx, Turn{Message: to}, func(tree edit.Tree) (*edit.Plan, error) {
					return edit.NewPlan(tree, ops, r.PlanOptions())
				})
			}
			holds := func(want string) {
				t.Helper()
				if got, err := os.ReadFile(filepath.Join(g.Dir, "a.txt")); err != nil || string(got) != want {
					t.Errorf("a.txt holds %q, %v; want %q", got, err, want)
				}
			}

			r := throughGit(t, g.Dir, Options{})
			for n, step := range []struct{ from, to string }{{"one", "two"}, {"two", "three"}} {
				if turn, err := change(r, step.from, step.to); err != nil || turn.N != n+1 {
					t.Fatalf("%+v %v", turn, err)
				}
			}
			if turn, err := r.Rewind(ctx, 2, RewindOptions{}); err != nil || turn.Turn.N != 3 {
				t.Fatalf("%+v %v", turn, err)
			}
			holds("two\n")
			var log []string
			for turn, err := range r.Turns() {
				if err != nil {
					t.Fatal(err)
				}
				log = append(log, turn.Kind)
			}
			if got := strings.Join(log, " "); got != "rewind apply apply" {
				t.Errorf("the turns are %s", got)
			}

			// A process dies between the two names of a change.
			func() {
				defer func() { recover() }()
				dying := throughGit(t, g.Dir, Options{Step: func(s string) {
					if s == "marked" {
						panic("dead")
					}
				}})
				change(dying, "two", "four")
				t.Error("it lived on")
			}()
			if open := g.Git("for-each-ref", "refs/chordgit/open"); !strings.HasSuffix(open, "refs/chordgit/open/4") {
				t.Fatalf("open: %q", open)
			}
			var said []string
			r = throughGit(t, g.Dir, Options{Repaired: func(s string) { said = append(said, s) }})
			if err := r.Recover(ctx); err != nil || len(said) != 1 || !strings.HasPrefix(said[0], "turn 4 was interrupted") {
				t.Errorf("%q %v", said, err)
			}
			holds("two\n")
			if open := g.Git("for-each-ref", "refs/chordgit/open"); open != "" {
				t.Errorf("open: %q", open)
			}
			if turn, err := change(r, "two", "five"); err != nil || turn.N != 5 {
				t.Errorf("%+v %v", turn, err)
			}
			g.Fsck()
		})
	}
}
