package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/chordgit/chordgit/snapshot/internal/ignore"
	"github.com/chordgit/chordgit/snapshot/internal/scan"
	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// A Vault is where a capture puts the bytes that it reads. Ids are the raw
// bytes of object names, all of one length. Its methods are called from several
// goroutines.
type Vault interface {
	// IDLen is the length of an id in bytes.
	IDLen() int
	// Blob stores exactly size bytes of r and returns their id. If r has more or
	// fewer the error is that of a file that changed while it was read.
	Blob(r io.Reader, size int64) ([]byte, error)
	// Tree stores a directory. The entries are in git's order.
	Tree(entries []TreeEntry) ([]byte, error)
	// Has reports whether the object of an id is there and will stay until a ref
	// names it.
	Has(id []byte) bool
}

// A TreeEntry is one name in a directory that is stored.
type TreeEntry struct {
	Name string
	Mode uint32 // as git writes it: 0100644, 0100755, 0120000 or 040000
	ID   []byte
}

// CaptureOptions say what a capture visits and where it puts it.
type CaptureOptions struct {
	// Dir is the directory of the stat cache, made by the caller.
	Dir   string
	Vault Vault

	// Excludes is the text of the ignore file that holds in all repositories,
	// Info that of this repository's info/exclude. FoldCase is core.ignoreCase: it
	// holds for ignore rules, and for what is tracked, see [Track].
	Excludes, Info []byte
	FoldCase       bool
	// Tracked tells what is stored whatever ignores it: the paths of the index, and
	// those that are known from an earlier capture. Nil: nothing is.
	Tracked Tracked
	// Hidden are paths that are not stored although no rule hides them now, with
	// "/" behind those of directories: an earlier capture found them ignored. What
	// Tracked names in such a directory is stored.
	Hidden []string
	// Sparse holds the .gitignore files that are skip-worktree in the index.
	Sparse map[string][]byte
	// Nested is asked about each directory below the top that has an entry .git;
	// false: that makes it no repository, and the outer rules hold in it as they do
	// for git. Nil: they hold in all. Called from several goroutines.
	Nested func(path string) (NestedRepository, bool)
	// Seed knows ids of files that were not changed since the index saw them. It is
	// asked in the order of the index, and only where many files would have to be
	// read; then done is called. Nil, or nil for ask: nothing is known.
	Seed func() (ask func(path []byte, f FileStat) (id []byte, ok bool), done func())
	// Length tells how long the object of an id is, false if it is not there. An id
	// of Seed counts only if its object is as long as the file. Called from several
	// goroutines.
	Length func(id []byte) (int64, bool)
	// Kept reports whether a ref still names the object that it named when the
	// cache was written: then what it keeps is present.
	Kept func(ref string, id []byte) bool

	MaxFile int64 // larger files are not stored; 0: no limit
	MaxNew  int64 // so much is read at most, the largest are left out; 0: no limit
	// MaxIgnored is the size up to which single ignored files are stored; negative:
	// none is.
	MaxIgnored int64
	// Include and Exclude are globs of paths that are stored although an ignore
	// rule hides them, and of paths that are not stored whoever tracks them.
	Include, Exclude []string

	// Reread reads every file, whatever the cache says.
	Reread bool
	// Progress is told from time to time how many of the files that must be read
	// were read. Nil: nobody listens.
	Progress func(done, total int)
}

// A NestedRepository is what decides in a repository below the top.
type NestedRepository struct {
	Info    []byte  // of its info/exclude
	Tracked Tracked // what its index names, relative to it; nil: nothing
}

// Tracked are paths that are stored whatever ignores them. Its methods are
// called from several goroutines.
type Tracked interface {
	// Has reports whether it names a path.
	Has(path string) bool
	// Below appends the paths that it names below a directory, relative to it, and
	// "" if it names the directory itself, a submodule.
	Below(to []string, dir string) []string
}

// Track makes tracked paths of those of an index, that of a submodule with "/"
// behind it. With foldCase they stand for what differs in the case of ASCII letters
// alone, as for git. No path is twice in the list, which is taken over.
func Track(paths []string, foldCase bool) Tracked {
	if foldCase {
		for i := range paths {
			paths[i] = scan.Fold(paths[i])
		}
	}
	if !slices.IsSorted(paths) { // a submodule's slash may move it
		slices.Sort(paths)
	}
	if foldCase {
		return scan.Folded(slices.Compact(paths))
	}
	return scan.Sorted(paths)
}

// FileStat is what lstat showed of a file or link: times in nanoseconds.
type FileStat struct {
	Mode         fs.FileMode
	Mtime, Ctime int64
	Ino          uint64
	Size         int64
}

// The limits of a capture unless somebody sets others, in bytes.
const (
	DefaultMaxFile    = scan.DefaultMaxFile
	DefaultMaxIgnored = scan.DefaultMaxIgnored
	DefaultMaxNew     = 1 << 30
)

// CacheName is the file of the stat cache in CaptureOptions.Dir.
const CacheName = "cache"

// seedFrom is how many files must be unknown before the index is asked about
// them: to read it costs what reading so many does.
const seedFrom = 64

