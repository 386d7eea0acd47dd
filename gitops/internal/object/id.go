package object

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"
)

// A Format is the hash by which a repository names its objects. The zero
// value is SHA-1, as for git where extensions.objectFormat does not stand.
type Format uint8

// The formats that git knows.
const (
	SHA1 Format = iota
	SHA256
)

// ParseFormat reads a value of extensions.objectFormat.
func ParseFormat(s string) (Format, bool) {
	for _, f := range []Format{SHA1, SHA256} {
		if strings.EqualFold(s, f.String()) {
			return f, true
		}
	}
	return 0, false
}

// String is git's name of the format.
func (f Format) String() string {
	if f == SHA256 {
		return "sha256"
	}
	return "sha1"
}

// Size is the length of a name in bytes.
func (f Format) Size() int {
	if f == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

// HexLen is the length of a name in hexadecimal digits.
func (f Format) HexLen() int { return 2 * f.Size() }

// New begins a hash.
func (f Format) New() hash.Hash {
	if f == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// NewHash begins the hash of an object, to which its content is then written.
func (f Format) NewHash(typ Type, size int64) hash.Hash {
	h := f.New()
	h.Write(header(typ, size))
	return h
}

// Sum returns the name that a hash of this format has come to.
func (f Format) Sum(h hash.Hash) ID {
	id := ID{n: uint8(f.Size())}
	h.Sum(id.b[:0])
	return id
}

// Hash returns the name that an object of this type and content has.
func (f Format) Hash(typ Type, data []byte) ID {
	h := f.NewHash(typ, int64(len(data)))
	h.Write(data)
	return f.Sum(h)
}

// EmptyTree is the name of the tree without entries.
func (f Format) EmptyTree() ID {
	if f == SHA256 {
		return emptyTree256
	}
	return emptyTree1
}

var (
	emptyTree1   = SHA1.Hash(Tree, nil)
	emptyTree256 = SHA256.Hash(Tree, nil)
)

// FromBytes takes a name of this format from the head of b, and reports
// whether b is long enough.
func (f Format) FromBytes(b []byte) (ID, bool) {
	id := ID{n: uint8(f.Size())}
	if len(b) < int(id.n) {
		return ID{}, false
	}
	copy(id.b[:id.n], b)
	return id, true
}

// An ID is the name of an object: the hash of its type, size and content, 20
// bytes or 32 by the format of its repository. IDs can be compared with == and
// be keys of a map. The zero value names no object.
type ID struct {
	n uint8 // bytes used; 0: none
	b [sha256.Size]byte
}

// ParseID reads the 40 or 64 hexadecimal digits of a name.
func ParseID(s string) (ID, bool) {
	id := ID{n: uint8(len(s) / 2)}
	if len(s) != SHA1.HexLen() && len(s) != SHA256.HexLen() {
		return ID{}, false
	}
	if _, err := hex.Decode(id.b[:id.n], []byte(s)); err != nil {
		return ID{}, false
	}
	return id, true
}

// Format tells which format's name it is; of the zero value, SHA1.
func (id ID) Format() Format {
	if id.n == sha256.Size {
		return SHA256
	}
	return SHA1
}

// IsZero reports whether the name names nothing: it is the zero value, or all
// its bytes are zero, which is how git writes "no object".
func (id ID) IsZero() bool { return id.b == [sha256.Size]byte{} }

// Bytes are the bytes of the name; none for the zero value.
func (id ID) Bytes() []byte { return id.b[:id.n] }

// Compare orders names by bytes.
func (id ID) Compare(other ID) int { return bytes.Compare(id.b[:id.n], other.b[:other.n]) }

// String returns the hexadecimal digits, forty zeros for the zero value.
func (id ID) String() string { return hex.EncodeToString(id.b[:id.Format().Size()]) }

// header is what precedes the content in a loose file and in the hash.
func header(typ Type, size int64) []byte {
	b := append(make([]byte, 0, 32), typ.Bytes()...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, size, 10)
	return append(b, 0)
}
