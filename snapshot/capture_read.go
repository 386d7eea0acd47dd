package snapshot

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

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
