package gitops

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gittest"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

var (
	tagA, _ = object.ParseID(strings.Repeat("a1", 20))
	tagB, _ = object.ParseID(strings.Repeat("b2", 20))
)

// TestParseList passes over what is no line of the list.
func TestParseList(t *testing.T) {
	a, b := tagA.String(), tagB.String()
	for _, tt := range []struct {
		name, text string
		want       listing
	}{
		{"empty", "", listing{}},
		{"with and without a size", "1 " + a + " 40\n2 " + b + "\n", listing{1: {tagA, 40}, 2: {tagB, 0}}},
		{"the last line of a number counts", "1 " + a + "\n1 " + b + " 7\n", listing{1: {tagB, 7}}},
		{"cut short", "1 " + a + "\n2 " + b[:20], listing{1: {tagA, 0}}},
		{"whole, but for its line end", "1 " + a + "\n2 " + b, listing{1: {tagA, 0}}},
		{"no number, no tag, no size", "x " + a + "\n0 " + a + "\n-1 " + a + "\n3 zz\n4\n\n5 " + b + " many\n6 " + b + " -5\n", listing{5: {tagB, 0}, 6: {tagB, 0}}},
		{"the zero tag", "1 " + strings.Repeat("0", 40) + "\n", listing{}},
	} {
		if got := parseList([]byte(tt.text)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func FuzzParseList(f *testing.F) {
	f.Add([]byte("1 " + tagA.String() + " 40\n2 " + tagB.String() + "\n10 " + tagA.String()))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := parseList(data)
		if again := parseList(l.encode()); !reflect.DeepEqual(again, l) {
			t.Errorf("%v comes back as %v", l, again)
		}
	})
}

// testRepo is a repository with one file and a Repo of it.
func testRepo(t *testing.T) (*gittest.Repo, *Repo) {
	t.Helper()
	g := gittest.New(t)
	g.Write("a", "0\n")
	g.Commit()
	return g, reopen(t, g, Options{NoSync: true})
}

func reopen(t *testing.T, g *gittest.Repo, opt Options) *Repo {
	t.Helper()
	r, err := Open(g.Dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// write makes a turn that gives a file this content.
func write(t *testing.T, r *Repo, name, content string) *Turn {
	t.Helper()
	turn, err := r.Apply(t.Context(), Turn{}, func(tree edit.Tree) (*edit.Plan, error) {
		return edit.NewPlan(tree, []edit.Op{{Kind: edit.Write, Path: name, Content: []byte(content)}}, r.PlanOptions())
	})
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// TestAddLine adds a line once, and on a line of its own after one that a crash
// cut short.
func TestAddLine(t *testing.T) {
	g, r := testRepo(t)
	turn := write(t, r, "a", "1\n")
	name := filepath.Join(g.GitDir(), "chordgit", "turns")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.list(turn); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(name); string(again) != string(whole) {
		t.Errorf("the line was added twice: %q", again)
	}
	if err := os.WriteFile(name, whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	second := write(t, r, "a", "2\n")
	l, err := r.readList()
	if want := (listing{2: {second.tag, second.StoredBytes}}); err != nil || !reflect.DeepEqual(l, want) || second.StoredBytes == 0 {
		t.Errorf("the list holds %v (%v), want %v", l, err, want)
	}
}
