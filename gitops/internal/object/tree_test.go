package object

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

func TestTreeOrderIsGits(t *testing.T) { formats(t, testTreeOrderIsGits) }

func testTreeOrderIsGits(t *testing.T, format Format) {
	r, db := setupAs(t, format)
	blob := id(t, r.GitIn("x", "hash-object", "-w", "--stdin"))
	sub := id(t, r.GitIn("100644 blob "+blob.String()+"\tx\n", "mktree"))
	var entries []Entry
	var lines strings.Builder
	for i, name := range []string{"a", "a.b", "a-b", "a0", "ab", "a/", "B", "\xff", "é", "b\n", "link", "z!"} {
		e := Entry{Name: strings.TrimSuffix(name, "/"), Mode: File, ID: blob}
		switch {
		case name == "a":
			continue
		case strings.HasSuffix(name, "/"):
			e.Mode, e.ID = Dir, sub
		case name == "link":
			e.Mode = Symlink
		case i%3 == 0:
			e.Mode = Executable
		}
		entries = append(entries, e)
		typ := "blob"
		if e.Mode.IsDir() {
			typ = "tree"
		}
		fmt.Fprintf(&lines, "%06o %s %s\t%s\x00", e.Mode, typ, e.ID, e.Name)
	}
	want := r.GitIn(lines.String(), "mktree", "-z")
	b := db.NewBatch()
	defer b.Close()
	if got := must(b.Tree(entries)); got.String() != want {
		t.Errorf("tree %s, git's is %s", got, want)
	}
}

func TestTreeRefusals(t *testing.T) {
	blob := SHA1.Hash(Blob, nil)
	for _, entries := range [][]Entry{
		{{Name: "", Mode: File, ID: blob}},
		{{Name: "a/b", Mode: File, ID: blob}},
		{{Name: "..", Mode: Dir, ID: blob}},
		{{Name: ".GIT", Mode: Dir, ID: blob}},
		{{Name: "git~1", Mode: Dir, ID: blob}},
		{{Name: "a", Mode: 0o100664, ID: blob}},
		{{Name: "a", Mode: File}},
		{{Name: "a", Mode: File, ID: blob}, {Name: "a", Mode: Dir, ID: blob}},
	} {
		if _, err := EncodeTree(entries); err == nil {
			t.Errorf("%v: no error", entries)
		}
	}
}

