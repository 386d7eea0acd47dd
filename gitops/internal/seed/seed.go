package seed

import (
	"bytes"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// Stat is what lstat tells of a file: times in nanoseconds, zero where the
// system has none. Of the mode the type alone counts.
type Stat struct {
	Mode         fs.FileMode
	Mtime, Ctime int64
	Ino          uint64
	Size         int64
}

// Seeds knows the entries of an index that may stand for the content of their
// files. It is safe for concurrent use.
type Seeds struct {
	table *repo.IndexTable
	has   func(object.ID) (size int64, ok bool)
	lfs   bool   // files may be stored as pointers
	mtime int64  // of the index's file
	dev   uint32 // of the file system that it is on

	mu      sync.Mutex
	attrs   *attributes
	at      int    // where the last search ended
	lastDir []byte // of the last path, with its slash
	last    *dir
}

// coarse is the largest step of a file system's times.
const coarse = int64(2 * time.Second)

// Open prepares the entries of an index, which must stay open while the seeds
// are used. has tells whether an object is there, and its length; nil: the caller
// asks, since an id counts only if its object is as long as the file. An index
// that was not read flat, settings that ask for conversions or are not all
// known: each means that there are no seeds, and nil is returned, which is
// usable.
func Open(l *repo.Layout, x *repo.Index, s *repo.Settings, has func(object.ID) (size int64, ok bool)) *Seeds {
	if s.Partial || s.AutoCRLF || s.AttributesTree || slices.ContainsFunc(s.Filters, notLFS) {
		return nil
	}
	dev, ok := device(l.GitDir)
	table := x.Table()
	if !ok || table.Len() == 0 || x.Mtime() == 0 {
		return nil
	}
	indexed := map[string]struct{}{}
	for i := range table.Len() {
		// With folded case the file that git reads may be spelt in another way.
		if path := table.Path(i); len(path) >= len(attributesName) &&
			bytes.EqualFold(path[len(path)-len(attributesName):], []byte(attributesName)) {
			dir := path[:len(path)-len(attributesName)]
			if len(dir) == 0 || dir[len(dir)-1] == '/' {
				indexed[string(dir)] = struct{}{}
			}
		}
	}
	return &Seeds{table: table, has: has, lfs: len(s.Filters) > 0, mtime: x.Mtime(), dev: dev, attrs: newAttributes(l, s, indexed)}
}

const attributesName = ".gitattributes"

// notLFS: what lfs makes of a file is as long as the file in one case alone,
// which is lfsPointer.
func notLFS(filter string) bool { return filter != "lfs" }

// lfsPointer is the length of a pointer to a file of that length. The pointer
// says nothing but version, hash and size: the number's digits alone vary.
const lfsPointer = 128

// ID returns the blob that holds the bytes of the file with that path and stat,
// or the target of the link, if that is certain without reading it. Paths may
// come in any order; that of the index is the fastest.
func (s *Seeds) ID(path []byte, st Stat) (id object.ID, ok bool) {
	if s == nil || len(path) == 0 {
		return id, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.find(path)
	if !ok {
		return id, false
	}
	e := s.table.Entry(i)
	if e.Stage != 0 || e.IntentToAdd || !sameType(e.Mode, st.Mode) || !s.same(&e, st) || s.converts(path) {
		return id, false
	}
	if s.lfs && st.Size == lfsPointer {
		return id, false
	}
	if s.has != nil {
		if size, ok := s.has(e.ID); !ok || size != st.Size {
			return id, false // an attribute that converted it may be gone
		}
	}
	return e.ID, true
}

func sameType(mode uint32, file fs.FileMode) bool {
	switch mode & 0o170000 {
	case 0o100000:
		return file.IsRegular()
	case 0o120000:
		return file.Type() == fs.ModeSymlink
	}
	return false
}

// same reports whether the stat is the one that the index keeps, and old
// enough for a later write to show in it.
func (s *Seeds) same(e *repo.IndexEntry, st Stat) bool {
	limit := s.mtime
	if e.Stat.Dev != s.dev {
		limit -= coarse // another file system has another clock
	}
	return Unmodified(e, st, limit)
}

// Unmodified reports whether the stat is the one that an index's entry keeps,
// and older than limit, the mtime of the index in nanoseconds: git then takes
// the file for unchanged.
func Unmodified(e *repo.IndexEntry, st Stat, limit int64) bool {
	return st.Ctime != 0 && st.Ino != 0 && st.Mtime < limit && st.Ctime < limit &&
		e.Stat.Size == uint32(st.Size) && e.Stat.Ino == uint32(st.Ino) &&
		equalTime(st.Mtime, e.Stat.MtimeSec, e.Stat.MtimeNsec) && equalTime(st.Ctime, e.Stat.CtimeSec, e.Stat.CtimeNsec)
}

func equalTime(ns int64, sec, nsec uint32) bool {
	return ns >= 0 && uint32(ns/int64(time.Second)) == sec && uint32(ns%int64(time.Second)) == nsec
}

// MayConvert returns what tells whether git may make other bytes of a file when
// it goes into the index or comes out. Yes may be wrong, no never is.
func MayConvert(l *repo.Layout, x *repo.Index, s *repo.Settings) func(path string) bool {
	seeds := Open(l, x, s, nil)
	return func(path string) bool {
		if seeds == nil {
			return true
		}
		seeds.mu.Lock()
		defer seeds.mu.Unlock()
		return seeds.converts([]byte(path))
	}
}

// converts reports whether git may convert the file.
func (s *Seeds) converts(path []byte) bool {
	name := bytes.LastIndexByte(path, '/') + 1
	if s.last == nil || !bytes.Equal(path[:name], s.lastDir) {
		s.last = s.attrs.dir(path[:name])
		s.lastDir = append(s.lastDir[:0], path[:name]...)
	}
	return s.attrs.convert(path, name, s.last)
}

// find looks near the last hit first: a scan goes through the directories
// nearly as the index does.
func (s *Seeds) find(path []byte) (int, bool) {
	lo, hi := 0, s.table.Len() // the first that is not before the path is in [lo, hi]
	switch c := s.compare(s.at, path); {
	case c == 0:
		return s.at, true
	case c < 0:
		lo = s.at + 1
		for step := 1; lo+step <= hi; step *= 2 {
			if s.compare(lo+step-1, path) >= 0 {
				hi = lo + step - 1
				break
			}
			lo += step
		}
	default:
		hi = s.at
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s.compare(mid, path) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == s.table.Len() {
		return 0, false
	}
	s.at = lo
	return lo, s.compare(lo, path) == 0
}

func (s *Seeds) compare(i int, path []byte) int { return bytes.Compare(s.table.Path(i), path) }
