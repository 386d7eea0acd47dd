package statcache

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
)

// The file, all numbers little-endian:
//
//	 0  magic, 8 bytes
//	 8  version u16, length of an id u8 (20: SHA-1, 32: SHA-256), flags u8
//	12  number of entries u32, of directories u32, length of names u32
//	24  length of the boot id u16, of the ref u16, 4 bytes of zero
//	32  stamp i64, device of top u64, inode of top u64
//	56  key of the rules outside the worktree, 32 bytes
//	88  the object that the ref names, 32 bytes (the id, then zero)
//	    entries, 48 bytes each
//	    ids, one an entry; all zero: none
//	    directories, 20 bytes each
//	    names, each with a NUL behind it
//	    boot id, ref
//	    CRC-32C of all that u32
const (
	magic   = "cgstat\r\n"
	version = 1
	fixed   = 120
	entryAt = fixed
	entryN  = 48
	dirN    = 20
	crcN    = 4
	// maxFile keeps offsets far from an int's end on every platform.
	maxFile = 1 << 30

	headCoarse, headSynced, headOtherFS = 1, 2, 4

	keptFlags    = Ignored | ByRule | Foreign | Loose
	keptDirFlags = Empty | Nested | Partial | Incomplete | LinkedRule
)

// ErrNone is the answer for a cache that is absent, torn, of another version, or
// odd in any other way.
var ErrNone = errors.New("no usable stat cache")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Header says of which scan a cache is.
type Header struct {
	IDLen int // 20 or 32
	// Stamp is the older of the scan's two stamps. Every time that is not older
	// is untrusted, whatever was hashed since.
	Stamp int64
	Boot  string // the boot in which the scan ran; empty if unknown
	// Synced: after the hashing all of top's file system was flushed.
	Synced bool
	// Coarse: no time seen had nanoseconds, see [Tree.IsCoarse].
	Coarse bool
	// OtherFS: the stamp was not taken on top's file system.
	OtherFS bool
	// Dev and Ino are those of top.
	Dev, Ino uint64
	// Ref named the object Kept when the cache was written: while it does, the ids
	// of all entries that are not Loose are present. Empty and nil: nothing is known.
	Ref  string
	Kept []byte
	// Rules is a key of the ignore rules that come from outside the worktree, and
	// of all settings that decide like one. Entries are judged again if it moves.
	Rules [32]byte
}

// A Cache is an open cache file.
type Cache struct {
	Header
	entries, ids, dirs, names []byte
	n, d                      int
	unmap                     func()
}

// Close gives the file back. Nothing taken from the cache may be used after.
func (c *Cache) Close() {
	if c.unmap != nil {
		c.unmap()
	}
	*c = Cache{}
}

// Len returns the number of entries; the top is the first.
func (c *Cache) Len() int { return c.n }

// NameBytes is how long the names of all entries are together, with what ends them.
func (c *Cache) NameBytes() int { return len(c.names) }

// NumDirs returns the number of directories that were looked into.
func (c *Cache) NumDirs() int { return c.d }

// Entry decodes entry i.
func (c *Cache) Entry(i int) Entry {
	b := c.entries[i*entryN:][:entryN:entryN]
	le := binary.LittleEndian
	return Entry{
		Mtime: int64(le.Uint64(b)), Ctime: int64(le.Uint64(b[8:])),
		Ino: le.Uint64(b[16:]), Size: int64(le.Uint64(b[24:])),
		Mode: fs.FileMode(le.Uint32(b[32:])), Name: le.Uint32(b[36:]), NameLen: le.Uint16(b[40:]),
		Flags: Flags(b[42]), Why: Why(b[43]), Link: int32(le.Uint32(b[44:])),
	}
}

// FlagsOf returns the flags of entry i.
func (c *Cache) FlagsOf(i int) Flags { return Flags(c.entries[i*entryN+42]) }

// Dir decodes directory k.
func (c *Cache) Dir(k int) Dir {
	b := c.dirs[k*dirN:][:dirN:dirN]
	le := binary.LittleEndian
	return Dir{
		Entry: int32(le.Uint32(b)), First: int32(le.Uint32(b[4:])), Count: int32(le.Uint32(b[8:])),
		Parent: int32(le.Uint32(b[12:])), Flags: DirFlags(le.Uint32(b[16:])),
	}
}

// Name returns the name of an entry that c decoded, in a slice that has a NUL
// behind its end. It must not be changed.
func (c *Cache) Name(e *Entry) []byte {
	return c.names[e.Name : e.Name+uint32(e.NameLen) : e.Name+uint32(e.NameLen)+1]
}

// ID returns the id of entry i: of a file's or link's blob, or of a directory's
// tree. Nil if the cache has none. It must not be changed.
func (c *Cache) ID(i int) []byte {
	id := c.ids[i*c.IDLen:][:c.IDLen:c.IDLen]
	for _, b := range id {
		if b != 0 {
			return id
		}
	}
	return nil
}

// Copy returns a copy of the flat form, for tests and for callers that change it.
func (c *Cache) Copy() *Tree {
	t := &Tree{Entries: make([]Entry, c.n), Dirs: make([]Dir, c.d), Names: append([]byte(nil), c.names...)}
	for i := range t.Entries {
		t.Entries[i] = c.Entry(i)
	}
	for k := range t.Dirs {
		t.Dirs[k] = c.Dir(k)
	}
	return t
}
