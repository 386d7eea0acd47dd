package object

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Leaf is what stands at a path: a file, a link, a gitlink or a tree.
type Leaf struct {
	Mode Mode
	ID   ID
}

// Overlay lays changes over the tree root, the zero ID being an empty one, and
// returns the resulting tree. Only the trees along the changed paths are read
// and written.
//
// A nil leaf says that nothing is at its path but what other changes put below
// it. A file or gitlink of root that is in the way of a leaf gives way to a
// tree; it stays where nothing but removals are below it. Trees that a change
// leaves empty are dropped. Two leaves, one of them below the other, are
// refused.
func (b *Batch) Overlay(root ID, changes map[string]*Leaf) (ID, error) {
	o := overlay{b: b, changes: changes}
	id, err := o.tree(root, "", slices.Sorted(maps.Keys(changes)))
	if err != nil {
		return ID{}, err
	}
	if id.IsZero() {
		return b.Object(Tree, nil)
	}
	return id, nil
}

type overlay struct {
	b       *Batch
	changes map[string]*Leaf
}

// tree returns the tree id with the changes of the given paths, all of which
// begin with prefix, and the zero ID if nothing is left.
func (o *overlay) tree(id ID, prefix string, paths []string) (ID, error) {
	var entries []Entry
	if !id.IsZero() {
		var err error
		if entries, err = ReadTree(o.b, id); err != nil {
			return ID{}, err
		}
	}
	at := make(map[string]int, len(entries))
	for i, e := range entries {
		at[e.Name] = i
	}
	// Sorted, "a" "a!" "a/b": the paths of one name need not be neighbours.
	groups := make(map[string][]string)
	for _, p := range paths {
		name, _, _ := strings.Cut(p[len(prefix):], "/")
		groups[name] = append(groups[name], p)
	}
	changed := false
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		old := Entry{Name: name}
		i, ok := at[name]
		if ok {
			old = entries[i]
		}
		e, err := o.entry(old, prefix+name, groups[name])
		switch {
		case err != nil:
			return ID{}, err
		case e == old:
			continue
		case !ok:
			entries = append(entries, e)
		default:
			entries[i] = e
		}
		changed = true
	}
	if !changed {
		return id, nil
	}
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.ID.IsZero() })
	if len(entries) == 0 {
		return ID{}, nil
	}
	return o.b.Object(Tree, encodeTree(entries))
}

// entry returns what becomes of one name: of the entry old, with a zero ID if
// there is none, under the changes of path itself and of paths below it. A
// zero ID in the result removes the name.
func (o *overlay) entry(old Entry, path string, paths []string) (Entry, error) {
	none := Entry{Name: old.Name}
	if leaf, ok := o.changes[path]; ok {
		paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == path })
		old = none
		if leaf != nil {
			old.Mode, old.ID = leaf.Mode, leaf.ID
			if err := errors.Join(checkEntry(old), o.b.db.check(old.ID)); err != nil {
				return none, fmt.Errorf("%s: %w", path, err)
			}
			if o.anyLeaf(paths) {
				return none, fmt.Errorf("%s: both a file and a directory", path)
			}
			return old, nil
		}
	}
	if !o.anyLeaf(paths) && !old.Mode.IsDir() {
		return old, nil
	}
	id := old.ID
	if !old.Mode.IsDir() {
		id = ID{}
	}
	id, err := o.tree(id, path+"/", paths)
	if err != nil || id.IsZero() {
		return none, err
	}
	e := Entry{Name: old.Name, Mode: Dir, ID: id}
	if old.ID == id {
		return old, nil
	}
	return e, checkEntry(e)
}

func (o *overlay) anyLeaf(paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return o.changes[p] != nil })
}
