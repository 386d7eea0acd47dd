package edit

import "io/fs"

// A Change is the fate of one path. Before is nil if the path is created, After
// is nil if it is removed; both stand in terms of what was really seen, so that
// comparing Before with the disk is the check for foreign modification and
// swapping the two is undo.
type Change struct {
	Path string
	// From is the path whose bytes came here, empty unless this is a move's
	// target. The source has a Change of its own.
	From  string
	Names []string // as the request spelt it
	// Before and After of a moved file share ID and Data; a nil Data with an
	// empty ID means that planning had no need of the bytes.
	Before, After *File
	// Unseen says that After carries a change that somebody else made meanwhile, and
	// that the agent has not seen ([Tree.Meanwhile]).
	Unseen bool
}

// A Plan says what shall happen to every path of a request. It is complete
// before the first byte is written.
type Plan struct {
	Changes []Change // sorted by path, one a path
	// Mkdir are the directories that are missing now and that Changes need,
	// parents first; Rmdir those to remove if the changes leave them empty,
	// children first.
	Mkdir, Rmdir []string
	// DirModes are the permissions that directories get once everything else is in
	// place; those of directories that are made without one are the system's.
	DirModes []DirMode

	Failures     []*Error // in the order of the request
	FailedGroups int      // file groups that dropped out
	Notes        []Note
	Outcomes     []Outcome // one an operation, in the order of the request
}

// A DirMode is a change of a directory's permissions.
type DirMode struct {
	Path          string
	Before, After fs.FileMode // Before is 0 for one that is made, After for one that is removed
}

// An Outcome says what became of one operation.
type Outcome struct {
	Op    int    // 1-based
	Path  string // clean, as reported
	OK    bool   // part of the plan's Changes, or without effect
	Lines []int  // Replace: line of each place in the text it was found in
	How   string // Replace: how it was found ("by the tolerant step"); empty: exactly
	Edits int    // Replace with Batch: how many items took effect
	Cell  string // Cell: the cell's id, or cell-N if it has none
}

// Empty reports whether the plan changes nothing.
func (p *Plan) Empty() bool {
	return len(p.Changes) == 0 && len(p.Mkdir) == 0 && len(p.Rmdir) == 0 && len(p.DirModes) == 0
}

// Invert returns the plan that takes p back: before and after swapped, moves
// turned round. Failures, notes and outcomes are left behind.
func (p *Plan) Invert() *Plan {
	inv := &Plan{Changes: make([]Change, len(p.Changes))}
	from := map[string]string{}
	for _, c := range p.Changes {
		if c.From != "" {
			from[c.From] = c.Path
		}
	}
	for i, c := range p.Changes {
		inv.Changes[i] = Change{Path: c.Path, Before: c.After, After: c.Before}
		if c.Before != nil {
			inv.Changes[i].From = from[c.Path]
		}
	}
	for _, m := range p.DirModes {
		inv.DirModes = append(inv.DirModes, DirMode{m.Path, m.After, m.Before})
	}
	for i := len(p.Rmdir) - 1; i >= 0; i-- {
		inv.Mkdir = append(inv.Mkdir, p.Rmdir[i])
	}
	for i := len(p.Mkdir) - 1; i >= 0; i-- {
		inv.Rmdir = append(inv.Rmdir, p.Mkdir[i])
	}
	return inv
}

// A Compat is the product by whose rules a request is matched where they
// differ from ours.
type Compat uint8

// The products.
const (
	Chord Compat = iota // ours
	Codex               // Codex's apply_patch
	Aider
)

// Options are what a planner cannot know by itself. The zero value plans with
// the defaults of the command.
type Options struct {
	Compat Compat
	Umask  fs.FileMode // bits that new files do not get
	// Roots are the absolute spellings of the tree's root, with slashes;
	// absolute paths below one of them are made relative.
	Roots []string
	Base  string // where relative paths start, relative to the root; empty: the root
	// Folds: the tree takes names that differ in the case of letters for one. A
	// move to another case of its own name then renames the entry.
	Folds bool
	// RefuseAmbiguous turns every note also-matches into a failure.
	RefuseAmbiguous bool
	Atomic          bool  // any failure leaves nothing of the plan
	FileLimit       int64 // bytes of a file that may be edited; 0 means 512 MiB
	// AllowPlaceholders writes lines that look like omitted code, or like a
	// reading tool's own, as they are.
	AllowPlaceholders bool
	// PreserveFinalNewline makes an Update leave a final line break only where
	// the file had one; without it every line of an updated file ends in one.
	PreserveFinalNewline bool
	// Superuser: a file whose mode forbids to write it can be written all the
	// same. Only Codex, which writes in place, asks.
	Superuser bool
	// Index refuses to touch a path whose file is another than its index entry
	// says.
	Index bool
	// Force lets whole content go over a change that somebody else made since the
	// turn began and that the agent did not see.
	Force   bool
	Merging bool // a merge or the like is in progress: unmerged paths are noted
	// Policy is asked, before anything is matched, about each operation and what
	// it comes to for a path: After is nil if it removes the file, otherwise it
	// tells no more than that there will be one. A move is asked about twice, its
	// source first. An error refuses the request; all of them are told. Nil
	// allows everything.
	Policy func(op *Op, c Change) *Error
}
