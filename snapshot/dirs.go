package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/chordgit/chordgit/edit"
)

// A dir is an open directory. What is done in it is done by the handle, so
// that no later change of the path can lead elsewhere.
type dir struct {
	path  string   // relative to the top, "." for the top itself
	root  *os.Root // nil: closed for the time being, see dirs
	mu    sync.Mutex
	file  *os.File // for system calls that want a descriptor; opened when needed
	info  fs.FileInfo
	dirty bool // a name in it changed and is not synced yet
	plain bool // its file system cannot exchange names
	fold  bool // its file system takes names that differ in case for one
	// The names in it and, in lower case, once more; nil: not read, or not kept.
	names map[string]bool
	keeps bool // names, for who asks for many and acts on none
	used  int  // when dirs gave it last
	busy  bool // not to be closed now
}

func (d *dir) close() error {
	if d.file != nil {
		d.file.Close()
		d.file = nil
	}
	if d.root == nil {
		return nil
	}
	err := d.root.Close()
	d.root = nil
	return err
}

// dev is the device that the directory is on, 0 if that is not known.
func (d *dir) dev() uint64 {
	if d.info == nil {
		if fi, err := d.root.Lstat("."); err == nil {
			d.info = fi
		}
	}
	if d.info == nil {
		return 0
	}
	return statOf(d.info).Dev
}

// fd returns a descriptor of the directory. Several may ask at once.
func (d *dir) fd() (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		f, err := d.root.Open(".")
		if err != nil {
			return -1, err
		}
		d.file = f
	}
	return int(d.file.Fd()), nil
}

// lookup tells what stands at a name, nil if nothing does: only the spelling that
// the directory has counts. In others a file would stand twice, and be removed as
// the second.
func (d *dir) lookup(name string) (*edit.File, error) {
	f, err := d.reach(name)
	if f != nil && d.fold && !edit.IsReserved(name) {
		if other, err := d.spellsOtherwise(name); other || err != nil {
			return nil, err
		}
	}
	return f, err
}

// spellsOtherwise reports whether the directory has a name in another case alone.
func (d *dir) spellsOtherwise(name string) (other bool, err error) {
	names := d.names
	if names == nil {
		f, err := d.root.Open(".")
		if err != nil {
			return false, err
		}
		defer f.Close()
		list, err := f.Readdirnames(-1)
		if err != nil {
			return false, err
		}
		names = make(map[string]bool, 2*len(list))
		for _, n := range list {
			names[n], names["/"+strings.ToLower(n)] = true, true // no name holds a slash
		}
		if d.keeps {
			d.names = names
		}
	}
	return !names[name] && names["/"+strings.ToLower(name)], nil
}

// reach tells what a program gets that asks for a name, nil if nothing.
func (d *dir) reach(name string) (*edit.File, error) {
	fi, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	f := &edit.File{Mode: fi.Mode(), Stat: statOf(fi)}
	if f.IsLink() {
		target, err := d.root.Readlink(name)
		if err != nil {
			return nil, err
		}
		f.Data = []byte(target)
	}
	return f, nil
}

// errOther: what stands at the name is not the regular file it was, or none.
var errOther = errors.New("not the file that was there")

