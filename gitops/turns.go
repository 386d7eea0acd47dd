package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// Turns yields the closed turns of this worktree, newest first. A turn that
// cannot be read is an error, whose worktree is not known; the others follow.
func (r *Repo) Turns() iter.Seq2[*Turn, error] {
	return func(yield func(*Turn, error) bool) {
		list, err := r.numbers(turnsPrefix)
		if err != nil {
			yield(nil, trouble(edit.Damaged, "the turns cannot be listed", err))
			return
		}
		for _, n := range slices.Backward(list) {
			t, err := r.read(n, turnRef(n))
			if err == nil && !r.mine(t) {
				continue
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

// Turn reads turn n; 0 means the newest of this worktree. A turn that does not
// exist is an error with code NoTurn, one that cannot be read has code Damaged.
func (r *Repo) Turn(n int) (*Turn, error) {
	if n != 0 {
		return r.read(n, turnRef(n))
	}
	for t, err := range r.Turns() {
		return t, err
	}
	return nil, &edit.Error{Code: edit.NoTurn, Msg: "there is no turn yet"}
}

// mine reports whether a turn was made in this worktree.
func (r *Repo) mine(t *Turn) bool {
	key, err := r.key()
	return err == nil && t.meta.Worktree.ID == r.layout.ID && t.meta.Worktree.Key == key
}

// read reads the turn behind a ref.
func (r *Repo) read(n int, name string) (*Turn, error) {
	t := &Turn{N: n}
	if err := r.readInto(t, name); err != nil {
		return nil, err
	}
	return t, nil
}

// load reads the turn behind a tag. With an error the turn is as far as it could
// be read.
func (r *Repo) load(n int, id object.ID) (*Turn, error) {
	t := &Turn{N: n}
	return t, r.loadInto(t, id)
}

// loadInto is load for a turn whose name is known.
func (r *Repo) loadInto(t *Turn, id object.ID) error {
	t.tag = id
	data, err := r.db.ReadAs(object.Tag, id)
	if err != nil {
		return err
	}
	tag, err := id.Format().ParseTag(data)
	if err != nil {
		return err
	}
	t.tree, t.said = tag.Object, tag.Message
	if want := tagName(t.N); tag.Name != want {
		return fmt.Errorf("its tag is %s, not %s", edit.Quote(tag.Name), want)
	}
	e, ok, err := object.Lookup(r.db, t.tree, "meta.json")
	if err == nil && !ok {
		err = errors.New("it has no meta.json")
	}
	if err != nil {
		return err
	}
	if data, err = r.db.ReadAs(object.Blob, e.ID); err != nil {
		return err
	}
	return t.fill(data)
}

// Changes returns what a turn changed, one Change a path, sorted. Files have
// mode and ID; their bytes are read by [Repo.Content]. A turn with a missing
// object is an error with code Damaged: a lost object is never taken for an
// absent file. An open turn has no changes yet.
func (r *Repo) Changes(t *Turn) ([]edit.Change, error) { return r.changes(t, false) }

// changes is Changes, with all that may have changed unseen if it is asked for.
func (r *Repo) changes(t *Turn, all bool) ([]edit.Change, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	if t.Status == StatusOpen && t.Scope == ScopeWorktree {
		return nil, nil
	}
	before, err := r.side(t, "before")
	if err != nil {
		return nil, t.damaged(err)
	}
	after, err := r.side(t, "after")
	if err != nil {
		return nil, t.damaged(err)
	}
	var diff []object.Difference
	if t.Scope == ScopeWorktree {
		diff, err = r.differences(t, before, after, all)
	} else {
		diff, err = pathsOf(t.Paths, before, after)
	}
	if err != nil {
		return nil, t.damaged(err)
	}
	from := map[string]string{}
	for _, m := range t.Moves {
		from[m.To] = m.From
	}
	changes := make([]edit.Change, len(diff))
	err = inParts(len(diff), func(i, to int) (err error) {
		for ; i < to && err == nil; i++ {
			d := &diff[i]
			c := edit.Change{Path: d.Path, From: from[d.Path]}
			if c.Before, err = before.fileOf(d.Path, d.Before); err == nil {
				c.After, err = after.fileOf(d.Path, d.After)
			}
			changes[i] = c
		}
		return err
	})
	if err != nil {
		return nil, t.damaged(err)
	}
	return changes, nil
}

// pathsOf are the two sides of each path, sorted.
func pathsOf(paths []string, before, after *side) (list []object.Difference, err error) {
	for _, path := range slices.Sorted(slices.Values(paths)) {
		d := object.Difference{Path: path}
		if d.Before, _, err = before.entry(path); err == nil {
			d.After, _, err = after.entry(path)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// A side is one of a turn's two trees.
type side struct {
	r     *Repo
	t     *Turn
	after bool
	trees map[string]map[string]object.Entry // directories read so far
	root  object.ID
}

func (r *Repo) side(t *Turn, name string) (*side, error) {
	e, ok, err := object.Lookup(r.db, t.tree, name)
	if err == nil && !ok {
		err = fmt.Errorf("it has no %s/", name)
	}
	return &side{r: r, t: t, after: name == "after", root: e.ID, trees: map[string]map[string]object.Entry{}}, err
}

// dir reads a directory of the side, once. Nil: there is none.
func (s *side) dir(p string) (map[string]object.Entry, error) {
	if d, ok := s.trees[p]; ok {
		return d, nil
	}
	id := s.root
	if p != "." {
		e, ok, err := s.entry(p)
		if err != nil {
			return nil, err
		}
		if !ok || !e.Mode.IsDir() {
			s.trees[p] = nil
			return nil, nil
		}
		id = e.ID
	}
	entries, err := object.ReadTree(s.r.db, id)
	if err != nil {
		return nil, err
	}
	d := maps.Collect(func(yield func(string, object.Entry) bool) {
		for _, e := range entries {
			if !yield(e.Name, e) {
				return
			}
		}
	})
	s.trees[p] = d
	return d, nil
}

func (s *side) entry(p string) (object.Entry, bool, error) {
	up, name := splitPath(p)
	d, err := s.dir(up)
	if err != nil {
		return object.Entry{}, false, err
	}
	e, ok := d[name]
	return e, ok, nil
}

// isDir reports whether the side holds a directory with something stored in it.
func (s *side) isDir(p string) bool {
	e, ok, err := s.entry(p)
	return err == nil && ok && e.Mode.IsDir()
}

// file returns what the side holds at a path: nil for nothing or a directory.
// Its bytes must be in the store.
func (s *side) file(p string) (*edit.File, error) {
	e, _, err := s.entry(p)
	if err != nil {
		return nil, err
	}
	return s.fileOf(p, e)
}

// fileOf is file for an entry at hand, the zero one for nothing. Several may be
// asked for at once.
func (s *side) fileOf(p string, e object.Entry) (*edit.File, error) {
	if e.ID.IsZero() || e.Mode.IsDir() || e.Mode == object.Gitlink {
		return nil, nil
	}
	var err error
	size, ok := s.r.db.Size(e.ID) // a third of what Stat costs at the end of a chain of deltas
	if !ok {
		if _, size, err = s.r.db.Stat(e.ID); err != nil { // asks everybody
			return nil, err
		}
	}
	f := &edit.File{ID: e.ID.String(), Stat: edit.Stat{Size: size}}
	if e.Mode == object.Symlink {
		f.Mode = fs.ModeSymlink | 0o777
		f.Data, err = s.r.db.ReadAs(object.Blob, e.ID)
		return f, err
	}
	f.Mode = s.t.meta.mode(p, e.Mode&0o100 != 0, s.after)
	return f, nil
}

// Undone tells which turns are taken back, and by which rewind: a complete one
// that is not taken back itself.
func (r *Repo) Undone() (map[int]int, error) { return undone(r.Turns()), nil }

// undone goes through turns, the newest first, so that a rewind's own fate is
// known.
func undone(turns iter.Seq2[*Turn, error]) map[int]int {
	undone := map[int]int{}
	for t, err := range turns {
		if err != nil {
			continue // named by whoever lists the turns
		}
		if t.Kind != KindRewind || t.Partial || undone[t.N] != 0 {
			continue
		}
		for _, n := range t.Undoes {
			undone[n] = t.N
		}
	}
	return undone
}
