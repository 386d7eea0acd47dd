package object

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chordgit/chordgit/gitops/internal/durable"
)

// Options are what a store cannot find out by itself.
type Options struct {
	Format  Format                         // the hash that names the objects
	Perm    durable.Perm                   // what new files and directories get
	Partial bool                           // a partial clone: what is missing was never fetched
	NoSync  bool                           // do not wait until written objects are on the disk
	Command func(args ...string) *exec.Cmd // the git program in its environment; nil: there is none
}

// A DB is the object store of one repository: its own directory, where all new
// objects go, and the alternates, which are only read. It is safe for
// concurrent use.
type DB struct {
	opt    Options
	common string
	dirs   []string // object directories, the own one first
	pools  pools

	mu     sync.Mutex
	packs  []*pack // nil and not listed before the first use; last hit first
	listed bool
	gone   []*pack // deleted under us, still readable

	child child
}

// Open returns the store of the repository with the given common directory.
// Nothing but the list of alternates is read.
func Open(commonDir string, opt Options) (*DB, error) {
	db := &DB{opt: opt, common: commonDir}
	if err := db.addDir(filepath.Join(commonDir, "objects"), 0); err != nil {
		return nil, err
	}
	return db, nil
}

// addDir adds an object directory and those that its info/alternates names.
func (db *DB) addDir(dir string, depth int) error {
	dir = filepath.Clean(dir)
	if slices.Contains(db.dirs, dir) || depth > 5 { // git's limit
		return nil
	}
	db.dirs = append(db.dirs, dir)
	list, err := os.ReadFile(filepath.Join(dir, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(string(list), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		if s, err := strconv.Unquote(line); err == nil { // git quotes as C does
			line = s
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		if err := db.addDir(line, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Format is the hash that names the objects of this repository.
func (db *DB) Format() Format { return db.opt.Format }

// check refuses the name of an object of another kind of repository, which
// must neither be looked for nor be written into anything here.
func (db *DB) check(id ID) error {
	if id.Format() != db.opt.Format {
		return &Error{ID: id, Err: ErrFormat}
	}
	return nil
}

// Close ends the git child, if one was started, and closes all files.
func (db *DB) Close() error {
	err := db.child.close()
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, p := range append(db.packs, db.gone...) {
		p.close()
	}
	db.packs, db.gone, db.listed = nil, nil, false
	return err
}

// list returns the packs, listed anew if asked to. Packs that stay keep their
// open files; a pack that is gone stays readable.
func (db *DB) list(again bool) []*pack {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.listed && !again {
		return db.packs
	}
	known := make(map[string]*pack, len(db.packs))
	for _, p := range db.packs {
		known[p.base] = p
	}
	var packs []*pack
	for i, dir := range db.dirs {
		for _, p := range listPacks(filepath.Join(dir, "pack"), db.opt.Format, i == 0) {
			if old := known[p.base]; old != nil && !old.broken() {
				old.mu.Lock()
				old.cruft, old.keep = p.cruft, p.keep
				old.mu.Unlock()
				p = old
			}
			delete(known, p.base)
			packs = append(packs, p)
		}
	}
	for _, p := range known {
		db.gone = append(db.gone, p)
	}
	db.packs, db.listed = packs, true
	return packs
}

func (p *pack) broken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed != nil
}

// listPacks finds every .idx, whatever its name begins with: git's
// maintenance writes loose-*.pack. Newest first is git's order; ours is by
// name, and the last hit goes to the front.
func listPacks(dir string, format Format, own bool) []*pack {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // no packs yet, or an alternate that is not mounted
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	var packs []*pack
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || strings.HasPrefix(base, "tmp_") || !names[base+".pack"] {
			continue
		}
		packs = append(packs, &pack{
			base: filepath.Join(dir, base), format: format, own: own,
			cruft: names[base+".mtimes"], keep: names[base+".keep"],
		})
	}
	return packs
}

// locate finds the pack that holds an object.
func (db *DB) locate(id ID, own, again bool) (*pack, int64) {
	for i, p := range db.list(again) {
		if own && !p.own {
			continue
		}
		// An index that cannot be read may belong to a pack that was just
		// deleted: whoever finds nothing lists again.
		if at, ok, err := p.find(id); err == nil && ok {
			if i > 0 {
				db.toFront(p)
			}
			return p, at
		}
	}
	return nil, 0
}

func (db *DB) toFront(p *pack) {
	db.mu.Lock()
	defer db.mu.Unlock()
	i := slices.Index(db.packs, p)
	if i <= 0 {
		return
	}
	// A new slice: others may be walking the old one.
	packs := append(make([]*pack, 0, len(db.packs)), p)
	packs = append(packs, db.packs[:i]...)
	db.packs = append(packs, db.packs[i+1:]...)
}

func loosePath(dir string, id ID) string {
	s := id.String()
	return dir + string(filepath.Separator) + s[:2] + string(filepath.Separator) + s[2:]
}

// Has reports whether a store of this repository holds the object. It does
// not look for packs that have come since the first use, and asks no program:
// "no" means that the object may have to be written, not that it is lost.
func (db *DB) Has(id ID) bool {
	if p, _ := db.locate(id, false, false); p != nil {
		return true
	}
	for _, dir := range db.dirs {
		if _, err := os.Lstat(loosePath(dir, id)); err == nil {
			return true
		}
	}
	return false
}

// HasOwn is Has for the repository's own store. What only an alternate has
// may vanish with the next gc there, which knows nothing of our refs.
func (db *DB) HasOwn(id ID) bool {
	if p, _ := db.locate(id, true, false); p != nil {
		return true
	}
	_, err := os.Lstat(loosePath(db.dirs[0], id))
	return err == nil
}

// Read returns an object's type and content, which was hashed and is what its
// name says. An object that is found nowhere is looked for among packs that
// have come meanwhile, then asked of the git program, before it is ErrMissing.
// Errors are of type *Error.
func (db *DB) Read(id ID) (Type, []byte, error) {
	typ, data, err := db.read(id)
	if err == nil && db.opt.Format.Hash(typ, data) != id {
		err = damaged("its content has another hash")
	}
	if err != nil {
		return 0, nil, wrap(id, err)
	}
	return typ, data, nil
}

// ReadAs is Read for an object that must be of one type.
func (db *DB) ReadAs(typ Type, id ID) ([]byte, error) {
	got, data, err := db.Read(id)
	if err == nil && got != typ {
		return nil, &Error{ID: id, Err: damaged("a %s where a %s should be", got, typ)}
	}
	return data, err
}

func wrap(id ID, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return &Error{ID: id, Err: err}
}

func (db *DB) read(id ID) (Type, []byte, error) {
	if err := db.check(id); err != nil {
		return 0, nil, err
	}
	if id == db.opt.Format.EmptyTree() { // git knows it without an object
		return Tree, nil, nil
	}
	var bad error
	for _, again := range []bool{false, true} {
		if p, at := db.locate(id, false, again); p != nil {
			typ, data, err := p.read(&db.pools, at, db.read)
			if err == nil {
				return typ, data, nil
			}
			bad = err
		}
		for _, dir := range db.dirs {
			typ, data, err := db.readLoose(loosePath(dir, id))
			if err == nil {
				return typ, data, nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				bad = err
			}
		}
	}
	if typ, data, ok := db.readGone(id); ok {
		return typ, data, nil
	}
	typ, data, err := db.child.read(db.opt.Command, id)
	if db.opt.Partial && errors.Is(err, ErrMissing) {
		err = fmt.Errorf("%w: not available offline, this partial clone has not fetched it", err)
	}
	if err != nil && bad != nil && !errors.Is(bad, fs.ErrNotExist) {
		return 0, nil, bad
	}
	return typ, data, err
}

// readGone reads from packs that git has deleted since they were opened.
func (db *DB) readGone(id ID) (Type, []byte, bool) {
	db.mu.Lock()
	gone := db.gone
	db.mu.Unlock()
	for _, p := range gone {
		if at, ok, err := p.find(id); err == nil && ok {
			if typ, data, err := p.read(&db.pools, at, db.read); err == nil {
				return typ, data, true
			}
		}
	}
	return 0, nil, false
}

// Stat returns type and size without reading the content.
func (db *DB) Stat(id ID) (Type, int64, error) {
	typ, size, err := db.stat(id)
	if err != nil {
		return 0, 0, wrap(id, err)
	}
	return typ, size, nil
}

func (db *DB) stat(id ID) (Type, int64, error) {
	if p, at := db.locate(id, false, false); p != nil {
		if typ, size, err := p.stat(&db.pools, at, db.stat); err == nil {
			return typ, size, nil
		}
	}
	for _, dir := range db.dirs {
		if r, err := db.openLoose(loosePath(dir, id)); err == nil {
			r.close()
			return r.typ, r.size, nil
		}
	}
	typ, data, err := db.read(id)
	return typ, int64(len(data)), err
}

// toReader turns content in memory into a Reader.
func toReader(typ Type, data []byte) *Reader {
	return &Reader{Type: typ, Size: int64(len(data)), r: bytes.NewReader(data)}
}
