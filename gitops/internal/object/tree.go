package object

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// A Mode is the mode of a tree's entry as git writes it: the kind of the entry
// and whether a file may be executed.
type Mode uint32

// The modes of new entries. Old trees hold others, 100664 for one, which are
// kept as they are.
const (
	File       Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Gitlink    Mode = 0o160000
	Dir        Mode = 0o040000
)

// IsDir reports whether the entry is a tree.
func (m Mode) IsDir() bool { return m&0o170000 == Dir }

// An Entry is one name in a tree.
type Entry struct {
	Name string // bytes, one path component
	Mode Mode
	ID   ID
}

// compareEntries is git's order: by bytes, as if a tree's name ended in "/".
func compareEntries(a, b Entry) int {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(a.byteAt(n), b.byteAt(n))
}

func (e Entry) byteAt(i int) byte {
	switch {
	case i < len(e.Name):
		return e.Name[i]
	case e.Mode.IsDir():
		return '/'
	}
	return 0
}

// EncodeTree returns the content of the tree of these entries, in git's order
// whatever theirs is. A name or mode that would make `git fsck --strict` fail,
// and a name given twice, are refused.
func EncodeTree(entries []Entry) ([]byte, error) {
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		if err := checkEntry(e); err != nil {
			return nil, err
		}
		if seen[e.Name] {
			return nil, fmt.Errorf("tree: %q is there twice", e.Name)
		}
		seen[e.Name] = true
	}
	return encodeTree(entries), nil
}

func checkEntry(e Entry) error {
	switch {
	case e.Name == "" || e.Name == "." || e.Name == ".." || strings.ContainsAny(e.Name, "/\x00"):
		return fmt.Errorf("tree: %q is no name", e.Name)
	case edit.IsGitDir(e.Name):
		return fmt.Errorf("tree: git forbids the name %q", e.Name)
	case e.ID.IsZero():
		return fmt.Errorf("tree: %q has no object", e.Name)
	}
	switch e.Mode {
	case File, Executable, Symlink, Gitlink, Dir:
		return nil
	}
	return fmt.Errorf("tree: %q has mode %o", e.Name, e.Mode)
}

func encodeTree(entries []Entry) []byte {
	if !slices.IsSortedFunc(entries, compareEntries) {
		entries = slices.SortedFunc(slices.Values(entries), compareEntries)
	}
	size := 0
	for _, e := range entries {
		size += len("100644 ") + len(e.Name) + 1 + len(e.ID.Bytes())
	}
	b := make([]byte, 0, size)
	for _, e := range entries {
		b = strconv.AppendUint(b, uint64(e.Mode), 8)
		b = append(b, ' ')
		b = append(b, e.Name...)
		b = append(b, 0)
		b = append(b, e.ID.Bytes()...)
	}
	return b
}

// ParseTree reads the content of a tree. It checks the form, not the order;
// errors have the cause ErrDamaged.
func (f Format) ParseTree(data []byte) ([]Entry, error) {
	entries := make([]Entry, 0, len(data)/(f.Size()+16))
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		if space <= 0 || space > 7 {
			return nil, damaged("a tree's entry has no mode")
		}
		mode, err := strconv.ParseUint(string(data[:space]), 8, 32)
		if err != nil {
			return nil, damaged("a tree's entry has mode %q", data[:space])
		}
		data = data[space+1:]
		end := bytes.IndexByte(data, 0)
		if end <= 0 || len(data) < end+1+f.Size() || bytes.IndexByte(data[:end], '/') >= 0 {
			return nil, damaged("a tree's entry has no name or no object")
		}
		e := Entry{Name: string(data[:end]), Mode: Mode(mode)}
		e.ID, _ = f.FromBytes(data[end+1:])
		data = data[end+1+f.Size():]
		entries = append(entries, e)
	}
	return entries, nil
}

// A Reading is what trees and commits are read from: a DB, or a Batch, which
// knows its new objects too.
type Reading interface {
	ReadAs(Type, ID) ([]byte, error)
}

// ReadTree returns the entries of a tree.
func ReadTree(r Reading, id ID) ([]Entry, error) {
	data, err := r.ReadAs(Tree, id)
	if err != nil {
		return nil, err
	}
	entries, err := id.Format().ParseTree(data)
	if err != nil {
		return nil, wrap(id, err)
	}
	return entries, nil
}

// Lookup finds the entry at a path below a tree, reading only the trees on the
// way. The zero root is an empty tree. A file or gitlink on the way means that
// the path is not there.
func Lookup(r Reading, root ID, path string) (Entry, bool, error) {
	e := Entry{Mode: Dir, ID: root}
	for name := range strings.SplitSeq(path, "/") {
		if !e.Mode.IsDir() || e.ID.IsZero() {
			return Entry{}, false, nil
		}
		entries, err := ReadTree(r, e.ID)
		if err != nil {
			return Entry{}, false, err
		}
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
		if i < 0 {
			return Entry{}, false, nil
		}
		e = entries[i]
	}
	return e, true, nil
}

// WalkFiles calls f for everything below a tree that is no tree, in git's order,
// with its path relative to it.
func WalkFiles(r Reading, id ID, f func(path string, e Entry)) error {
	return walkFiles(r, id, "", f)
}

func walkFiles(r Reading, id ID, prefix string, f func(string, Entry)) error {
	entries, err := ReadTree(r, id)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Mode.IsDir() {
			f(prefix+e.Name, e)
		} else if err := walkFiles(r, e.ID, prefix+e.Name+"/", f); err != nil {
			return err
		}
	}
	return nil
}

// A Difference is a path at which two trees have different files, links or
// submodules. The ID of an entry that is not there is zero.
type Difference struct {
	Path          string
	Before, After Entry
}

// Diff lists the paths at which two trees differ, sorted by bytes. Either may be
// zero, which is an empty tree. Only what differs is read.
func Diff(r Reading, before, after ID) (list []Difference, err error) {
	err = diffTrees(r, before, after, "", &list)
	slices.SortFunc(list, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

func diffTrees(r Reading, before, after ID, prefix string, list *[]Difference) error {
	if before == after {
		return nil
	}
	var sides [2][]Entry
	for i, id := range []ID{before, after} {
		if id.IsZero() {
			continue
		}
		entries, err := ReadTree(r, id)
		if err != nil {
			return err
		}
		slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
		sides[i] = entries
	}
	x, y := sides[0], sides[1]
	for len(x) > 0 || len(y) > 0 {
		var a, b Entry
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].Name < y[0].Name:
			a, x = x[0], x[1:]
		case len(x) == 0 || y[0].Name < x[0].Name:
			b, y = y[0], y[1:]
		default:
			a, b, x, y = x[0], y[0], x[1:], y[1:]
		}
		if a == b {
			continue
		}
		path := prefix + cmp.Or(a.Name, b.Name)
		var below [2]ID
		if a.Mode.IsDir() {
			below[0], a = a.ID, Entry{}
		}
		if b.Mode.IsDir() {
			below[1], b = b.ID, Entry{}
		}
		if err := diffTrees(r, below[0], below[1], path+"/", list); err != nil {
			return err
		}
		if a != b {
			*list = append(*list, Difference{path, a, b})
		}
	}
	return nil
}
