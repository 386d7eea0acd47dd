package snapshot

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// store reads what is not known, and makes the trees.
func (c *Capture) store(ctx context.Context, w *Worktree, opt *CaptureOptions) error {
	c.verify(opt.Vault)
	unread := c.unread(opt)
	if opt.MaxNew > 0 && c.res.Budget(opt.MaxNew, func(i int) bool { return c.known(i) != nil }) > 0 {
		unread = slices.DeleteFunc(unread, func(i int32) bool { return !c.res.Candidate(int(i)) })
	}
	r := &reading{c: c, w: w, opt: opt, total: len(unread)}
	if err := r.run(ctx, unread); err != nil {
		return err
	}
	if err := c.trees(opt.Vault); err != nil {
		return err
	}
	end, err := statcache.Stamp(opt.Dir, false)
	if err != nil {
		return err
	}
	c.Ended = end.Time
	c.header.Stamp = statcache.Older(c.header.Stamp, end.Time)
	c.header.Coarse = c.res.IsCoarse()
	c.Stopped = c.res.Stopped || ctx.Err() != nil
	for i := range c.res.Entries {
		if c.res.Candidate(i) && c.known(i) != nil {
			c.Files++
		}
	}
	return nil
}

// verify takes no id of the cache on trust whose object no ref keeps.
func (c *Capture) verify(v Vault) {
	if c.cache == nil {
		return
	}
	kept := c.Keeper() != ""
	// By the first byte of their ids: a store that finds objects by name looks at
	// one place after the other then, which takes a third.
	type claim struct {
		entry int32
		id    [32]byte
	}
	claims := make([][]claim, 256)
	add := func(entry int32, id []byte) {
		if cap(claims[id[0]]) == 0 && !kept {
			claims[id[0]] = make([]claim, 0, len(c.res.Entries)/200)
		}
		x := claim{entry: entry}
		copy(x.id[:], id)
		claims[id[0]] = append(claims[id[0]], x)
	}
	for i := range c.res.Entries {
		if !c.res.Trusted(i) || !c.res.Candidate(i) {
			continue
		}
		if old := int(c.res.Entries[i].Link); !kept || c.loose(old) {
			add(int32(i), c.cache.ID(old))
		}
	}
	for k := range c.res.Dirs {
		if id := c.oldTree(k); id != nil && (!kept || c.loose(int(c.res.Dirs[k].Old))) {
			add(c.res.Dirs[k].Entry, id)
		}
	}
	var lost [2][]int32
	var wg sync.WaitGroup
	for part := range lost {
		wg.Go(func() {
			for k := part; k < len(claims); k += len(lost) {
				for i := range claims[k] {
					if x := &claims[k][i]; !v.Has(x.id[:c.idLen]) {
						lost[part] = append(lost[part], x.entry)
					}
				}
			}
		})
	}
	wg.Wait()
	for _, list := range lost {
		for _, i := range list {
			c.res.Distrust(int(i))
		}
	}
}

// loose reports whether the header's ref does not keep the id of a cached entry.
func (c *Capture) loose(old int) bool { return c.cache.FlagsOf(old)&statcache.Loose != 0 }

// oldTree is the tree that the cache has for a directory in which nothing has
// changed, nil if it has none.
func (c *Capture) oldTree(k int) []byte {
	d := &c.res.Dirs[k]
	if d.Flags&statcache.Clean == 0 || d.Old < 0 {
		return nil
	}
	return c.cache.ID(int(d.Old))
}

// known is the id of an entry's content, nil if it is not known, or not yet.
func (c *Capture) known(i int) []byte {
	if e := &c.res.Entries[i]; e.Flags&statcache.Trusted != 0 && !e.Mode.IsDir() {
		return c.cache.ID(int(e.Link))
	}
	if c.ids == nil {
		return nil
	}
	id := c.ids[i*c.idLen:][:c.idLen:c.idLen]
	if slices.Max(id) == 0 {
		return nil
	}
	return id
}