// open opens the regular file at name for reading, and nothing else: neither
// through a link nor a FIFO that would keep us waiting.
func (d *dir) open(name string) (*os.File, fs.FileInfo, error) {
	fi, err := d.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, nil, errOther
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	// A link put there in between leads to another file, or to one that could
	// be opened by its own name.
	opened, err := f.Stat()
	if err == nil && !os.SameFile(fi, opened) {
		err = errOther
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, opened, nil
}

// dirs are the directories that one operation has opened. What the system allows
// to be open is not exceeded: those that were not used for the longest time are
// closed, and opened again when they are asked for, if they are still the same. So
// a directory that get returned is to be used before many others are asked for.
type dirs struct {
	top *dir
	// exact: a directory is not there under a name in another case than its own.
	exact bool
	all   map[string]*dir
	open  int // of all
	tick  int
}

// leastDirs are open at once whatever the system allows.
const leastDirs = 32

// maxDirs is how many directories are open at once, of which each may need two
// descriptors. The rest is for files.
var maxDirs = sync.OnceValue(func() int { return max((openLimit()-maxStaged-64)/2, leastDirs) })

// closeOldest closes half of the open directories.
func (ds *dirs) closeOldest() {
	list := make([]*dir, 0, ds.open)
	for _, d := range ds.all {
		if d.root != nil && !d.busy {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *dir) int { return a.used - b.used })
	for _, d := range list[:len(list)/2] {
		d.close()
		ds.open--
	}
}

func (w *Worktree) dirs() *dirs { return &dirs{top: w.top, all: map[string]*dir{}} }

// exactDirs are for who only looks.
func (w *Worktree) exactDirs() *dirs {
	top := &dir{path: w.top.path, root: w.top.root, fold: w.top.fold, keeps: true}
	return &dirs{top: top, all: map[string]*dir{}, exact: true}
}

func (ds *dirs) close() {
	for _, d := range ds.all {
		d.close()
	}
}

// A notDirError says that a component of a path is no directory.
type notDirError struct {
	path string
	mode fs.FileMode
}

func (e *notDirError) Error() string { return edit.Quote(e.path) + ": not a directory" }

// gone reports whether err means that the path cannot exist.
func gone(err error) bool {
	var nd *notDirError
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &nd)
}

// get opens the directory at p, component by component. os.Root keeps us below
// the top, but follows links there; that none was followed is proved by
// comparing what Lstat saw with what was opened.
func (ds *dirs) get(p string) (*dir, error) {
	if p == "." {
		return ds.top, nil
	}
	ds.tick++
	known := ds.all[p]
	if known != nil && known.root != nil {
		known.used = ds.tick
		return known, nil
	}
	name := path.Base(p)
	if name == "." || name == ".." || name == "/" || strings.HasPrefix(p, "/") {
		return nil, fmt.Errorf("%s: not a clean relative path", edit.Quote(p))
	}
	if ds.open >= maxDirs() {
		ds.closeOldest()
	}
	parent, err := ds.get(path.Dir(p))
	if err != nil {
		return nil, err
	}
	fi, err := parent.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if ds.exact && parent.fold {
		if other, err := parent.spellsOtherwise(name); err != nil {
			return nil, err
		} else if other {
			return nil, fs.ErrNotExist
		}
	}
	if !fi.IsDir() || known != nil && !os.SameFile(fi, known.info) {
		return nil, &notDirError{p, fi.Mode()}
	}
	root, err := parent.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := root.Lstat(".")
	if err == nil && !os.SameFile(fi, opened) {
		err = &notDirError{p, fs.ModeSymlink}
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	d := known
	if d == nil {
		d = &dir{path: p, info: opened, plain: parent.plain, fold: parent.fold, keeps: ds.exact}
		ds.all[p] = d
	}
	d.root, d.used = root, ds.tick
	ds.open++
	return d, nil
}

// lookup tells what stands at a path, nil if nothing can.
func (ds *dirs) lookup(p string) (*edit.File, error) {
	d, err := ds.get(path.Dir(p))
	if gone(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return d.lookup(path.Base(p))
}

// drop forgets a directory that is about to go, and tells whether it was dirty.
func (ds *dirs) drop(p string) bool {
	d := ds.all[p]
	if d == nil {
		return false
	}
	ds.forget(p, d)
	return d.dirty
}

func (ds *dirs) forget(p string, d *dir) {
	if d.root != nil {
		ds.open--
	}
	d.close()
	delete(ds.all, p)
}

// moved returns a directory that is no longer where it was opened, nil if all
// are in place.
func (ds *dirs) moved() *dir {
	for _, p := range slices.Sorted(maps.Keys(ds.all)) { // neighbours share their parents
		d := ds.all[p]
		parent, err := ds.get(path.Dir(p))
		if err != nil {
			return d
		}
		if fi, err := parent.root.Lstat(path.Base(p)); err != nil || !os.SameFile(fi, d.info) {
			return d
		}
	}
	return nil
}
