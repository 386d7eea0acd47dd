package repo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/mmap"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// An IndexEntry is one entry of git's index.
type IndexEntry struct {
	Path  string
	Mode  uint32 // as in a tree: 0100644, 0100755, 0120000, 0160000
	ID    object.ID
	Stage int // 0, or 1 to 3 for a path that is not merged

	SkipWorktree    bool
	IntentToAdd     bool
	AssumeUnchanged bool

	Stat IndexStat
}

// Gitlink reports whether the entry is a submodule.
func (e *IndexEntry) Gitlink() bool { return e.Mode&0o170000 == 0o160000 }

// IndexStat is what git saw of the file when it last found it unchanged; zero
// where it did not look, and where the index came through the git program.
// Sizes and numbers are cut to 32 bits.
type IndexStat struct {
	CtimeSec, CtimeNsec, MtimeSec, MtimeNsec, Dev, Ino, UID, GID, Size uint32
}

// An Index is the content of a worktree's index at one moment. It must be
// given back by Close.
type Index struct {
	data    []byte
	unmap   func()
	format  object.Format
	version uint32
	count   uint32
	mtime   int64
	listed  []IndexEntry // instead of data, from the git program
}

// errIndexForm is the cause when the flat reader cannot serve an index.
var errIndexForm = errors.New("unknown form of index")

// Index reads the index without a lock and without decoding it. A repository
// without one has an empty index. Split and sparse indexes, and those that
// cannot be parsed, are read by the git program.
func (l *Layout) Index() (*Index, error) { return l.index(nil) }

// index is Index, and calls f for each entry on the pass over them that checks
// their form. If that fails what f has seen is void: x.listed has the entries.
func (l *Layout) index(f func(*rawEntry) bool) (*Index, error) {
	name := l.IndexFile()
	// git replaces the file and never cuts it, so that it can be mapped:
	// reading the megabytes of a large one costs more than the search.
	data, unmap, mtime, err := mapFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &Index{}, nil
	}
	if err != nil {
		return nil, err
	}
	x, err := parseIndex(data, l.Config.Format(), f)
	if err != nil {
		unmap()
		return l.listIndex(err)
	}
	x.unmap, x.mtime = unmap, mtime
	return x, nil
}

// mapFile maps a file, or reads it where that cannot be done, and tells its
// mtime in nanoseconds.
func mapFile(name string) (data []byte, unmap func(), mtime int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, 0, err
	}
	data, unmap, err = mmap.Map(f)
	if errors.Is(err, errors.ErrUnsupported) {
		data, err = io.ReadAll(f)
		unmap = func() {}
	}
	return data, unmap, info.ModTime().UnixNano(), err
}

// IndexFile is the file that git has the index in.
func (l *Layout) IndexFile() string {
	other := os.Getenv("GIT_INDEX_FILE")
	switch {
	case l.otherIndex != "":
		return l.otherIndex
	case !l.InHook || other == "":
		return filepath.Join(l.GitDir, "index")
	case filepath.IsAbs(other):
		return other
	}
	return filepath.Join(l.Top, other)
}

// IndexLock returns the lock that a git program holds, or left behind, on the
// index; empty if there is none.
func (l *Layout) IndexLock() string {
	name := l.IndexFile() + ".lock"
	if _, err := os.Lstat(name); err != nil {
		return ""
	}
	return name
}

// Close gives the index back. What was taken from it stays valid.
func (x *Index) Close() {
	if x.unmap != nil {
		x.unmap()
	}
	*x = Index{}
}

// IndexAt is what the index says about one path.
type IndexAt struct {
	Entry    *IndexEntry // nil if the path has none; of an unmerged path the first stage
	Unmerged bool
	Gitlink  string // the submodule that the path is or lies in, "" if none
}

// IndexEntry looks one path up.
func (l *Layout) IndexEntry(path string) (IndexAt, error) {
	found, err := l.IndexEntries([]string{path})
	if err != nil {
		return IndexAt{}, err
	}
	return found[0], nil
}

// IndexEntries looks paths up in one pass over the index; the answers are in
// the order of the paths.
func (l *Layout) IndexEntries(paths []string) ([]IndexAt, error) {
	s := newSearch(paths)
	x, err := l.index(func(r *rawEntry) bool { s.visit(r); return true })
	if err != nil {
		return nil, err
	}
	defer x.Close()
	if x.listed != nil {
		return x.LookupAll(paths), nil
	}
	return s.found, nil
}

