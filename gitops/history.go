package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// A History is a repository's commits and index, read only: what a git hook or a
// check of commits needs. A bare repository has one as well.
type History struct {
	layout *repo.Layout
	db     *object.DB
	owned  bool // db is to be closed
}

// OpenHistory opens the repository that holds dir, bare ones too. Of Options
// InHook and NoSync count. A directory in no repository is an error with code
// [NotARepository].
func OpenHistory(dir string, opt Options) (*History, error) {
	find := repo.FindAny
	if opt.InHook {
		find = repo.FindHook
	}
	layout, err := find(dir)
	if err != nil {
		return nil, &edit.Error{Code: NotARepository, Err: err}
	}
	db, err := openObjects(layout, opt)
	if err != nil {
		return nil, err
	}
	return &History{layout: layout, db: db, owned: true}, nil
}

// History is that of the worktree's repository. It ends with the Repo.
func (r *Repo) History() *History { return &History{layout: r.layout, db: r.db} }

// Close gives back what OpenHistory took.
func (h *History) Close() error {
	if h.owned {
		return h.db.Close()
	}
	return nil
}

// Bare reports whether the repository has no worktree.
func (h *History) Bare() bool { return h.layout.Config.Bare }

// Top is the worktree's root, or the git directory of a
// bare repository.
func (h *History) Top() string { return h.layout.Top }

// FoldCase is [Repo.FoldCase].
func (h *History) FoldCase() bool { return h.layout.Config.IgnoreCase }

// A Commit is what is known of one. The people are "Name <address> seconds zone".
type Commit struct {
	ID                string
	Parents           []string
	Author, Committer string
	Message           string

	tree object.ID
}

// Time is when it was made, as it says itself; zero if it does not.
func (c *Commit) Time() time.Time {
	f := strings.Fields(c.Committer[strings.LastIndexByte(c.Committer, '>')+1:])
	if len(f) == 0 {
		return time.Time{}
	}
	seconds, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// Commit reads a commit, or the one that a tag leads to; nil for another object.
func (h *History) Commit(id string) (*Commit, error) {
	oid, ok := object.ParseID(id)
	for range 32 {
		if !ok {
			break
		}
		typ, data, err := h.db.Read(oid)
		switch {
		case err != nil:
			return nil, trouble(edit.Damaged, "a commit cannot be read", err)
		case typ == object.Tag:
			var tag *object.TagObject
			if tag, err = oid.Format().ParseTag(data); err != nil {
				return nil, trouble(edit.Damaged, "tag "+oid.String()+" cannot be read", err)
			}
			oid = tag.Object
			continue
		case typ != object.Commit:
			return nil, nil
		}
		c, err := oid.Format().ParseCommit(data)
		if err != nil {
			return nil, trouble(edit.Damaged, "commit "+oid.String()+" cannot be read", err)
		}
		commit := &Commit{ID: oid.String(), Author: c.Author, Committer: c.Committer, Message: c.Message, tree: c.Tree}
		for _, p := range c.Parents {
			commit.Parents = append(commit.Parents, p.String())
		}
		return commit, nil
	}
	return nil, &edit.Error{Code: edit.Damaged, Msg: fmt.Sprintf("%s is no commit", edit.Quote(id))}
}

// Has reports whether the repository holds an object.
func (h *History) Has(id string) bool {
	oid, ok := object.ParseID(id)
	if !ok || oid.IsZero() {
		return false
	}
	_, _, err := h.db.Stat(oid)
	return err == nil
}

// Resolve is the commit that a revision means, empty if it means none.
func (h *History) Resolve(revision string) string {
	if strings.HasPrefix(revision, "-") {
		return ""
	}
	out, err := h.layout.Command("rev-parse", "-q", "--verify", revision+"^{commit}").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Shallow reports whether the history was cut off when it was cloned.
func (h *History) Shallow() bool {
	_, err := os.Lstat(filepath.Join(h.layout.CommonDir, "shallow"))
	return err == nil
}

// Commits lists the commits that the arguments of git rev-list select, parents
// first.
func (h *History) Commits(selection ...string) ([]string, error) {
	out, err := h.run(nil, append([]string{"rev-list", "--reverse", "--topo-order"}, selection...)...)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}

// run starts git, and makes its complaint the error.
func (h *History) run(stdin []byte, args ...string) ([]byte, error) {
	cmd := h.layout.Command(args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	what := "git " + args[0]
	if text := strings.TrimSpace(complaint.String()); text != "" {
		what += ": " + edit.Quote(text)
	}
	return nil, &edit.Error{Code: edit.Unreadable, Msg: what, Err: err}
}

// NextParents are the parents of the commit that git is about to make: HEAD's
// and those that it merges, which git names in a file after a conflict, and in
// the environment of a hook before it (merging). There are none before the first
// commit.
func (h *History) NextParents(merging []string) ([]string, error) {
	var parents []string
	add := func(id string) {
		if id != "" && !slices.Contains(parents, id) {
			parents = append(parents, id)
		}
	}
	add(h.Resolve("HEAD"))
	data, err := os.ReadFile(filepath.Join(h.layout.GitDir, "MERGE_HEAD"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, trouble(edit.Unreadable, "MERGE_HEAD cannot be read", err)
	}
	for _, id := range append(strings.Fields(string(data)), merging...) {
		if _, ok := object.ParseID(id); !ok {
			return nil, &edit.Error{Code: edit.Damaged, Msg: fmt.Sprintf("%s is merged, which is no commit", edit.Quote(id))}
		}
		add(id)
	}
	return parents, nil
}
