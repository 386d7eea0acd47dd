package gitops

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// An Entry is what a tree or the index has at a path.
type Entry struct {
	Mode uint32 // as in a tree: 0100644, 0100755, 0120000, 0160000; 0: there is nothing
	ID   string
}

// Link reports whether it is a symbolic link.
func (e Entry) Link() bool { return e.Mode&0o170000 == 0o120000 }

// Gitlink reports whether it is a submodule.
func (e Entry) Gitlink() bool { return e.Mode&0o170000 == 0o160000 }

// A CommitChange is what a commit makes of one path.
type CommitChange struct {
	Path   string
	Before Entry // in the first parent
	After  Entry
}

// Changed lists what a commit changes: the paths that differ from every parent,
// since what comes with a merge was changed where it was made.
func (h *History) Changed(c *Commit) ([]CommitChange, error) {
	return h.everyParent(c.Parents, func(parent string) ([]CommitChange, error) {
		var before object.ID
		if parent != "" {
			p, err := h.Commit(parent)
			if err != nil {
				return nil, err
			}
			before = p.tree
		}
		diff, err := object.Diff(h.db, before, c.tree)
		if err != nil {
			return nil, trouble(edit.Damaged, "commit "+c.ID+" cannot be compared with its parent", err)
		}
		changes := make([]CommitChange, len(diff))
		for i, d := range diff {
			changes[i] = CommitChange{d.Path, entry(d.Before), entry(d.After)}
		}
		return changes, nil
	})
}

func entry(e object.Entry) Entry {
	if e.ID.IsZero() {
		return Entry{}
	}
	return Entry{uint32(e.Mode), e.ID.String()}
}

// Staged lists what the commit of the index will change, by the same rule.
func (h *History) Staged(parents []string) ([]CommitChange, error) {
	return h.everyParent(parents, func(parent string) ([]CommitChange, error) {
		if parent == "" {
			parent = h.db.Format().EmptyTree().String()
		}
		out, err := h.run(nil, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--full-index", "--ignore-submodules=none", parent)
		if err != nil {
			return nil, err
		}
		return parseRaw(out)
	})
}

// everyParent keeps the changes of paths that differ from every parent; without
// one, diff is asked for "".
func (h *History) everyParent(parents []string, diff func(parent string) ([]CommitChange, error)) ([]CommitChange, error) {
	if len(parents) == 0 {
		return diff("")
	}
	changes, err := diff(parents[0])
	for _, parent := range parents[1:] {
		if err != nil || len(changes) == 0 {
			break
		}
		var others []CommitChange
		if others, err = diff(parent); err != nil {
			break
		}
		differs := map[string]bool{}
		for _, c := range others {
			differs[c.Path] = true
		}
		var both []CommitChange
		for _, c := range changes {
			if differs[c.Path] {
				both = append(both, c)
			}
		}
		changes = both
	}
	return changes, err
}

// parseRaw reads git's raw differences: ":MODE MODE ID ID STATUS NUL PATH NUL".
func parseRaw(out []byte) (changes []CommitChange, err error) {
	for len(out) > 0 {
		head, rest, ok1 := bytes.Cut(out, []byte{0})
		path, rest, ok2 := bytes.Cut(rest, []byte{0})
		f := bytes.Split(head, []byte(" "))
		if !ok1 || !ok2 || len(f) != 5 || len(path) == 0 || !bytes.HasPrefix(head, []byte(":")) {
			return nil, &edit.Error{Code: edit.Unreadable, Msg: fmt.Sprintf("git names a difference by %q", head)}
		}
		c := CommitChange{Path: string(path)}
		if c.Before, err = rawEntry(f[0][1:], f[2]); err == nil {
			c.After, err = rawEntry(f[1], f[3])
		}
		if err != nil {
			return nil, err
		}
		changes, out = append(changes, c), rest
	}
	return changes, nil
}

func rawEntry(mode, id []byte) (Entry, error) {
	bits, err := strconv.ParseUint(string(mode), 8, 32)
	if err != nil {
		return Entry{}, &edit.Error{Code: edit.Unreadable, Msg: fmt.Sprintf("git names the mode %q", mode)}
	}
	if bits == 0 {
		return Entry{}, nil
	}
	if _, ok := object.ParseID(string(id)); !ok {
		return Entry{}, &edit.Error{Code: edit.Unreadable, Msg: fmt.Sprintf("git names the object %q", id)}
	}
	return Entry{uint32(bits), string(id)}, nil
}
