package scan

import (
	"sync"
	"unsafe"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// A room is the memory for the results of a scan. The cache tells how much it
// will be; a large one is one piece in large pages. The first touch of each
// small page is a page fault, which takes up to 40 µs in a virtual machine: with
// 100,000 entries they were a third of the time of a scan without a change.
type room struct {
	mu      sync.Mutex
	entries []statcache.Entry
	names   []byte
}

// manyEntries is from when a room is made beforehand.
const manyEntries = 20_000

func newRoom(c *statcache.Cache) *room {
	r := &room{}
	if c == nil || c.Len() < manyEntries {
		return r
	}
	// Twice: once in groups, once in order. And what the pieces leave unused.
	n, b := c.Len(), c.NameBytes()
	r.entries = inLargePages[statcache.Entry](2*n + n/8)
	r.names = inLargePages[byte](2*b + b/2)
	return r
}

// moreEntries returns place for n entries, all zero.
func (r *room) moreEntries(n int) []statcache.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return more(&r.entries, n)
}

func (r *room) moreNames(n int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return more(&r.names, n)
}

func more[T any](left *[]T, n int) []T {
	if n > len(*left) {
		return make([]T, 0, n)
	}
	piece := (*left)[:0:n]
	*left = (*left)[n:]
	return piece
}

const largePage = 2 << 20

// inLargePages makes n zero elements, which hold no pointers. They begin with a large
// page; what lies before is never touched.
func inLargePages[T any](n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	s := make([]T, n+largePage/size+1)
	at := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	skip := int(-at & (largePage - 1))
	adviseLarge(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*size)[skip : skip+n*size&^(largePage-1)])
	s = s[(skip+size-1)/size:]
	return s[:n:n]
}
