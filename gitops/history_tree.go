package gitops

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// A Tree is the content of a commit, or of the index, as policy looks at it: no
// file of the worktree is read.
type Tree struct {
	h     *History
	root  object.ID        // of a commit
	index map[string]Entry // of the index; nil: a commit's tree
	dirs  map[string]bool  // above the entries of the index
}

// TreeOf is the tree of a commit.
func (h *History) TreeOf(c *Commit) *Tree { return &Tree{h: h, root: c.tree} }

// IndexTree is what the index holds.
func (h *History) IndexTree() (*Tree, error) {
	index, err := h.layout.Index()
	if err != nil {
		return nil, trouble(edit.Unreadable, "the index cannot be read", err)
	}
	defer index.Close()
	t := &Tree{h: h, index: map[string]Entry{}, dirs: map[string]bool{}}
	for e := range index.All() {
		if e.IntentToAdd || e.Stage > 0 {
			continue // neither is committed
		}
		t.index[e.Path] = Entry{e.Mode, e.ID.String()}
		for up := parent(e.Path); up != "." && !t.dirs[up]; up = parent(up) {
			t.dirs[up] = true
		}
	}
	return t, nil
}

// at finds an entry; false if there is nothing.
func (t *Tree) at(path string) (Entry, bool, error) {
	if t.index != nil {
		e, ok := t.index[path]
		if !ok && t.dirs[path] {
			return Entry{Mode: uint32(object.Dir)}, true, nil
		}
		return e, ok, nil
	}
	e, ok, err := object.Lookup(t.h.db, t.root, path)
	if err != nil || !ok {
		return Entry{}, false, err
	}
	return Entry{uint32(e.Mode), e.ID.String()}, true, nil
}

// Lookup tells what stands at a path, without the bytes of regular files.
func (t *Tree) Lookup(path string) (*edit.File, error) {
	e, ok, err := t.at(path)
	switch {
	case err != nil || !ok:
		return nil, err
	case e.Mode == uint32(object.Dir) || e.Gitlink():
		return &edit.File{Mode: fs.ModeDir | 0o755}, nil
	case e.Link():
		data, err := t.h.Blob(e.ID)
		return &edit.File{Mode: fs.ModeSymlink | 0o777, ID: e.ID, Data: data}, err
	}
	return &edit.File{Mode: fs.FileMode(e.Mode & 0o777), ID: e.ID}, nil
}

// Blob reads a blob.
func (h *History) Blob(id string) ([]byte, error) {
	oid, ok := object.ParseID(id)
	if !ok {
		return nil, &edit.Error{Code: edit.Damaged, Msg: edit.Quote(id) + " is no object id"}
	}
	data, err := h.db.ReadAs(object.Blob, oid)
	if err != nil {
		return nil, trouble(edit.Damaged, "a blob cannot be read", err)
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// File reads a regular file, at most limit bytes of it, and tells its object.
// Nil: there is none. What stands there and is no regular file is an error.
func (t *Tree) File(path string, limit int64) (data []byte, id string, err error) {
	e, ok, err := t.at(path)
	if err != nil || !ok {
		return nil, "", err
	}
	oid, known := object.ParseID(e.ID)
	if e.Mode&0o170000 != 0o100000 || !known {
		return nil, "", errors.New("it is not a regular file")
	}
	if _, size, err := t.h.db.Stat(oid); err != nil {
		return nil, "", err
	} else if size > limit {
		return make([]byte, limit), e.ID, nil // whoever reads so much refuses it
	}
	data, err = t.h.Blob(e.ID)
	return data, e.ID, err
}

// RootNames are the names in the tree's root.
func (t *Tree) RootNames() (names []string, err error) {
	if t.index != nil {
		seen := map[string]bool{}
		for path := range t.index {
			name, _, _ := strings.Cut(path, "/")
			seen[name] = true
		}
		return slices.Sorted(maps.Keys(seen)), nil
	}
	entries, err := object.ReadTree(t.h.db, t.root)
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names, err
}
