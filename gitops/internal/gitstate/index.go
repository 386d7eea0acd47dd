package gitstate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// An indexPath is what the index says of one path: an entry, or up to three of
// one that is not merged. Empty: nothing.
type indexPath []repo.IndexEntry

// equal compares entries, not what git remembers of the files: `git status`
// writes that anew.
func (p indexPath) equal(q indexPath) bool {
	return slices.EqualFunc(p, q, func(a, b repo.IndexEntry) bool {
		return a.Stage == b.Stage && a.Mode == b.Mode && a.ID == b.ID && flagsOf(a) == flagsOf(b)
	})
}

// flags are those of the entry that is merged.
func (p indexPath) flags() string {
	if len(p) == 0 {
		return ""
	}
	return flagsOf(p[0])
}

const (
	flagAssumeUnchanged = "assume-unchanged"
	flagIntentToAdd     = "intent-to-add"
	flagSkipWorktree    = "skip-worktree"
)

// skips reports whether somebody set skip-worktree for an entry. In a sparse checkout
// the flag follows from that, which no rewind changes.
func skips(e *repo.IndexEntry, sparse bool) bool { return e.SkipWorktree && !sparse }

func flagsOf(e repo.IndexEntry) string {
	var list []string
	if e.AssumeUnchanged {
		list = append(list, flagAssumeUnchanged)
	}
	if e.IntentToAdd {
		list = append(list, flagIntentToAdd)
	}
	if e.SkipWorktree {
		list = append(list, flagSkipWorktree)
	}
	return strings.Join(list, ",")
}

// An indexChange is a path whose entries changed.
type indexChange struct {
	path          string
	before, after indexPath
}

// diffIndex compares two indexes, path by path. Sparse: one of them is of a sparse
// checkout.
func diffIndex(before, after *repo.Index, sparse bool) (list []indexChange) {
	x, y := slices.Collect(before.All()), slices.Collect(after.All())
	for _, entries := range [][]repo.IndexEntry{x, y} {
		for i := range entries {
			entries[i].SkipWorktree = skips(&entries[i], sparse)
		}
	}
	take := func(list *[]repo.IndexEntry, path string) indexPath {
		n := 0
		for n < len(*list) && (*list)[n].Path == path {
			n++
		}
		head := (*list)[:n]
		*list = (*list)[n:]
		return head
	}
	for len(x) > 0 || len(y) > 0 {
		var p string
		switch {
		case len(y) == 0:
			p = x[0].Path
		case len(x) == 0:
			p = y[0].Path
		default:
			p = min(x[0].Path, y[0].Path)
		}
		if c := (indexChange{p, take(&x, p), take(&y, p)}); !c.before.equal(c.after) {
			list = append(list, c)
		}
	}
	return list
}

// index compares the index with that of the start and keeps both, if entries
// changed.
func (e *End) index(st *State, start *Start, batch *object.Batch) {
	m := &e.Record
	m.Index = indexUnknown
	if !start.Noted {
		return
	}
	same := false
	if e.StartIndex, same = st.startIndex(start); e.StartIndex == nil {
		return
	}
	if same {
		m.Index = ""
		return
	}
	now, err := st.Layout.Index()
	if err != nil {
		return
	}
	defer now.Close()
	changes := diffIndex(e.StartIndex, now, start.Sparse || st.Layout.Sparse())
	if len(changes) == 0 {
		m.Index = ""
		return
	}
	root, err := indexTree(batch, slices.Collect(e.StartIndex.All()), "")
	if err == nil {
		err = e.Trees.index(batch, root, changes)
	}
	if err != nil {
		return // a name that no tree may hold: git forbids it, and has it all the same
	}
	m.Index, m.Flags = IndexChanged, flagsChanged(changes)
}

// flagsChanged lists the flags of entries that changed.
func flagsChanged(changes []indexChange) (list []Flags) {
	for _, c := range changes {
		if b, a := c.before.flags(), c.after.flags(); b != "" || a != "" {
			list = append(list, Flags{pathcode.Encode(c.path), b, a})
		}
	}
	return list
}