// Overlay against git's own index, on random changes.
func TestOverlayAgainstGit(t *testing.T) {
	r := gittest.New(t)
	rng := rand.New(rand.NewPCG(3, 4))
	blob := id(t, r.GitIn("x", "hash-object", "-w", "--stdin"))
	path := func() string {
		p := ""
		for i := range 1 + rng.IntN(3) {
			if i > 0 {
				p += "/"
			}
			p += string("ab!"[rng.IntN(3)])
		}
		return p
	}
	db := open(t, r, Options{})
	b := db.NewBatch()
	defer b.Close()
	root, gitRoot := ID{}, ""
	for step := range 120 {
		changes := map[string]*Leaf{}
		for range 1 + rng.IntN(3) {
			p := path()
			if rng.IntN(3) == 0 {
				changes[p] = nil
			} else {
				changes[p] = &Leaf{Mode: []Mode{File, Executable, Symlink}[rng.IntN(3)], ID: blob}
			}
		}
		got, err := b.Overlay(root, changes)
		if nested(changes) {
			if err == nil {
				t.Fatalf("step %d: %v: no error", step, changes)
			}
			continue
		}
		if err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		// git: drop everything at the changed paths, then add the leaves, with
		// --replace for files in the way.
		r.Git("read-tree", "--empty")
		if gitRoot != "" {
			r.Git("read-tree", gitRoot)
		}
		for p := range changes {
			r.Git("rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", ":(literal)"+p)
		}
		for p, leaf := range changes {
			if leaf != nil {
				r.Git("update-index", "--add", "--replace", "--cacheinfo", fmt.Sprintf("%06o,%s,%s", leaf.Mode, leaf.ID, p))
			}
		}
		gitRoot = r.Git("write-tree")
		if got.String() != gitRoot {
			t.Fatalf("step %d: %v\nours %s, git's %s", step, changes, got, gitRoot)
		}
		root = got
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	r.Fsck()
}

func nested(changes map[string]*Leaf) bool {
	for p, leaf := range changes {
		for q, other := range changes {
			if leaf != nil && other != nil && strings.HasPrefix(q, p+"/") {
				return true
			}
		}
	}
	return false
}

func TestOverlayWritesOnlyTheWay(t *testing.T) {
	r := gittest.New(t)
	for i := range 20 {
		r.Write(fmt.Sprintf("d%d/sub/f", i), fmt.Sprint(i))
	}
	r.Commit()
	head := id(t, r.Git("rev-parse", "HEAD^{tree}"))
	db := open(t, r, Options{})
	b := db.NewBatch()
	defer b.Close()
	blob := must(b.Blob([]byte("new")))
	root := must(b.Overlay(head, map[string]*Leaf{"d3/sub/f": {File, blob}, "d5/sub/f": nil, "d7/none": nil}))
	if n := b.Stats().New; n != 4 { // blob, d3/sub, d3, root
		t.Errorf("%d new objects", n)
	}
	if e, ok, err := Lookup(b, root, "d3/sub/f"); err != nil || !ok || e.ID != blob {
		t.Errorf("Lookup = %v %v %v", e, ok, err)
	}
	for _, p := range []string{"d5", "d5/sub/f", "d3/sub/f/x", "none"} {
		if _, ok, err := Lookup(b, root, p); ok || err != nil {
			t.Errorf("%s: %v %v", p, ok, err)
		}
	}
	if same := must(b.Overlay(head, map[string]*Leaf{"none": nil})); same != head {
		t.Error("another tree for no change")
	}
	if empty := must(b.Overlay(ID{}, nil)); empty != SHA1.EmptyTree() {
		t.Error(empty)
	}
	if empty := must(b.Overlay(ID{}, map[string]*Leaf{"a/b": nil})); empty != SHA1.EmptyTree() {
		t.Error(empty)
	}
	if _, err := b.Overlay(head, map[string]*Leaf{"x/.git/config": {File, blob}}); err == nil {
		t.Error(".git was taken")
	}
}

func TestOverlayGitlinkGivesWay(t *testing.T) {
	r := gittest.New(t)
	r.Git("update-index", "--add", "--cacheinfo", "160000,1234567890123456789012345678901234567890,sub")
	head := id(t, r.Git("write-tree"))
	b := open(t, r, Options{}).NewBatch()
	defer b.Close()
	blob := must(b.Blob(nil))
	if same := must(b.Overlay(head, map[string]*Leaf{"sub/x": nil})); same != head {
		t.Error("a removal below a gitlink changed the tree")
	}
	root := must(b.Overlay(head, map[string]*Leaf{"sub/x": {File, blob}}))
	if e, ok, _ := Lookup(b, root, "sub"); !ok || !e.Mode.IsDir() {
		t.Errorf("%v", e)
	}
}

func TestTagAndCommit(t *testing.T) { formats(t, testTagAndCommit) }

func testTagAndCommit(t *testing.T, format Format) {
	r, db := setupAs(t, format)
	r.Write("a", "a")
	r.Commit()
	r.Git("tag", "-a", "-m", "subject\n\nbody", "v1")
	r.Git("tag", "-a", "-m", "tag of a tag", "v2", "v1")
	tree := id(t, r.Git("rev-parse", "HEAD^{tree}"))
	for _, name := range []string{"HEAD", "v1", "v2", "HEAD^{tree}"} {
		if got, err := PeelToTree(db, id(t, r.Git("rev-parse", name))); err != nil || got != tree {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	if _, err := PeelToTree(db, id(t, r.Git("rev-parse", "HEAD:a"))); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	data, err := db.ReadAs(Tag, id(t, r.Git("rev-parse", "v1")))
	if err != nil {
		t.Fatal(err)
	}
	tag, err := format.ParseTag(data)
	if err != nil || tag.Name != "v1" || tag.Type != Commit || tag.Message != "subject\n\nbody\n" || !bytes.Equal(tag.Encode(), data) {
		t.Errorf("%+v %v", tag, err)
	}
	for _, bad := range []string{"", "object x\n", "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"} {
		if _, err := format.ParseTag([]byte(bad)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseTree(f *testing.F) {
	for _, format := range []Format{SHA1, SHA256} {
		blob := format.Hash(Blob, nil)
		f.Add(format == SHA256, encodeTree([]Entry{{"a", File, blob}, {"b", Dir, format.EmptyTree()}, {"c", 0o100664, blob}}))
	}
	f.Add(false, []byte("100644 a\x00"))
	f.Fuzz(func(t *testing.T, long bool, data []byte) {
		format := formatOf(long)
		entries, err := format.ParseTree(data)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		again, err := format.ParseTree(encodeTree(entries))
		if err != nil || len(again) != len(entries) {
			t.Fatal(err)
		}
	})
}

func FuzzReadEntry(f *testing.F) {
	db := &DB{}
	var e bytes.Buffer
	if err := db.deflateEntry(&e, Blob, []byte("content")); err != nil {
		f.Fatal(err)
	}
	f.Add(e.Bytes())
	f.Add([]byte("\x6f\x01x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, content, err := readEntry(&db.pools, bytes.NewReader(data), SHA1, 0); err == nil {
			if h.typ.IsDelta() {
				applyDelta([]byte("base"), content)
			}
		}
	})
}