func (c *Capture) learn(i int, id []byte) {
	copy(c.ids[i*c.idLen:], id)
}

// unread lists the entries whose content nothing tells without reading.
func (c *Capture) unread(opt *CaptureOptions) (list []int32) {
	for i := range c.res.Entries {
		if c.res.Candidate(i) && !c.res.Trusted(i) {
			list = append(list, int32(i))
		}
	}
	if len(list) > 0 || c.res.Dirs[0].Flags&statcache.Clean == 0 {
		c.ids = make([]byte, len(c.res.Entries)*c.idLen)
	}
	if len(list) < seedFrom || opt.Seed == nil || opt.Reread {
		return list
	}
	seed, done := opt.Seed()
	if seed == nil {
		return list
	}
	defer done()
	// In the order of the index, which the walk has and the entries have not.
	var rest, seeded []int32
	c.res.Walk(func(p []byte, i int) bool {
		if !c.res.Candidate(i) || c.res.Trusted(i) {
			return true
		}
		e := &c.res.Entries[i]
		if id, ok := seed(p, FileStat{Mode: e.Mode, Mtime: e.Mtime, Ctime: e.Ctime, Ino: e.Ino, Size: e.Size}); ok {
			c.learn(i, id)
			seeded = append(seeded, int32(i))
		} else {
			rest = append(rest, int32(i))
		}
		return true
	})
	rest = append(rest, c.otherwise(seeded, opt)...)
	slices.Sort(rest) // by directory
	return rest
}