// Trees are what a turn keeps as trees below git/ in its own, by name: HEAD's at the
// start and with all that came with its moves; the index at both ends, and its
// stages 1 to 3.
type Trees map[string]object.ID

const (
	treeHead    = "head"
	treeCarried = "carried"
	treeIndex   = "index"
	treeStages  = "stages"
	treeAfter   = "-after" // behind the name of what is of the end
)

// TreeCarried is where a turn's tree has HEAD's of the start with all that came with
// its moves, if anything did.
const TreeCarried = "git/" + treeCarried

// index adds the index of both ends: root is its tree of merged entries at the
// start, or one that has the paths that changed as they were then.
func (t Trees) index(b *object.Batch, root object.ID, changes []indexChange) (err error) {
	merged := map[string]*object.Leaf{}
	stages := [2][4]map[string]*object.Leaf{}
	for _, c := range changes {
		merged[c.path] = nil
		for end, entries := range []indexPath{c.before, c.after} {
			for i := range entries {
				leaf := indexLeaf(&entries[i])
				switch stage := entries[i].Stage; {
				case leaf == nil:
				case stage > 0:
					if stages[end][stage] == nil {
						stages[end][stage] = map[string]*object.Leaf{}
					}
					stages[end][stage][c.path] = leaf
				case end == 1:
					merged[c.path] = leaf
				}
			}
		}
	}
	t[treeIndex] = root
	if t[treeIndex+treeAfter], err = b.Overlay(root, merged); err != nil {
		return err
	}
	for end, name := range []string{treeStages, treeStages + treeAfter} {
		var list []object.Entry
		for stage, leaves := range stages[end] {
			if leaves == nil {
				continue
			}
			id, err := b.Overlay(object.ID{}, leaves)
			if err != nil {
				return err
			}
			list = append(list, object.Entry{Name: fmt.Sprint(stage), Mode: object.Dir, ID: id})
		}
		if len(list) > 0 {
			if t[name], err = b.Tree(list); err != nil {
				return err
			}
		}
	}
	return nil
}

// indexLeaf is an entry as a tree has it. A file that is only announced (git add
// -N) has no content in the index.
func indexLeaf(e *repo.IndexEntry) *object.Leaf {
	if e.IntentToAdd {
		return nil
	}
	return leafOf(object.Entry{Mode: object.Mode(e.Mode), ID: e.ID})
}

// indexTree makes the tree of the merged entries, which all begin with prefix,
// and are sorted.
func indexTree(b *object.Batch, entries []repo.IndexEntry, prefix string) (object.ID, error) {
	var list []object.Entry
	for len(entries) > 0 {
		e := &entries[0]
		name, _, isDir := strings.Cut(e.Path[len(prefix):], "/")
		if !isDir {
			if leaf := indexLeaf(e); leaf != nil && e.Stage == 0 {
				list = append(list, object.Entry{Name: name, Mode: leaf.Mode, ID: leaf.ID})
			}
			entries = entries[1:]
			continue
		}
		below := prefix + name + "/"
		n := slices.IndexFunc(entries, func(e repo.IndexEntry) bool { return !strings.HasPrefix(e.Path, below) })
		if n < 0 {
			n = len(entries)
		}
		id, err := indexTree(b, entries[:n], below)
		if err != nil {
			return id, err
		}
		if !id.IsZero() {
			list = append(list, object.Entry{Name: name, Mode: object.Dir, ID: id})
		}
		entries = entries[n:]
	}
	if len(list) == 0 && prefix != "" {
		return object.ID{}, nil // git keeps no empty tree
	}
	return b.Tree(list)
}

// Write makes the tree git/; zero if there is nothing in it.
func (t Trees) Write(b *object.Batch) (object.ID, error) {
	var list []object.Entry
	for name, id := range t {
		if !id.IsZero() {
			list = append(list, object.Entry{Name: name, Mode: object.Dir, ID: id})
		}
	}
	if len(list) == 0 {
		return object.ID{}, nil
	}
	slices.SortFunc(list, func(a, b object.Entry) int { return cmp.Compare(a.Name, b.Name) })
	return b.Tree(list)
}