// Lookup finds the entries of a path, and a submodule at or above it.
func (x *Index) Lookup(path string) IndexAt { return x.LookupAll([]string{path})[0] }

// LookupAll is Lookup for many paths in one pass; the answers are in the
// order of the paths.
func (x *Index) LookupAll(paths []string) []IndexAt {
	s := newSearch(paths)
	x.each(s.visit)
	return s.found
}

// A search runs over the entries and the wanted names at once: both are sorted
// by bytes.
type search struct {
	found  []IndexAt
	wanted []name
}

func newSearch(paths []string) *search {
	s := &search{found: make([]IndexAt, len(paths))}
	for i, p := range paths {
		s.wanted = append(s.wanted, name{p, i, true})
		for j := range len(p) {
			if p[j] == '/' {
				s.wanted = append(s.wanted, name{p[:j], i, false})
			}
		}
	}
	slices.SortFunc(s.wanted, func(a, b name) int { return strings.Compare(a.path, b.path) })
	return s
}

// visit takes one entry and reports whether more are wanted.
func (s *search) visit(r *rawEntry) bool {
	for len(s.wanted) > 0 && s.wanted[0].path < string(r.path) {
		s.wanted = s.wanted[1:]
	}
	for k := 0; k < len(s.wanted) && s.wanted[k].path == string(r.path); k++ {
		s.found[s.wanted[k].of].take(r.entry(), s.wanted[k].exact)
	}
	return len(s.wanted) > 0
}

// A name is wanted for one of several paths: the path itself or a directory
// above it.
type name struct {
	path  string
	of    int
	exact bool
}

func (at *IndexAt) take(e IndexEntry, exact bool) {
	if e.Gitlink() {
		at.Gitlink = e.Path
	}
	if !exact {
		return
	}
	if at.Entry == nil {
		at.Entry = &e
	}
	at.Unmerged = e.Stage > 0
}

// All iterates over the entries in the order of the index: by path, then by
// stage.
func (x *Index) All() func(yield func(IndexEntry) bool) {
	return func(yield func(IndexEntry) bool) {
		x.each(func(r *rawEntry) bool { return yield(r.entry()) })
	}
}

// Gitlinks returns the paths of the submodules, in one pass over the index.
func (l *Layout) Gitlinks() (paths []string, err error) {
	visit := func(r *rawEntry) bool {
		if r.gitlink() { // no entry is made of the others: there may be a hundred thousand
			paths = append(paths, string(r.path))
		}
		return true
	}
	x, err := l.index(visit)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	if x.listed != nil {
		paths = nil
		x.each(visit)
	}
	return paths, nil
}

// Len returns the number of entries.
func (x *Index) Len() int {
	if x.data == nil {
		return len(x.listed)
	}
	return int(x.count)
}

func (x *Index) each(f func(*rawEntry) bool) {
	if x.data == nil {
		for i := range x.listed {
			if !f(&rawEntry{path: []byte(x.listed[i].Path), whole: &x.listed[i]}) {
				return
			}
		}
		return
	}
	_, _ = x.walk(f) // its form was checked
}

// The parts of an entry, as gitformat-index(5) describes it.
const (
	indexHead = 12
	entryID   = 40 // stat data; the object and two bytes of flags follow

	flagAssumeUnchanged = 1 << 15
	flagExtended        = 1 << 14
	flagSkipWorktree    = 1 << 14 // of the extended flags
	flagIntentToAdd     = 1 << 13
)

type rawEntry struct {
	at       int    // where in the data it begins
	path     []byte // valid until the next entry
	format   object.Format
	fixed    []byte // all but the path and the extended flags
	extended uint16
	whole    *IndexEntry // instead, from the git program
}

func (r *rawEntry) flags() uint16 { return binary.BigEndian.Uint16(r.fixed[len(r.fixed)-2:]) }

func (r *rawEntry) gitlink() bool {
	if r.whole != nil {
		return r.whole.Gitlink()
	}
	e := IndexEntry{Mode: binary.BigEndian.Uint32(r.fixed[24:])}
	return e.Gitlink()
}

