package gitops

import (
	"strings"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

// CommitsOf lists the commits that a closed turn brought to HEAD and that no
// branch, tag or remote had when it began, parents first: those that were made in
// it. What a pull, a checkout or a merge brought is not among them. A turn in which
// HEAD stayed where it was has none.
func (r *Repo) CommitsOf(t *Turn) ([]*Commit, error) {
	before, after := t.meta.Head.Before.OID, t.meta.Head.After.OID
	if after == "" || before == after {
		return nil, nil
	}
	refs, err := r.git().UserRefs()
	if err != nil {
		return nil, err
	}
	for _, moved := range t.meta.Git.Refs {
		refs[moved.Name] = moved.Before
	}
	var selection strings.Builder
	selection.WriteString(after + "\n")
	for _, id := range refs {
		if id != "" {
			selection.WriteString("^" + id + "\n")
		}
	}
	if before != "" {
		selection.WriteString("^" + before + "\n")
	}
	h := r.History()
	// A ref may lead to an object that is lost, or a tag to no commit: neither can
	// say that a commit was there.
	out, err := h.run([]byte(selection.String()), "rev-list", "--ignore-missing", "--reverse", "--topo-order", "--stdin", "--not", "--remotes")
	if err != nil {
		return nil, err
	}
	var commits []*Commit
	for _, id := range strings.Fields(string(out)) {
		c, err := h.Commit(id)
		if err != nil {
			return nil, err
		}
		commits = append(commits, c)
	}
	return commits, nil
}

// MadeIn reports whether a commit says of itself that it was made when the turn
// had begun.
func (c *Commit) MadeIn(t *Turn) bool {
	return !c.Time().Before(t.Started.Truncate(time.Second)) // as commits have it
}

// HeadEntry is what the commit that HEAD was at the turn's end has at a path.
func (r *Repo) HeadEntry(t *Turn, path string) (Entry, error) {
	id, ok := object.ParseID(t.meta.Head.After.OID)
	if !ok {
		return Entry{}, nil
	}
	root, err := object.PeelToTree(r.db, id)
	if err != nil {
		return Entry{}, err
	}
	e, _, err := object.Lookup(r.db, root, path)
	return entry(e), err
}
