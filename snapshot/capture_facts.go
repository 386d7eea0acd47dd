package snapshot

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// Facts are what a tree cannot hold of a captured worktree. All lists are sorted
// by bytes; paths of directories in Ignored and Modes have "/" behind them.
type Facts struct {
	// Usual is the most frequent permission of each class; Modes are those of the
	// stored files and of the directories that have another.
	Usual map[Class]fs.FileMode
	Modes []PathMode

	EmptyDirs  []string // directories that hold nothing at all
	Ignored    []string // hidden by a rule and not stored; directories are not looked into
	Skipped    []Skipped
	Incomplete []string // directories of which not everything was seen
	Unstable   []string // stored files that a program was writing to
	Nested     []string // directories with an entry .git
	// LinkedRules are directories whose .gitignore is a symbolic link, which git
	// does not follow either.
	LinkedRules []string
}

// A Class is what a tree's mode tells apart, and directories.
type Class uint8

// The classes.
const (
	Plain Class = iota // a file that its owner may not execute
	Executable
	Directory
)

// A PathMode is a path with its permissions, as fs.FileMode has them.
type PathMode struct {
	Path string
	Mode fs.FileMode
}

// Skipped is a path that was found and is not stored. What is known of it shows
// later whether it changed.
type Skipped struct {
	Path  string
	Why   string // special, unreadable, size, budget, name, deadline or vanished
	Size  int64
	Mtime int64 // nanoseconds
}

// classOf tells the class of an entry that has permissions of its own.
func classOf(e *statcache.Entry) (Class, bool) {
	switch {
	case e.Mode.IsDir():
		return Directory, e.Link > 0 && e.Why == statcache.Stored // not the top: it has no name in the tree
	case !e.Mode.IsRegular() || e.Why != statcache.Stored:
		return 0, false
	case e.Mode&0o100 != 0:
		return Executable, true
	}
	return Plain, true
}

// Facts gathers what the tree does not hold. It builds paths only for what it
// lists. Usual are the permissions that are not listed; nil: the most frequent
// ones. The permissions of the paths in also are listed whatever they are.
func (c *Capture) Facts(usual map[Class]fs.FileMode, also []string) *Facts {
	if usual == nil {
		usual = c.usual()
	}
	f := &Facts{Usual: usual}
	path := func(i int) string { return string(c.res.AppendPath(nil, i)) }
	for i := 1; i < len(c.res.Entries); i++ {
		e := &c.res.Entries[i]
		slash := ""
		if e.Mode.IsDir() {
			slash = "/"
		}
		switch {
		case e.Why == statcache.Stored:
			if class, ok := classOf(e); ok && e.Mode&permissions != f.Usual[class] {
				f.Modes = append(f.Modes, PathMode{path(i) + slash, e.Mode & permissions})
			}
		case e.Why == statcache.IsIgnored, e.Why == statcache.Excluded:
			f.Ignored = append(f.Ignored, path(i)+slash)
		case e.Mode.IsDir() && e.Link >= 0: // listed in part, or not at all: see below
			if e.Why != statcache.Deadline {
				f.Skipped = append(f.Skipped, Skipped{Path: path(i), Why: e.Why.String()})
			}
		default:
			f.Skipped = append(f.Skipped, Skipped{Path: path(i), Why: e.Why.String(), Size: e.Size, Mtime: e.Mtime})
		}
	}
	for _, p := range also {
		if i, ok := c.find(strings.TrimSuffix(p, "/")); ok {
			e := &c.res.Entries[i]
			if class, ok := classOf(e); ok && e.Mode.IsDir() == strings.HasSuffix(p, "/") && e.Mode&permissions == usual[class] {
				f.Modes = append(f.Modes, PathMode{p, e.Mode & permissions})
			}
		}
	}
	for k := range c.res.Dirs {
		d := &c.res.Dirs[k]
		if d.Flags&^statcache.Clean == 0 {
			continue
		}
		at := int(d.Entry)
		if d.Flags&statcache.Empty != 0 && d.Flags&(statcache.Incomplete|statcache.Partial) == 0 && at != 0 && c.res.Entries[at].Why == statcache.Stored {
			f.EmptyDirs = append(f.EmptyDirs, path(at))
		}
		if d.Flags&statcache.Incomplete != 0 {
			f.Incomplete = append(f.Incomplete, path(at))
		}
		if d.Flags&statcache.Partial != 0 {
			f.Ignored = append(f.Ignored, path(at)+"/")
		}
		if d.Flags&statcache.Nested != 0 && at != 0 {
			f.Nested = append(f.Nested, path(at))
		}
		if d.Flags&statcache.LinkedRule != 0 {
			f.LinkedRules = append(f.LinkedRules, path(at))
		}
	}
	for _, i := range c.fresh {
		f.Unstable = append(f.Unstable, path(int(i)))
	}
	for _, list := range []*[]string{&f.EmptyDirs, &f.Ignored, &f.Incomplete, &f.Unstable, &f.Nested, &f.LinkedRules} {
		slices.Sort(*list)
	}
	slices.SortFunc(f.Modes, func(a, b PathMode) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(f.Skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
	return f
}

// usual finds the most frequent permission of each class; of equal ones the
// smallest.
func (c *Capture) usual() map[Class]fs.FileMode {
	usual := map[Class]fs.FileMode{Plain: 0o644, Executable: 0o755, Directory: 0o755}
	var count [3]map[fs.FileMode]int
	for i := range count {
		count[i] = map[fs.FileMode]int{}
	}
	var last [3]fs.FileMode // runs of equal ones are counted without the map
	var run [3]int
	for i := range c.res.Entries {
		e := &c.res.Entries[i]
		class, ok := classOf(e)
		if !ok {
			continue
		}
		if mode := e.Mode & permissions; mode == last[class] {
			run[class]++
		} else {
			count[class][last[class]] += run[class]
			last[class], run[class] = mode, 1
		}
	}
	for class := range count {
		count[class][last[class]] += run[class]
		most := 0
		for mode, n := range count[class] {
			if c := cmp.Compare(n, most); n > 0 && (c > 0 || c == 0 && mode < usual[Class(class)]) {
				usual[Class(class)], most = mode, n
			}
		}
	}
	return usual
}

// Found reports what the capture saw at a path: whether anything, and its
// times. It answers from memory and looks at no disk.
func (c *Capture) Found(p string) (f FileStat, ok bool) {
	i, ok := c.find(p)
	if !ok {
		return FileStat{}, false
	}
	e := &c.res.Entries[i]
	return FileStat{Mode: e.Mode, Mtime: e.Mtime, Ctime: e.Ctime, Ino: e.Ino, Size: e.Size}, true
}

// find looks a path up, component by component.
func (c *Capture) find(p string) (int, bool) {
	k := int32(0)
	for {
		name, rest, more := cutPath(p)
		i, ok := c.res.Lookup(int(k), name)
		if !ok || !more {
			return i, ok
		}
		e := &c.res.Entries[i]
		if !e.Mode.IsDir() || e.Link < 0 {
			return 0, false
		}
		k, p = e.Link, rest
	}
}
