package gitstate

import (
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// Heads are HEAD at the two ends of a turn.
type Heads struct {
	Before Head `json:"before"`
	After  Head `json:"after"`
}

// A Head is HEAD: the ref it names (empty if detached) and the commit (empty if
// unborn).
type Head struct {
	Ref string `json:"ref,omitempty"`
	OID string `json:"oid,omitempty"`
}

// String is HEAD in full: "refs/heads/main 10e1…", "refs/heads/main unborn" or
// "detached 10e1…".
func (h Head) String() string {
	switch {
	case h.Ref == "":
		return "detached " + h.OID
	case h.OID == "":
		return h.Ref + " unborn"
	}
	return h.Ref + " " + h.OID
}

// Short is HEAD in few words: "main 10e14f7", "main (no commit)" or "detached
// 10e14f7".
func (h Head) Short() string {
	id := h.OID
	switch {
	case h.Ref == "":
		return "detached " + shortID(id)
	case id == "":
		return shortRef(h.Ref) + " (no commit)"
	}
	return shortRef(h.Ref) + " " + shortID(id)
}

func shortID(id string) string { return id[:min(len(id), 7)] }

func shortRef(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "refs/heads/"), "refs/")
}

// at is where HEAD is, apart from where its branch is.
func (h Head) at() string {
	if h.Ref != "" {
		return h.Ref
	}
	return h.OID
}

// Head reads HEAD. Error: Damaged.
func (st *State) Head() (Head, error) {
	now, err := st.Refs.Head()
	if err != nil {
		return Head{}, &edit.Error{Code: edit.Damaged, Msg: "HEAD cannot be read", Err: err}
	}
	h := Head{Ref: now.Ref}
	if !now.Unborn() {
		h.OID = now.ID.String()
	}
	return h, nil
}
