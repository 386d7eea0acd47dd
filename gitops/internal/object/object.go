// Package object reads and writes the objects of a git repository whose
// object format is SHA-1: loose files and packs, deltas and alternates.
//
// It reads an index of a pack only where it looks something up, so that no
// operation costs more in a large repository, and it writes a batch of objects
// durably in one go. It deletes no object, merges no packs, knows nothing of
// refs, and starts the git program only for an object that it cannot find.
package object

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
)

// An ID is the name of an object, the SHA-1 of its type, size and content.
type ID = plumbing.Hash

// A Type is what an object is.
type Type = plumbing.ObjectType

// The types of objects.
const (
	Commit = plumbing.CommitObject
	Tree   = plumbing.TreeObject
	Blob   = plumbing.BlobObject
	Tag    = plumbing.TagObject
)

// EmptyTree is the name of the tree without entries.
var EmptyTree = ID{
	0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60,
	0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb, 0xee, 0x49, 0x04,
}

var (
	// ErrMissing is the cause when no store has an object, nor has the git
	// program. In a partial clone it means "not available offline". It never
	// means that a file was absent.
	ErrMissing = errors.New("object is missing")
	// ErrDamaged is the cause when an object is there and cannot be used: cut
	// short, not what its name says, or not of its type's form.
	ErrDamaged = errors.New("object is damaged")
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

// ParseID reads the 40 hexadecimal digits of a name.
func ParseID(s string) (ID, bool) {
	var id ID
	if len(s) != 2*len(id) {
		return ID{}, false
	}
	if _, err := hex.Decode(id[:], []byte(s)); err != nil {
		return ID{}, false
	}
	return id, true
}

// Hash returns the name that an object of this type and content has.
func Hash(typ Type, data []byte) ID {
	h := newHash(typ, int64(len(data)))
	h.Write(data)
	return sum(h)
}

func newHash(typ Type, size int64) hash.Hash {
	h := sha1.New()
	h.Write(header(typ, size))
	return h
}

// header is what precedes the content in a loose file and in the hash.
func header(typ Type, size int64) []byte {
	b := append(make([]byte, 0, 32), typ.Bytes()...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, size, 10)
	return append(b, 0)
}

func sum(h hash.Hash) (id ID) {
	h.Sum(id[:0])
	return id
}