// A Capture is what a scan of the whole worktree found, all of it stored. It is
// not a point in time: files that changed while it ran are as they were when
// they were read.
type Capture struct {
	// Tree is the id of all that is stored; nil if nothing is.
	Tree []byte
	// Began is the file system's time before the first look at a file, Ended that
	// after the last, in nanoseconds.
	Began, Ended int64
	Files        int   // files and links that are stored
	Read         int   // of these the ones that had to be read
	Bytes        int64 // that were read
	Stopped      bool  // the context ended before everything was seen

	res    *scan.Result
	cache  *statcache.Cache // nil: there was none
	header statcache.Header
	name   string // of the cache file
	idLen  int
	ids    []byte  // of entries that are not trusted, and of trees
	fresh  []int32 // entries that may not be trusted by the next capture
	same   bool    // the cache is as good as before
	unsure int     // entries of which the cache did not know the content
	unkept int     // ids of the cache that its ref does not keep
	keeps  func(ref string, id []byte) bool
}

// Capture looks at everything in the worktree and stores what is not stored
// yet. What could not be covered is listed in the result, never left out
// silently. A context that ends makes the result incomplete, not an error.
//
// The capture must be closed. The next one is faster if this one was saved.
func (w *Worktree) Capture(ctx context.Context, opt CaptureOptions) (*Capture, error) {
	c := &Capture{name: filepath.Join(opt.Dir, CacheName), idLen: opt.Vault.IDLen()}
	if err := c.scan(ctx, w.top.root.Name(), &opt); err != nil {
		c.Close()
		return nil, err
	}
	if err := c.store(ctx, w, &opt); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close gives back what the capture holds open.
func (c *Capture) Close() {
	if c.cache != nil {
		c.cache.Close()
		c.cache = nil
	}
}

// scan finds out what is there.
func (c *Capture) scan(ctx context.Context, top string, opt *CaptureOptions) error {
	local := statcache.Local(top)
	mark, err := statcache.Stamp(opt.Dir, !local)
	if err != nil {
		return err
	}
	fi, err := os.Stat(top)
	if err != nil {
		return err
	}
	st := statOf(fi)
	now := statcache.Scene{Stamp: mark.Time, Boot: statcache.BootID(), Local: local, OwnCtime: mark.OwnCtime, SameFS: mark.Dev == st.Dev}
	o := &scan.Options{
		RulesKey: opt.key(), Local: local, Sparse: opt.Sparse, Tracked: opt.Tracked, Hidden: hiding(opt.Hidden),
		MaxFile: opt.MaxFile, MaxIgnored: opt.MaxIgnored, FoldCase: opt.FoldCase,
		Include: including(opt.Include), Exclude: excluding(opt.Exclude),
	}
	o.Rules, o.Nested = opt.rules()
	if old, err := statcache.Open(c.name, c.idLen, st.Dev, st.Ino); err == nil && !opt.Reread {
		c.cache, o.Cache = old, old
		o.Rule = statcache.NewRule(&old.Header, now)
		c.keeps = opt.Kept
	}
	c.header = statcache.Header{
		IDLen: c.idLen, Stamp: mark.Time, Boot: now.Boot, OtherFS: !now.SameFS,
		Dev: st.Dev, Ino: st.Ino, Rules: o.RulesKey,
	}
	c.Began = mark.Time
	c.res, err = scan.Scan(ctx, top, o)
	return err
}

// rules makes the ignore rules of the top and of nested repositories.
func (o *CaptureOptions) rules() (func(own []byte) scan.Rules, func(path string, own []byte) (scan.Rules, scan.Tracked, bool)) {
	opt := ignore.Options{FoldCase: o.FoldCase}
	global := ignore.Parse("excludes", o.Excludes, opt)
	info := ignore.Parse("info/exclude", o.Info, opt)
	top := func(own []byte) scan.Rules {
		return rules{ignore.New(parseOwn(own, opt), global, info), opt}
	}
	if o.Nested == nil {
		return top, nil
	}
	return top, func(path string, own []byte) (scan.Rules, scan.Tracked, bool) {
		n, ok := o.Nested(path)
		if !ok {
			return nil, nil, false
		}
		return rules{ignore.New(parseOwn(own, opt), global, ignore.Parse("info/exclude", n.Info, opt)), opt}, n.Tracked, true
	}
}

// rules are a level of package ignore as a scan wants it.
type rules struct {
	*ignore.Level
	opt ignore.Options
}

func (r rules) Enter(name string, own []byte) scan.Rules {
	return rules{r.Level.Enter(name, parseOwn(own, r.opt)), r.opt}
}

func parseOwn(own []byte, opt ignore.Options) *ignore.Rules {
	if own == nil {
		return nil
	}
	return ignore.Parse(".gitignore", own, opt)
}

// key stands for all that decides like an ignore rule and is no .gitignore of
// the worktree.
func (o *CaptureOptions) key() [32]byte {
	h := sha256.New()
	put := func(b []byte) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	put(o.Excludes)
	put(o.Info)
	var fold byte
	if o.FoldCase {
		fold = 1
	}
	put([]byte{fold})
	for _, name := range sortedKeys(o.Sparse) {
		put([]byte(name))
		put(o.Sparse[name])
	}
	return [32]byte(h.Sum(nil))
}
