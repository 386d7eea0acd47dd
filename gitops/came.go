package gitops

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/repo"
	"github.com/chordgit/chordgit/gitops/internal/seed"
)

// OwnerGit is the owner of a path that came with a move of HEAD: a checkout, a
// pull, a merge. It stays without HEAD's own way back.
const OwnerGit = "git"

// judgeCame finds the owner of each path that came with a move of HEAD, or of which
// that cannot be told.
func (e *ending) judgeCame(came *gitstate.Came) error {
	m := &e.meta.Git
	e.came = map[string]string{}
	if came.Lost {
		for _, d := range e.diff {
			e.came[d.Path] = OwnerAmbiguous
		}
		return nil
	}
	nested, err := e.movedNested()
	if err != nil {
		return err
	}
	var list []object.Difference
	for _, d := range e.diff {
		if _, ok := came.Paths[d.Path]; ok {
			list = append(list, d)
		}
		if below(d.Path, nested) {
			e.came[d.Path] = OwnerAmbiguous
		}
	}
	if len(list) == 0 {
		return nil
	}
	c, err := e.comparison(list)
	if err != nil {
		return err
	}
	defer c.close()
	for i, d := range list {
		h := came.Paths[d.Path]
		switch {
		case !c.same(d.Path, d.Before, h.Before):
		case c.same(d.Path, d.After, h.After) || c.unchanged(i, h.After):
			e.came[d.Path] = OwnerGit
			m.Carried++
		case c.converts(d.Path) && !h.After.ID.IsZero():
			e.came[d.Path] = OwnerAmbiguous
			fallthrough
		default:
			m.Edited = append(m.Edited, pathcode.Encode(d.Path))
		}
	}
	return nil
}

// movedNested lists the repositories below the top whose own HEAD moved, other
// than by commits.
func (e *ending) movedNested() (list []string, err error) {
	for _, n := range e.meta.Nested {
		if n.Made || n.Before == n.After || n.Before == "" || n.After == "" {
			continue
		}
		p := pathcode.Decode(n.Path)
		l := e.r.nestedLayout(p)
		if l == nil {
			continue
		}
		moved, err := gitstate.MovedNested(l, n.Before, n.After)
		if err != nil {
			return nil, trouble(edit.Unreadable, "the reflog of the repository "+edit.Quote(p)+" cannot be read", err)
		}
		if moved {
			list = append(list, p)
		}
	}
	return list, nil
}

// A comparison tells whether files on disk are those of a tree.
type comparison struct {
	e        *ending
	index    *repo.Index
	at       []repo.IndexAt // of the list's paths
	list     []object.Difference
	converts func(path string) bool
	modes    bool // the x bit counts
}

func (e *ending) comparison(list []object.Difference) (*comparison, error) {
	settings, err := e.r.layout.Settings(filepath.Join(e.r.stateDir(), "settings"))
	if err != nil {
		return nil, trouble(edit.Unreadable, "git's configuration cannot be read", err)
	}
	c := &comparison{e: e, list: list, modes: settings.FileMode, converts: func(string) bool { return true }}
	if c.index, err = e.r.layout.Index(); err != nil {
		c.index = &repo.Index{} // which tells nothing
		return c, nil
	}
	paths := make([]string, len(list))
	attributes := false // what asks for conversions changed in the turn
	for i, d := range list {
		paths[i] = d.Path
		attributes = attributes || path.Base(d.Path) == ".gitattributes"
	}
	c.at = c.index.LookupAll(paths)
	if !attributes {
		c.converts = seed.MayConvert(e.r.layout, c.index, settings)
	}
	return c, nil
}

func (c *comparison) close() { c.index.Close() }

// same reports whether what was stored of a file is what a tree's entry stands
// for: the same bytes, or bytes of which git makes these.
func (c *comparison) same(path string, stored, entry object.Entry) bool {
	switch {
	case stored.ID.IsZero() || entry.ID.IsZero():
		return stored.ID.IsZero() && entry.ID.IsZero()
	case !c.sameMode(stored.Mode, entry.Mode):
		return false
	case stored.ID == entry.ID:
		return true
	}
	return entry.Mode&0o170000 == 0o100000 && c.converts(path) && c.converted(stored.ID, entry.ID)
}

func (c *comparison) sameMode(a, b object.Mode) bool {
	return a&0o170000 == b&0o170000 && (!c.modes || a&0o100 == b&0o100)
}

// converted reports whether the bytes on disk are those of a blob after one of
// the conversions that can be told without running anybody's program: of line
// ends, and to a file that a pointer of Git LFS stands for.
func (c *comparison) converted(disk, blob object.ID) bool {
	const limit = 64 << 20
	_, size, err := c.e.r.db.Stat(blob)
	if err != nil || size > limit {
		return false
	}
	want, err := c.e.r.db.ReadAs(object.Blob, blob)
	if err != nil {
		return false
	}
	got, err := c.e.c.batch.ReadAs(object.Blob, disk)
	if err != nil {
		return false
	}
	if bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		return true
	}
	sum := sha256.Sum256(got)
	pointer := fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", hex.EncodeToString(sum[:]), len(got))
	return string(want) == pointer
}

// unchanged reports whether git's index knows the i-th file, as it is now, to be
// a tree's entry.
func (c *comparison) unchanged(i int, entry object.Entry) bool {
	if c.at == nil || c.at[i].Entry == nil || c.at[i].Unmerged || entry.ID.IsZero() {
		return false
	}
	e := c.at[i].Entry
	f, ok := c.e.c.Found(c.list[i].Path)
	return ok && e.ID == entry.ID && c.sameMode(object.Mode(e.Mode), entry.Mode) && c.sameMode(c.list[i].After.Mode, entry.Mode) &&
		seed.Unmodified(e, seed.Stat{Mode: f.Mode, Mtime: f.Mtime, Ctime: f.Ctime, Ino: f.Ino, Size: f.Size}, c.index.Mtime())
}
