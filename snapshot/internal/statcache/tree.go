package statcache

import (
	"bytes"
	"io/fs"
	"slices"
	"sort"
)

// A Tree is what a scan found, flat: no entry is a heap object of its own.
//
// Entry 0 is the top, with an empty name. The other entries stand in groups,
// one for each directory that was looked into, in the order of Dirs. Dirs is in
// preorder. A group is sorted as git sorts a tree, the name of a directory
// compared as if it ended in "/"; so [Tree.Walk] meets files in the order of
// the index.
type Tree struct {
	Entries []Entry
	Dirs    []Dir
	Names   []byte // each name with a NUL behind it, as system calls want it
}

// An Entry is one name in a directory, as lstat showed it.
type Entry struct {
	Mtime, Ctime int64 // nanoseconds; ctime is 0 where the system has none
	Ino          uint64
	Size         int64 // of a regular file or link
	Mode         fs.FileMode
	Name         uint32 // offset in Names
	NameLen      uint16
	Flags        Flags
	Why          Why
	// Link is, for a directory that was looked into, its index in Dirs; for
	// anything else in the result of a scan the index of the entry that the cache
	// has for this path. None: -1.
	Link int32
}

// Flags of an entry.
type Flags uint8

const (
	// Ignored: an ignore rule hides it and the index does not name it. A file
	// with this flag and no Why is stored all the same.
	Ignored Flags = 1 << iota
	// ByRule: an ignore rule hides it, whatever the index says.
	ByRule
	// Foreign: it is on another device than the top. Nothing about it is trusted,
	// since the stamp is no clock of that file system.
	Foreign
	// Trusted: the cache's id of a file is its content now; what a directory
	// holds was taken from the cache. Not kept in the file.
	Trusted
	// Loose: the ref of the header does not keep the object of its id.
	Loose
)

// Why an entry is not stored.
type Why uint8

const (
	Stored     Why = iota // it is
	IsIgnored             // an ignored directory, or an ignored file that is too large
	Special               // FIFO, socket or device
	Unreadable            // no permission, or an error of the disk
	TooLarge              // over snapshot.max_file
	OverBudget            // over snapshot.max_new
	BadName               // git forbids it in trees
	Deadline              // not reached in time
	Vanished              // gone, or replaced, between being found and being read
	Excluded              // as IsIgnored, but no ignore rule says so: the options do
	numWhy
)

// String is the word that meta.json has for it.
func (w Why) String() string {
	return [...]string{"", "ignored", "special", "unreadable", "size", "budget", "name", "deadline", "vanished", "ignored", "?"}[min(w, numWhy)]
}

// A Dir is a directory that was looked into.
type Dir struct {
	Entry        int32 // its own
	First, Count int32 // its group of entries
	Parent       int32 // in Dirs; -1 for the top
	Flags        DirFlags
	// Old is, in the result of a scan, the index of its own entry in the cache,
	// -1 if it has none. Not kept in the file.
	Old int32
}

// DirFlags of a directory.
type DirFlags uint32

const (
	Empty      DirFlags = 1 << iota // it holds nothing at all
	Nested                          // it has an entry .git, which is not listed
	Partial                         // ignored: only what the index names in it was looked at
	Incomplete                      // not everything in it is known
	LinkedRule                      // its .gitignore is a symbolic link and was not followed
	// Clean: everything below is as the cache has it, so that the cached tree id
	// stands. Not kept in the file.
	Clean
)

// NameOf returns the name of entry i. It must not be changed.
func (t *Tree) NameOf(i int) []byte {
	e := &t.Entries[i]
	return t.Names[e.Name : e.Name+uint32(e.NameLen)]
}

// DirOf returns the index in Dirs of the directory that holds entry i, -1 for
// the top.
func (t *Tree) DirOf(i int) int {
	if i == 0 {
		return -1
	}
	// Of those with the same First only the last has entries.
	return sort.Search(len(t.Dirs), func(k int) bool { return int(t.Dirs[k].First) > i }) - 1
}

// AppendPath appends the slash-separated path of entry i; the top's is empty.
func (t *Tree) AppendPath(path []byte, i int) []byte {
	from := len(path)
	for ; i > 0; i = int(t.Dirs[t.DirOf(i)].Entry) {
		// Backwards, then all is turned round: no list of ancestors is needed.
		if len(path) > from {
			path = append(path, '/')
		}
		at := len(path)
		path = append(path, t.NameOf(i)...)
		slices.Reverse(path[at:])
	}
	slices.Reverse(path[from:])
	return path
}

// Walk calls f for every entry but the top, in the order of git's index; a
// directory comes before what it holds. The path is valid during the call only.
func (t *Tree) Walk(f func(path []byte, i int) bool) {
	type level struct{ next, end, length int }
	if len(t.Dirs) == 0 {
		return
	}
	var path []byte
	open := func(k int32) level {
		d := &t.Dirs[k]
		return level{int(d.First), int(d.First + d.Count), len(path)}
	}
	for stack := []level{open(0)}; len(stack) > 0; {
		l := &stack[len(stack)-1]
		path = path[:l.length]
		if l.next == l.end {
			stack = stack[:len(stack)-1]
			continue
		}
		i := l.next
		l.next++
		path = append(path, t.NameOf(i)...)
		if !f(path, i) {
			return
		}
		if e := &t.Entries[i]; e.Mode.IsDir() && e.Link >= 0 {
			path = append(path, '/')
			stack = append(stack, open(e.Link))
		}
	}
}

// Compare orders two names of one directory as git orders a tree.
func Compare(a []byte, aDir bool, b []byte, bDir bool) int {
	n := min(len(a), len(b))
	if c := bytes.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	return next(a, n, aDir) - next(b, n, bDir)
}

// next is the byte at n of a name, which goes on with "/" if it is a directory's.
func next(name []byte, n int, dir bool) int {
	switch {
	case n < len(name):
		return int(name[n])
	case dir && n == len(name):
		return '/'
	}
	return 0
}

// Lookup finds a name in directory k: that of a file or, if there is none, of a
// directory.
func (t *Tree) Lookup(k int, name string) (i int, ok bool) {
	d := &t.Dirs[k]
	for _, dir := range []bool{false, true} {
		n := sort.Search(int(d.Count), func(n int) bool {
			i := int(d.First) + n
			return Compare(t.NameOf(i), t.Entries[i].Mode.IsDir(), []byte(name), dir) >= 0
		})
		if i := int(d.First) + n; n < int(d.Count) && t.Entries[i].Mode.IsDir() == dir && string(t.NameOf(i)) == name {
			return i, true
		}
	}
	return 0, false
}