// otherwise returns the entries whose seeded id is that of an object of another
// length: what converted the file may be gone.
func (c *Capture) otherwise(seeded []int32, opt *CaptureOptions) (rest []int32) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	workers := min(max(runtime.NumCPU(), 2), 4)
	for part := range slices.Chunk(seeded, len(seeded)/workers+1) {
		wg.Go(func() {
			for _, i := range part {
				if size, ok := opt.Length(c.known(int(i))); !ok || size != c.res.Entries[i].Size {
					c.learn(int(i), make([]byte, c.idLen))
					mu.Lock()
					rest = append(rest, i)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return rest
}

// A reading reads files, several at a time.
type reading struct {
	c     *Capture
	w     *Worktree
	opt   *CaptureOptions
	total int
	done  atomic.Int64

	mu    sync.Mutex
	files int
	bytes int64
}

const (
	// piece is how many files are given to a goroutine at once.
	piece = 32
	// large files wait until the small ones are read: should time run out, most
	// of what a person wrote is stored.
	large = 1 << 20
	// tries is how often a file that changes while it is read is read again.
	tries = 3
)

func (r *reading) run(ctx context.Context, list []int32) error {
	if len(list) == 0 {
		return nil
	}
	small := slices.DeleteFunc(slices.Clone(list), func(i int32) bool { return r.c.res.Entries[i].Size > large })
	big := slices.DeleteFunc(list, func(i int32) bool { return r.c.res.Entries[i].Size <= large })
	jobs := make(chan []int32)
	var wg sync.WaitGroup
	var failed error
	for range min(max(runtime.NumCPU(), 2), 4) {
		wg.Go(func() {
			for job := range jobs {
				if err := r.read(ctx, job); err != nil {
					r.mu.Lock()
					failed = errors.Join(failed, err)
					r.mu.Unlock()
				}
			}
		})
	}
	for _, part := range [][]int32{small, big} {
		for job := range slices.Chunk(part, piece) {
			jobs <- job
		}
	}
	close(jobs)
	wg.Wait()
	r.c.Read, r.c.Bytes = r.files, r.bytes
	return failed
}

// read reads the files of a list, most of which share their directory. Its
// error is one of the store: what cannot be read is noted with its entry.
func (r *reading) read(ctx context.Context, list []int32) error {
	ds := r.w.dirs()
	defer func() { ds.close() }()
	last := ""
	for _, i := range list {
		e := &r.c.res.Entries[i]
		if ctx.Err() != nil {
			r.leave(i, statcache.Deadline)
			continue
		}
		p := string(r.c.res.AppendPath(nil, int(i)))
		if dir := path.Dir(p); dir != last {
			ds.close()
			ds, last = r.w.dirs(), dir
		}
		err := r.one(ds, p, int(i))
		var storing *storeError
		switch {
		case err == nil:
			r.mu.Lock()
			r.files++
			r.bytes += e.Size
			r.mu.Unlock()
		case errors.As(err, &storing):
			return storing.err
		case gone(err), errors.Is(err, errOther):
			r.leave(i, statcache.Vanished)
		default:
			r.leave(i, statcache.Unreadable)
		}
		if n := r.done.Add(1); r.opt.Progress != nil && n%piece == 0 {
			r.opt.Progress(int(n), r.total)
		}
	}
	return nil
}

func (r *reading) leave(i int32, why statcache.Why) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.c.res.Skip(int(i), why)
}

// A storeError is trouble with the store, not with the file.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }

// one stores the content of one entry. What its stat is when it is read is what
// counts, not what it was when it was found.
func (r *reading) one(ds *dirs, p string, i int) error {
	d, err := ds.get(path.Dir(p))
	if err != nil {
		return err
	}
	name := path.Base(p)
	e := &r.c.res.Entries[i]
	if e.Mode&fs.ModeSymlink != 0 {
		target, err := d.root.Readlink(name)
		if err != nil {
			return errOther // nothing, or no link any more
		}
		// Its lstat was before: a link replaced in between has another inode or
		// ctime, which the next capture sees.
		return r.put(i, func() ([]byte, error) { return r.opt.Vault.Blob(readerOf(target), int64(len(target))) })
	}
	f, fi, err := d.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	writer := beingWritten(f)
	steady := false
	for try := 0; try < tries && !steady; try++ {
		if try > 0 {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return err
			}
			if fi, err = f.Stat(); err != nil {
				return err
			}
		}
		id, err := r.opt.Vault.Blob(f, fi.Size())
		after, err2 := f.Stat()
		if err2 != nil {
			return err2
		}
		steady = err == nil && statOf(after) == statOf(fi)
		switch {
		case steady:
			err = r.put(i, func() ([]byte, error) { return id, nil })
		case err != nil && statOf(after) == statOf(fi):
			// Nothing moved: it is the disk, or the store.
			if _, e := io.Copy(io.Discard, io.NewSectionReader(f, 0, fi.Size())); e != nil {
				return e
			}
			return &storeError{&edit.Error{Code: edit.CommitFailed, Path: p, Msg: "its content cannot be stored", Err: err}}
		default:
			err = nil
		}
		if err != nil {
			return err
		}
	}
	if !steady {
		if err := r.asRead(f, i); err != nil {
			return err
		}
	}
	r.taken(i, fi)
	if !steady || writer || beingWritten(f) {
		r.mu.Lock()
		r.c.fresh = append(r.c.fresh, int32(i))
		r.mu.Unlock()
	}
	return nil
}

// asRead stores a file that does not come to rest as one reading shows it.
func (r *reading) asRead(f *os.File, i int) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	limit := int64(DefaultMaxFile)
	if r.opt.MaxFile > 0 {
		limit = r.opt.MaxFile
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return err
	}
	return r.put(i, func() ([]byte, error) { return r.opt.Vault.Blob(readerOf(string(data)), int64(len(data))) })
}

// put notes the id of an entry.
func (r *reading) put(i int, store func() ([]byte, error)) error {
	id, err := store()
	if err != nil {
		return &storeError{err}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.c.learn(i, id)
	return nil
}

// taken makes the stat of the reading that of the entry.
func (r *reading) taken(i int, fi fs.FileInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, st := &r.c.res.Entries[i], statOf(fi)
	e.Size, e.Mtime, e.Ctime, e.Ino, e.Mode = st.Size, st.Mtime, st.Ctime, st.Ino, fi.Mode()
}

// trees makes the trees of all directories, deepest first: those in which
// nothing changed are the cache's.
func (c *Capture) trees(v Vault) error {
	var list []TreeEntry
	top := &c.res.Dirs[0]
	if c.same = top.Flags&statcache.Clean != 0; c.same {
		c.Tree = c.oldTree(0)
		return nil
	}
	for k := len(c.res.Dirs) - 1; k >= 0; k-- {
		d := &c.res.Dirs[k]
		if d.Flags&statcache.Clean != 0 {
			if id := c.oldTree(k); id != nil {
				c.learn(int(d.Entry), id)
			}
			continue
		}
		list = list[:0]
		for i := int(d.First); i < int(d.First+d.Count); i++ {
			e := &c.res.Entries[i]
			mode := uint32(0o100644)
			switch {
			case e.Mode.IsDir():
				mode = 0o040000
			case e.Why != statcache.Stored:
				continue
			case e.Mode&fs.ModeSymlink != 0:
				mode = 0o120000
			case e.Mode&0o100 != 0:
				mode = 0o100755
			}
			if id := c.known(i); id != nil {
				list = append(list, TreeEntry{Name: string(c.res.NameOf(i)), Mode: mode, ID: id})
			}
		}
		if len(list) == 0 {
			continue // git keeps no empty tree
		}
		id, err := v.Tree(list)
		if err != nil {
			return err
		}
		c.learn(int(d.Entry), id)
	}
	c.Tree = c.known(0)
	return nil
}

// Keeper is the ref that keeps what the cache knew before this capture, empty if
// there is none.
func (c *Capture) Keeper() string {
	if c.cache == nil || c.keeps == nil || c.cache.Ref == "" || !c.keeps(c.cache.Ref, c.cache.Kept) {
		return ""
	}
	return c.cache.Ref
}

// Save writes the stat cache, naming the ref that keeps all objects of this
// capture and the object that it names; empty and nil: none does, and what
// [Capture.Keeper] keeps stays so. A failure costs the next capture time only.
// What killed captures left is cleared away.
func (c *Capture) Save(ref string, id []byte) error {
	statcache.Sweep(filepath.Dir(c.name), c.Ended)
	keeper := c.Keeper()
	if c.same && len(c.fresh) == 0 && !c.Stopped && (ref == "" || ref == keeper) {
		return nil // the old one says the same
	}
	c.header.Ref, c.header.Kept = ref, nil
	if ref == "" && keeper != "" {
		c.header.Ref, c.header.Kept = keeper, c.cache.Kept
		c.loosen()
	} else if len(id) > 0 {
		c.header.Kept = id
	}
	doubtful := map[int32]bool{}
	for _, i := range c.fresh {
		doubtful[i] = true
	}
	return statcache.Write(c.name, &c.header, &c.res.Tree, func(i int) []byte {
		switch e := &c.res.Entries[i]; {
		case doubtful[int32(i)]:
			return nil
		case e.Mode.IsDir() && c.same && e.Link >= 0:
			return c.oldTree(int(e.Link))
		case e.Mode.IsDir() || c.res.Candidate(i):
			return c.known(i)
		}
		return nil
	})
}

// loosen marks the entries whose ids are not among those that the keeper of the
// cache keeps.
func (c *Capture) loosen() {
	for i := range c.res.Entries {
		e := &c.res.Entries[i]
		if c.res.Candidate(i) && (!c.res.Trusted(i) || c.loose(int(e.Link))) {
			e.Flags |= statcache.Loose
		}
	}
	for k := range c.res.Dirs {
		d := &c.res.Dirs[k]
		if c.oldTree(k) == nil || c.loose(int(d.Old)) {
			c.res.Entries[d.Entry].Flags |= statcache.Loose
		}
	}
}
