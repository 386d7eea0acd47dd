package object

import (
	"errors"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

// formats runs a test for repositories of either hash, each made by git.
func formats(t *testing.T, f func(t *testing.T, format Format)) {
	for _, format := range []Format{SHA1, SHA256} {
		t.Run(format.String(), func(t *testing.T) { f(t, format) })
	}
}

// setupAs makes a repository of a format and opens its store.
func setupAs(t testing.TB, format Format) (*gittest.Repo, *DB) {
	r := gittest.New(t, "--object-format="+format.String())
	return r, open(t, r, Options{Format: format})
}

func TestID(t *testing.T) {
	formats(t, func(t *testing.T, f Format) {
		r := gittest.New(t, "--object-format="+f.String())
		digits := r.GitIn("some text", "hash-object", "--stdin")
		id := f.Hash(Blob, []byte("some text"))
		if id.String() != digits || len(digits) != f.HexLen() || len(id.Bytes()) != f.Size() || id.Format() != f {
			t.Fatalf("%s is not git's %s", id, digits)
		}
		if got, ok := ParseID(digits); !ok || got != id || got.IsZero() || got.Compare(id) != 0 {
			t.Fatalf("read as %s, %v", got, ok)
		}
		if got, ok := f.FromBytes(append(id.Bytes(), 1)); !ok || got != id {
			t.Fatalf("from bytes: %s, %v", got, ok)
		}
		if got := r.GitIn("", "hash-object", "-t", "tree", "--stdin"); f.EmptyTree().String() != got {
			t.Fatalf("empty tree %s, git has %s", f.EmptyTree(), got)
		}
		if other, ok := ParseFormat(strings.ToUpper(f.String())); !ok || other != f {
			t.Fatalf("format read as %s, %v", other, ok)
		}
		if none, ok := ParseID(strings.Repeat("0", f.HexLen())); !ok || !none.IsZero() || id.Compare(none) <= 0 {
			t.Fatalf("git's zero: %v", ok)
		}
	})
	for _, bad := range []string{"", "12", strings.Repeat("a", 41), strings.Repeat("g", 40), strings.Repeat("a", 63), strings.Repeat("a", 128)} {
		if id, ok := ParseID(bad); ok || id != (ID{}) {
			t.Errorf("%q is read as %s", bad, id)
		}
	}
	if !(ID{}).IsZero() || len((ID{}).Bytes()) > 0 {
		t.Error("the zero value is not zero")
	}
	if _, ok := ParseFormat("md5"); ok {
		t.Error("md5 is a format")
	}
}

// A name of the other hash gets into no object and out of no store.
func TestOtherFormat(t *testing.T) {
	formats(t, func(t *testing.T, f Format) {
		_, db := setupAs(t, f)
		other := SHA1 + SHA256 - f
		foreign := other.Hash(Blob, []byte("x"))
		if _, _, err := db.Read(foreign); !errors.Is(err, ErrFormat) {
			t.Errorf("read: %v", err)
		}
		if _, _, err := db.Stat(foreign); !errors.Is(err, ErrFormat) {
			t.Errorf("stat: %v", err)
		}
		if db.Has(foreign) {
			t.Error("the store has it")
		}
		b := db.NewBatch()
		defer b.Close()
		if _, err := b.Tree([]Entry{{"a", File, foreign}}); !errors.Is(err, ErrFormat) {
			t.Errorf("tree: %v", err)
		}
		if _, err := b.Overlay(ID{}, map[string]*Leaf{"a": {File, foreign}}); !errors.Is(err, ErrFormat) {
			t.Errorf("overlay: %v", err)
		}
		if _, err := b.Overlay(other.EmptyTree(), map[string]*Leaf{"a": {File, f.Hash(Blob, nil)}}); !errors.Is(err, ErrFormat) {
			t.Errorf("overlay of a tree: %v", err)
		}
		tag := &TagObject{Object: foreign, Type: Blob, Name: "t"}
		if _, err := f.ParseTag(tag.Encode()); !errors.Is(err, ErrDamaged) {
			t.Errorf("tag: %v", err)
		}
		if _, err := f.CommitTree([]byte("tree " + foreign.String() + "\n")); !errors.Is(err, ErrDamaged) {
			t.Errorf("commit: %v", err)
		}
	})
}
