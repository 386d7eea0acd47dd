// Package ref reads the refs of a repository whose ref storage is files, and
// gives birth to refs and removes them by git's own protocol of lock files.
//
// It moves no ref, writes no reflog and runs no hook.
package ref

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/durable"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

var (
	// ErrNotFound is returned for a ref that is neither loose nor packed.
	ErrNotFound = errors.New("no such ref")
	// ErrExists is returned by Create: the name is taken, by a ref or by the
	// directory of others.
	ErrExists = errors.New("the ref exists")
	// ErrChanged is returned by Remove: the ref names another object.
	ErrChanged = errors.New("the ref has changed")
	// ErrLocked is returned when somebody holds a lock file for over a second.
	ErrLocked = errors.New("locked")
	// ErrName is returned for a name that git does not allow.
	ErrName = errors.New("not a ref name")
	// ErrBroken is returned for a ref file that names no object.
	ErrBroken = errors.New("the ref is broken")
)

// A Store holds the refs of one worktree. Refs are shared by all worktrees of
// a repository, but for HEAD and the like.
type Store struct {
	Format    object.Format // of the ids; the zero value is SHA-1
	GitDir    string
	CommonDir string
	Perm      durable.Perm
	NoSync    bool

	// Lock is the lock under which refs are written and removed, and which ends with
	// its process. Held is a directory for what may be left by one that died. Nil: a
	// lock file that is left stays.
	Lock func() (unlock func(), err error)
	Held string
	Step func(name string) // told before a step at which a test may end the process; nil: nobody
}

// A Ref is a name and the object it stands for.
type Ref struct {
	Name string
	ID   object.ID
}

// A Head is what HEAD says.
type Head struct {
	Ref string    // the branch; empty if detached
	ID  object.ID // zero if the branch is unborn
}

// Unborn reports whether HEAD names a branch without a commit.
func (h Head) Unborn() bool { return h.ID.IsZero() }

// Detached reports whether HEAD names a commit itself.
func (h Head) Detached() bool { return h.Ref == "" }

// Head reads HEAD.
func (s *Store) Head() (Head, error) {
	id, target, err := s.readLoose("HEAD")
	if err != nil {
		return Head{}, fmt.Errorf("HEAD: %w", err)
	}
	if target == "" {
		return Head{ID: id}, nil
	}
	id, err = s.Read(target)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return Head{Ref: target, ID: id}, err
}

// maxSymbolic is git's limit of symbolic refs in a row.
const maxSymbolic = 5

// Read returns the object that a ref stands for, through symbolic refs.
func (s *Store) Read(name string) (object.ID, error) {
	for range maxSymbolic {
		if !validName(name) {
			return object.ID{}, fmt.Errorf("%q: %w", name, ErrName)
		}
		id, target, err := s.readLoose(name)
		if errors.Is(err, ErrNotFound) {
			id, err = s.readPacked(name)
		}
		if err != nil || target == "" {
			return id, named(name, err)
		}
		name = target
	}
	return object.ID{}, named(name, ErrBroken)
}

func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// path returns the file of a ref: in the git directory for what git keeps per
// worktree (refs.c, is_per_worktree_ref), otherwise in the common one.
func (s *Store) path(name string) string {
	dir := s.CommonDir
	if !strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "refs/bisect/") ||
		strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/") {
		dir = s.GitDir
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// readLoose reads a ref's own file: an object, or the name of another ref.
func (s *Store) readLoose(name string) (id object.ID, target string, err error) {
	file := s.path(name)
	data, err := os.ReadFile(file)
	if err != nil {
		// Of one that was not there, Lstat may find what came at this moment.
		if info, e := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) && e == nil && !info.IsDir() {
			return id, "", err
		}
		// Absent, a directory, or below a file: not a loose ref.
		return id, "", ErrNotFound
	}
	text := strings.TrimRight(string(data), " \t\r\n")
	if rest, ok := strings.CutPrefix(text, "ref:"); ok {
		if target = strings.TrimLeft(rest, " \t"); !validName(target) {
			return id, "", ErrBroken
		}
		return id, target, nil
	}
	// git takes an object followed by a blank and anything.
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, " ")
	id, ok := object.ParseID(text)
	if !ok || id.IsZero() || id.Format() != s.Format {
		return object.ID{}, "", ErrBroken
	}
	return id, "", nil
}

// List returns the refs whose names begin with prefix, sorted by name.
// Symbolic refs stand for their object; broken ones are left out.
func (s *Store) List(prefix string) ([]Ref, error) {
	// Loose ones first, as git does: a ref that is packed while we read is then
	// found in at least one place.
	refs := make(map[string]object.ID) // zero: broken
	dir, _ := filepath.Split(filepath.FromSlash(prefix))
	root := filepath.Join(s.CommonDir, dir)
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed while we read
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.CommonDir, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if !strings.HasPrefix(name, prefix) || !validName(name) {
			return nil // .lock files among them
		}
		switch id, err := s.Read(name); {
		case err == nil:
			refs[name] = id
		case errors.Is(err, ErrNotFound): // removed, or points to none
		case errors.Is(err, ErrBroken):
			refs[name] = object.ID{}
		default:
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	packed, err := s.listPacked(prefix)
	if err != nil {
		return nil, err
	}
	for _, r := range packed {
		if _, loose := refs[r.Name]; !loose {
			refs[r.Name] = r.ID
		}
	}
	list := make([]Ref, 0, len(refs))
	for name, id := range refs {
		if id.IsZero() {
			continue
		}
		list = append(list, Ref{Name: name, ID: id})
	}
	slices.SortFunc(list, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}
