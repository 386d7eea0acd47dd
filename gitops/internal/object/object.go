// Package object reads and writes the objects of a git repository, named by
// SHA-1 or SHA-256: loose files and packs, deltas and alternates.
//
// It reads an index of a pack only where it looks something up, so that no
// operation costs more in a large repository, and it writes a batch of objects
// durably in one go. It deletes no object, merges no packs, knows nothing of
// refs, and starts the git program only for an object that it cannot find.
package object

import (
	"errors"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
)

// A Type is what an object is.
type Type = plumbing.ObjectType

// The types of objects.
const (
	Commit = plumbing.CommitObject
	Tree   = plumbing.TreeObject
	Blob   = plumbing.BlobObject
	Tag    = plumbing.TagObject
)

var (
	// ErrMissing is the cause when no store has an object, nor has the git
	// program. In a partial clone it says "not available offline". It never
	// means that a file was absent.
	ErrMissing = errors.New("object is missing")
	// ErrDamaged is the cause when an object is there and cannot be used: cut
	// short, not what its name says, or not of its type's form.
	ErrDamaged = errors.New("object is damaged")
	// ErrFormat is the cause when an object is named by the other hash than the
	// one that its repository uses.
	ErrFormat = errors.New("the name is of another object format than the repository")
)

// An Error names the object that could not be read. Match its cause with
// errors.Is.
type Error struct {
	ID  ID
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("object %s: %v", e.ID, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}
