package gitops

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

// Care says how much of a tree is a turn's own.
type care int

const (
	// The tree belongs to a commit of the user's: its own objects are git's to
	// check. Trees are read, files only looked up.
	looked care = iota
	// Some paths below are the turn's: they, and the trees on the way, are
	// hashed, the rest is looked up.
	touched
	// Everything below is the turn's.
	whole
)

// A fault is an object that cannot be used, and where a turn has it.
type fault struct {
	path string
	err  error
}

// faultsNamed is how many faults of one tree are named; the others are counted.
const faultsNamed = 20

type faults struct {
	named []fault
	more  int
}

func (f *faults) add(at string, err error) { f.join("", faults{named: []fault{{at, err}}}) }

func (f *faults) join(dir string, o faults) {
	for _, one := range o.named {
		if len(f.named) == faultsNamed {
			f.more++
			continue
		}
		f.named = append(f.named, fault{path.Join(dir, one.path), one.err})
	}
	f.more += o.more
}

func (f faults) count() int { return len(f.named) + f.more }

// An outcome is what was found in a tree: what is wrong with the turn's objects,
// and what of a commit's that the turn can do without.
type outcome struct{ own, others faults }

func (o *outcome) add(at string, err error, own bool) {
	if own {
		o.own.add(at, err)
	} else {
		o.others.add(at, err)
	}
}

func (o *outcome) join(dir string, in outcome) {
	o.own.join(dir, in.own)
	o.others.join(dir, in.others)
}

// A pathSet holds paths by their components; the last has an empty set.
type pathSet map[string]pathSet

func newPathSet(paths []string) pathSet {
	set := pathSet{}
	for _, p := range paths {
		at := set
		for name := range strings.SplitSeq(p, "/") {
			if at[name] == nil {
				at[name] = pathSet{}
			}
			at = at[name]
		}
	}
	return set
}

// A walker reads the trees of many turns, each object once: turns share nearly
// all of theirs.
type walker struct {
	ctx     context.Context
	db      *object.DB
	partial bool // a clone whose missing objects are promised by a remote

	hashed map[object.ID]error // files and trees that were read, with what is wrong
	trees  map[treeKey]outcome
}

type treeKey struct {
	id   object.ID
	care care
}

// tree checks what is below a tree.
func (w *walker) tree(id object.ID, how care, paths pathSet) (found outcome) {
	key := treeKey{id, how}
	if how != touched { // which differs with the paths
		if known, ok := w.trees[key]; ok {
			return known
		}
		defer func() { w.trees[key] = found }()
	}
	if w.ctx.Err() != nil {
		return found
	}
	entries, err := object.ReadTree(w.db, id)
	if err == nil && how != looked {
		err = object.CheckOrder(entries)
	}
	w.hashed[id] = err
	if how == looked && w.partial && errors.Is(err, object.ErrMissing) {
		return found
	}
	if err != nil {
		found.add("", err, how != looked)
		return found
	}
	for _, e := range entries {
		below, own := paths[e.Name]
		own = own && how == touched || how == whole
		if own {
			if err := e.Check(); err != nil {
				found.add(e.Name, err, true)
				continue
			}
		}
		switch {
		case e.Mode == object.Gitlink: // names a commit of another repository
		case e.Mode.IsDir() && how == touched && own:
			found.join(e.Name, w.tree(e.ID, touched, below))
		case e.Mode.IsDir() && how == whole:
			found.join(e.Name, w.tree(e.ID, whole, nil))
		case e.Mode.IsDir():
			found.join(e.Name, w.tree(e.ID, looked, nil))
		case own:
			if err := w.blob(e.ID); err != nil {
				found.add(e.Name, err, true)
			}
		default:
			if err := w.look(e.ID); err != nil {
				found.add(e.Name, err, false)
			}
		}
	}
	return found
}

// blob reads a file to its end, once; the stream compares its hash.
func (w *walker) blob(id object.ID) error {
	if err, known := w.hashed[id]; known {
		return err
	}
	err := w.stream(id)
	if err != nil {
		// The stream reads one copy. Another one may be sound.
		_, err = w.db.ReadAs(object.Blob, id)
	}
	w.hashed[id] = err
	return err
}

func (w *walker) stream(id object.ID) error {
	in, err := w.db.Reader(id)
	if err != nil {
		return err
	}
	defer in.Close()
	if in.Type != object.Blob {
		return object.ErrDamaged
	}
	_, err = io.Copy(io.Discard, in)
	return cmp.Or(err, w.ctx.Err())
}

// look tells whether an object is there, without reading it.
func (w *walker) look(id object.ID) error {
	if w.partial || w.db.Has(id) {
		return nil
	}
	_, _, err := w.db.Stat(id) // asks everybody
	if errors.Is(err, object.ErrMissing) {
		return err
	}
	return nil
}
