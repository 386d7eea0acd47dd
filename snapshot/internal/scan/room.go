package scan

import (
	"sync"
	"unsafe"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// A room is the memory for the groups of a large scan, outside of Go's heap: it
// goes as soon as they are in order, and nothing of it may be kept. It is in large
// pages, since the first touch of each small one is a page fault, which takes up
// to 40 µs in a virtual machine: with 100,000 entries they were a third of the
// time of a scan without a change.
type room struct {
	mu      sync.Mutex
	entries []statcache.Entry
	names   []byte
	unmap   func() // nil: there is none but Go's
}

// manyEntries is from when a room is made beforehand: the cache tells how large.
var manyEntries = 5_000 // a variable for tests

func newRoom(c *statcache.Cache) *room {
	r := &room{}
	if c == nil || c.Len() < manyEntries {
		return r
	}
	n, b := c.Len(), c.NameBytes()
	n, b = n+n/8, b+b/4 // pieces leave some unused
	const size = int(unsafe.Sizeof(statcache.Entry{}))
	var memory []byte
	if memory, r.unmap = mapLarge(n*size + b); memory != nil {
		r.entries = unsafe.Slice((*statcache.Entry)(unsafe.Pointer(&memory[0])), n)
		r.names = memory[n*size:]
	}
	return r
}

// close gives the memory back.
func (r *room) close() {
	if r.unmap != nil {
		r.unmap()
	}
	r.entries, r.names, r.unmap = nil, nil, nil
}

// moreEntries returns place for at least so many entries, all zero, and for more
// where there is.
func (r *room) moreEntries(least, n int) []statcache.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return more(&r.entries, least, n)
}

// moreNames does so for bytes.
func (r *room) moreNames(least, n int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return more(&r.names, least, n)
}

// lasting makes place for the result, in Go's heap. A large one lies in whole large
// pages: of three pieces, each somewhere, a third was in small ones.
func lasting(t *statcache.Tree, entries, dirs, names int) {
	if entries < manyEntries {
		t.Entries = make([]statcache.Entry, 0, entries)
		t.Dirs = make([]statcache.Dir, 0, dirs)
		t.Names = make([]byte, 0, names)
		return
	}
	// Both have numbers alone, which the garbage collector need not find.
	const entryN, dirN = int(unsafe.Sizeof(statcache.Entry{})), int(unsafe.Sizeof(statcache.Dir{}))
	b := inLargePages(entries*entryN + dirs*dirN + names)
	t.Entries = unsafe.Slice((*statcache.Entry)(unsafe.Pointer(&b[0])), entries)[:0]
	b = b[entries*entryN:]
	t.Dirs = unsafe.Slice((*statcache.Dir)(unsafe.Pointer(&b[0])), dirs)[:0]
	t.Names = b[dirs*dirN:][:0]
}

func more[T any](left *[]T, least, n int) []T {
	n = max(least, n)
	if len(*left) < least {
		return make([]T, 0, n)
	}
	n = min(n, len(*left))
	piece := (*left)[:0:n]
	*left = (*left)[n:]
	return piece
}
