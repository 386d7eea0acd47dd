package gitstate

// A Record is what git itself moved in a turn. It stands in the turn's meta.json:
// members may be added, never renamed.
type Record struct {
	Refs      []Ref     `json:"refs,omitempty"`
	Stash     *Stashes  `json:"stash,omitempty"` // nil: the stashes are as they were
	Operation Operation `json:"operation,omitzero"`
	Moves     []Move    `json:"moves,omitempty"`   // of HEAD, oldest first, but for commits
	Carried   int       `json:"carried,omitempty"` // files that came with them
	Edited    []string  `json:"edited,omitempty"`  // encoded paths that were changed on top of that
	Index     string    `json:"index,omitempty"`   // what became of it, see IndexChanged
	Flags     []Flags   `json:"flags,omitempty"`
}

const (
	// IndexChanged is a Record's Index if entries of the index changed. Empty: they
	// are as they were.
	IndexChanged = "changed"
	indexUnknown = "unknown" // nobody knows what they were
)

// A Ref is a branch or tag that moved; empty where it was not there.
type Ref struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// An Operation names the merge, rebase and the like that waited to be finished.
type Operation struct {
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Flags are the flags of an index entry that changed, with commas between
// them.
type Flags struct {
	Path   string `json:"path"` // encoded
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}
