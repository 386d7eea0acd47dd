package edit

import (
	"io/fs"
	"maps"
	"slices"
)

// A File is what stands at a path. Its mode says the kind; absence is a nil
// *File.
type File struct {
	Mode fs.FileMode
	// Data is a regular file's content or a link's target. Nil for a regular
	// file means not loaded: the bytes are those of ID, or, while ID is empty
	// too, whatever stands at the path with exactly this Stat.
	Data []byte
	ID   string // git object id of the raw bytes, hexadecimal; empty: not stored yet
	Stat Stat   // zero for a file that does not exist yet
}

// Stat is the identity of a file at the moment it was looked at. Times are
// nanoseconds since 1970.
type Stat struct {
	Size         int64
	Mtime, Ctime int64
	Dev, Ino     uint64
	Nlink        uint64
}

// Regular reports whether f is there and is a regular file.
func (f *File) Regular() bool { return f != nil && f.Mode.IsRegular() }

// IsDir reports whether f is there and is a directory.
func (f *File) IsDir() bool { return f != nil && f.Mode.IsDir() }

// IsLink reports whether f is there and is a symbolic link.
func (f *File) IsLink() bool { return f != nil && f.Mode&fs.ModeSymlink != 0 }

// special reports whether f is there and is what must not be opened: a FIFO,
// socket or device.
func (f *File) special() bool { return f != nil && !f.Regular() && !f.IsDir() && !f.IsLink() }

// KindName says what f is, for messages.
func (f *File) KindName() string {
	switch {
	case f == nil:
		return "nothing"
	case f.Mode.IsRegular():
		return "a file"
	case f.Mode.IsDir():
		return "a directory"
	case f.Mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case f.Mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case f.Mode&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}

// A Tree is what [NewPlan] plans against: a worktree, or a [MapTree].
type Tree interface {
	// Lookup tells what stands at a clean, slash-separated path below the
	// root, without following a link in any component and without loading a
	// regular file's content. Nothing there is (nil, nil); so is a path below
	// a file or link.
	Lookup(path string) (*File, error)
	// Load fills the Data of a regular file that Lookup returned. The bytes
	// belong to f.Stat: a file that changed since is an error with code Stale.
	Load(path string, f *File) error
	// Entries returns what git's index says of each path, nil where it has no
	// entry. A gitlink answers for every path below it. All paths are asked
	// for in one call: reading an index costs the same for one as for many.
	Entries(paths []string) ([]*Entry, error)
	// Meanwhile tells what somebody else did to a path since the turn of the agent
	// whose request is planned began: nil if that agent can have seen what stands
	// there now, which is now, or if no turn is open. It is asked about paths that
	// operations touch, once each.
	Meanwhile(path string, now *File) (*Meanwhile, error)
	// Names lists paths that may have been meant where one is missing: what
	// stands in the directory dir, and the tracked files; about limit at most.
	Names(dir string, limit int) []string
}

// An Entry is what matters of an index entry.
type Entry struct {
	Path         string // the path itself, or the gitlink above it
	Unmerged     bool
	Differs      bool // the file on disk is another one; looked at where [Options].Index asks for it
	SkipWorktree bool
	Gitlink      bool
}

// A MapTree is a tree in memory: cases, examples and embedded workspaces plan
// without a disk. Directories are implied by the paths.
type MapTree map[string]*File

// Lookup implements [Tree].
func (t MapTree) Lookup(path string) (*File, error) {
	if f, ok := t[path]; ok {
		g := *f
		if g.Mode.IsRegular() {
			g.Stat.Size = int64(len(g.Data))
			g.Data = nil
		}
		return &g, nil
	}
	for p := range t {
		if len(p) > len(path) && p[:len(path)] == path && p[len(path)] == '/' {
			return &File{Mode: fs.ModeDir | 0o755}, nil
		}
	}
	return nil, nil
}

// Load implements [Tree].
func (t MapTree) Load(path string, f *File) error {
	f.Data = slices.Clone(t[path].Data)
	if f.Data == nil {
		f.Data = []byte{}
	}
	return nil
}

// Entries implements [Tree]: a MapTree has no index.
func (t MapTree) Entries(paths []string) ([]*Entry, error) { return make([]*Entry, len(paths)), nil }

// Meanwhile implements [Tree]: a MapTree has no turns.
func (t MapTree) Meanwhile(string, *File) (*Meanwhile, error) { return nil, nil }

// Names implements [Tree].
func (t MapTree) Names(_ string, limit int) []string {
	names := slices.Sorted(maps.Keys(t))
	return names[:min(len(names), limit)]
}

// Apply returns the tree as it is after the plan.
func (t MapTree) Apply(p *Plan) MapTree {
	out := maps.Clone(t)
	for _, c := range p.Changes {
		if c.After == nil {
			delete(out, c.Path)
		}
	}
	for _, c := range p.Changes {
		if c.After == nil {
			continue
		}
		f := *c.After
		if f.Data == nil && f.Mode.IsRegular() { // moved without being looked at
			f.Data = t[c.From].Data
		}
		out[c.Path] = &f
	}
	return out
}