func (r *rawEntry) entry() IndexEntry {
	if r.whole != nil {
		return *r.whole
	}
	b := r.fixed
	u := func(i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	flags := r.flags()
	e := IndexEntry{
		Path: string(r.path), Mode: u(6), Stage: int(flags >> 12 & 3),
		AssumeUnchanged: flags&flagAssumeUnchanged != 0,
		SkipWorktree:    r.extended&flagSkipWorktree != 0,
		IntentToAdd:     r.extended&flagIntentToAdd != 0,
		Stat: IndexStat{
			CtimeSec: u(0), CtimeNsec: u(1), MtimeSec: u(2), MtimeNsec: u(3),
			Dev: u(4), Ino: u(5), UID: u(7), GID: u(8), Size: u(9),
		},
	}
	e.ID, _ = r.format.FromBytes(b[entryID:])
	return e
}

// parseIndex checks the form of an index of version 2 to 4. The checksum is left alone: it costs five times the scan, and may be off.
// f, unless it is nil, is called for each entry.
func parseIndex(data []byte, format object.Format, f func(*rawEntry) bool) (*Index, error) {
	if len(data) < indexHead+format.Size() || string(data[:4]) != "DIRC" {
		return nil, fmt.Errorf("%w: no header", errIndexForm)
	}
	x := &Index{data: data, format: format, version: binary.BigEndian.Uint32(data[4:]), count: binary.BigEndian.Uint32(data[8:])}
	if x.version < 2 || x.version > 4 {
		return nil, fmt.Errorf("%w: version %d", errIndexForm, x.version)
	}
	end, err := x.walk(f)
	if err != nil {
		return nil, err
	}
	return x, checkExtensions(data[end : len(data)-format.Size()])
}

// checkExtensions refuses those without which the entries mean something else:
// git spells their names in lower case. "link" is a split index, "sdir" a
// sparse one with whole directories as entries.
func checkExtensions(data []byte) error {
	for len(data) > 0 {
		if len(data) < 8 || uint64(len(data)-8) < uint64(binary.BigEndian.Uint32(data[4:])) {
			return fmt.Errorf("%w: an extension is cut short", errIndexForm)
		}
		if data[0] < 'A' || data[0] > 'Z' {
			return fmt.Errorf("%w: extension %q", errIndexForm, data[:4])
		}
		data = data[8+binary.BigEndian.Uint32(data[4:]):]
	}
	return nil
}

// walk calls f, unless it is nil, for each entry until it returns false,
// and returns where the entries end.
func (x *Index) walk(f func(*rawEntry) bool) (int, error) {
	data, version := x.data, x.version
	cut := fmt.Errorf("%w: an entry is cut short", errIndexForm)
	r := rawEntry{format: x.format}
	fixed, limit := entryID+x.format.Size()+2, len(data)-x.format.Size()
	at := indexHead
	var path []byte
	for range x.count {
		if limit-at < fixed {
			return 0, cut
		}
		r.at, r.fixed, r.extended = at, data[at:at+fixed], 0
		name := at + fixed
		if r.flags()&flagExtended != 0 {
			if version < 3 || limit-name < 2 {
				return 0, cut
			}
			r.extended = binary.BigEndian.Uint16(data[name:])
			name += 2
		}
		if version == 4 {
			strip, n := prefixLength(data[name:limit])
			if n == 0 || strip > len(path) {
				return 0, cut
			}
			path = path[:len(path)-strip]
			name += n
		}
		var end int
		if version == 4 {
			end = bytes.IndexByte(data[name:limit], 0)
		} else {
			end = nameLength(data[name:limit], r.flags())
		}
		if end < 0 {
			return 0, cut
		}
		if version == 4 {
			path = append(path, data[name:name+end]...)
			r.path, at = path, name+end+1
		} else {
			// One to eight NULs, to a multiple of eight.
			r.path, at = data[name:name+end], at+(name+end-at+8)&^7
		}
		if at > limit || len(r.path) == 0 {
			return 0, cut
		}
		if f != nil && !f(&r) {
			return at, nil
		}
	}
	return at, nil
}

// nameLength returns the length of the name that data begins with, -1 if it
// does not end. It is in the flags, unless it is too large for them.
func nameLength(data []byte, flags uint16) int {
	n := int(flags & 0xfff)
	if n == 0xfff || n >= len(data) || data[n] != 0 {
		n = bytes.IndexByte(data, 0)
	}
	return n
}

// prefixLength reads how many bytes of the path before are not shared, in the
// encoding of a delta's distance.
func prefixLength(b []byte) (n, length int) {
	for i, c := range b[:min(len(b), 5)] {
		if i > 0 {
			n++
		}
		n = n<<7 | int(c&0x7f)
		if c < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}
