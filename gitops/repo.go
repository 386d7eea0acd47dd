package gitops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/ref"
	"github.com/chordgit/chordgit/gitops/internal/repo"
	"github.com/chordgit/chordgit/snapshot"
)

// NotARepository is the code of the error that says that there is no worktree
// of a git repository to work in.
const NotARepository edit.Code = "not-a-repository"

// NoWorktree reports whether an error of Open says that no repository was found:
// neither a worktree nor a bare repository nor a git directory holds the
// directory.
func NoWorktree(err error) bool { return errors.Is(err, repo.ErrNotRepository) }

// Options are for callers with needs of their own; the zero value is what the
// command uses.
type Options struct {
	// Repaired is told, one line each, what recovery did about transactions
	// that an earlier process left unfinished. Nil: nobody listens.
	Repaired func(line string)
	// Coverage says what captures store. It is asked when the first one begins,
	// which may be that of a turn which a dead process left open. Nil: the defaults.
	Coverage func(*Repo) (Coverage, error)
	// Children ends the git programs that run when it ends. Nil: they end by
	// themselves.
	Children context.Context
	// Step is called before every step of a transaction, for tests that kill or
	// race it there. Nil: nothing.
	Step func(step string)
	// NoExchange behaves as on a file system that cannot exchange two names.
	NoExchange bool
	// NoSync keeps the order of writes and waits for none (store.fsync: off).
	NoSync bool
	// InHook says that git runs us as a hook, in whose environment it tells of
	// its repository, a temporary index and objects that are not in place yet.
	InHook bool
	// LockWait is how long a command waits for another one in the same
	// worktree; 0 means 30 s.
	LockWait time.Duration
}

// A Repo is a worktree together with the repository that keeps its turns. It is
// used by one goroutine at a time; several processes may have the same one.
type Repo struct {
	opt    Options
	layout *repo.Layout
	db     *object.DB
	refs   refStore
	tree   *snapshot.Worktree
	force  *snapshot.Worktree // the same, for rewinds with force; opened when needed

	coverage *Coverage // nil: not asked for yet
}

// A refStore keeps the refs of the repository. Those that are born and removed
// are our own, and none is moved.
type refStore interface {
	Head() (ref.Head, error)
	Read(name string) (object.ID, error)
	List(prefix string) ([]ref.Ref, error)
	Log(name string) ([]ref.LogEntry, error)
	Create(name string, id object.ID) error
	Remove(name string, id object.ID) error
	RemoveLocks() ([]string, error)
}

func refsOf(l *repo.Layout, opt Options) refStore {
	format := l.Config.Format()
	if l.Config.Reftable() {
		return &ref.Program{Format: format, Command: l.Command, NoSync: opt.NoSync}
	}
	return &ref.Store{Format: format, GitDir: l.GitDir, CommonDir: l.CommonDir, Perm: l.Perm(), NoSync: opt.NoSync}
}

// openRefs are the refs of the repository, for writing, too.
func (r *Repo) openRefs() refStore {
	refs := refsOf(r.layout, r.opt)
	if s, ok := refs.(*ref.Store); ok {
		s.Lock, s.Held, s.Step = r.lockRefs, filepath.Join(r.sharedDir(), "held"), r.opt.Step
	}
	return refs
}

// Open opens the worktree that holds dir. A directory that is in no worktree
// (none, or a bare repository) is an error with code [NotARepository].
func Open(dir string, opt Options) (*Repo, error) {
	if opt.Step == nil {
		opt.Step = func(string) {}
	}
	if opt.Repaired == nil {
		opt.Repaired = func(string) {}
	}
	if opt.LockWait == 0 {
		opt.LockWait = 30 * time.Second
	}
	find := repo.Find
	if opt.InHook {
		find = repo.FindHook
	}
	layout, err := find(dir)
	if err == nil && layout.Config.Bare {
		err = repo.ErrBare
	}
	if err != nil {
		return nil, &edit.Error{Code: NotARepository, Err: err}
	}
	layout.Children = opt.Children
	r := &Repo{opt: opt, layout: layout}
	if r.db, err = openObjects(layout, opt); err != nil {
		return nil, err
	}
	r.refs = r.openRefs()
	if r.tree, err = r.worktree(false); err != nil {
		return nil, err
	}
	return r, nil
}

func openObjects(l *repo.Layout, opt Options) (*object.DB, error) {
	return object.Open(l.CommonDir, object.Options{Format: l.Config.Format(), Partial: l.Config.Partial, Perm: l.Perm(), NoSync: opt.NoSync, Command: l.Command})
}

func (r *Repo) worktree(force bool) (*snapshot.Worktree, error) {
	return snapshot.Open(r.layout.Top, snapshot.Options{
		Store: store{r.db}, Step: r.opt.Step, NoExchange: r.opt.NoExchange, NoSync: r.opt.NoSync, Force: force, Fold: foldsCase(r.layout.Top),
	})
}

// foldsCase reports whether the file system of a worktree takes names that differ
// in case for one, as its .git shows. core.ignoreCase tells it of where the
// repository was made.
func foldsCase(top string) bool {
	if _, err := os.Lstat(filepath.Join(top, ".GIT")); err != nil {
		return false
	}
	entries, err := os.ReadDir(top) // the inode does not tell: some give one to each spelling
	return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == ".GIT" })
}

// Close gives back what Open took.
func (r *Repo) Close() error {
	errs := []error{r.tree.Close(), r.db.Close()}
	if r.force != nil {
		errs = append(errs, r.force.Close())
	}
	return errors.Join(errs...)
}

// Top is the absolute path of the worktree's root.
func (r *Repo) Top() string { return r.layout.Top }

// Tree is the worktree as a planner sees it in no turn.
func (r *Repo) Tree() edit.Tree { return tree{r: r} }

// TreeOf is the worktree as a planner sees it for a session: it knows the
// session's open turn, if there is one.
func (r *Repo) TreeOf(session string) (edit.Tree, error) {
	open, err := r.openTurn(session)
	return tree{r, r.watch(open)}, err
}

// PlanOptions are the options that follow from the worktree.
func (r *Repo) PlanOptions() edit.Options {
	roots := []string{filepath.ToSlash(r.layout.Top)}
	if real, err := filepath.EvalSymlinks(r.layout.Top); err == nil && !slices.Contains(roots, filepath.ToSlash(real)) {
		roots = append(roots, filepath.ToSlash(real))
	}
	return edit.Options{Umask: r.tree.Umask(), Roots: roots, Folds: r.tree.Folds(), Merging: r.layout.InProgress() != ""}
}

// Content returns the bytes of a file of a plan or turn, nil for nil or for a
// file that cannot be read now.
func (r *Repo) Content(f *edit.File) []byte {
	switch {
	case f == nil:
		return nil
	case f.Data != nil || f.ID == "":
		return f.Data
	}
	id, ok := object.ParseID(f.ID)
	if !ok {
		return nil
	}
	data, err := r.db.ReadAs(object.Blob, id)
	if err != nil {
		return nil
	}
	return data
}

// A tree is a Repo as an [edit.Tree].
type tree struct {
	r     *Repo
	watch *watch // of the open turn of the session that asks; nil: none is
}

// Lookup takes an agent's spelling as the file system does.
func (t tree) Lookup(path string) (*edit.File, error) { return t.r.tree.Reach(path) }
func (t tree) Load(path string, f *edit.File) error   { return t.r.tree.Load(path, f) }
func (t tree) Entries(paths []string) ([]*edit.Entry, error) {
	found, err := t.r.layout.IndexEntries(paths)
	if err != nil {
		return nil, err
	}
	out := make([]*edit.Entry, len(paths))
	for i, at := range found {
		switch {
		case at.Gitlink != "":
			out[i] = &edit.Entry{Path: at.Gitlink, Gitlink: true}
		case at.Entry != nil:
			out[i] = &edit.Entry{Path: paths[i], Unmerged: at.Unmerged, SkipWorktree: at.Entry.SkipWorktree}
		}
	}
	return out, nil
}

// Names are the files of the directory, tracked or not, then the tracked ones
// of the whole worktree. What cannot be read gives none: they feed a message.
func (t tree) Names(dir string, limit int) []string {
	names, _ := t.r.tree.List(dir)
	for i, n := range names {
		names[i] = path.Join(dir, n)
	}
	if len(names) >= limit {
		return names
	}
	index, err := t.r.layout.Index()
	if err != nil {
		return names
	}
	defer index.Close()
	for e := range index.All() {
		if len(names) >= limit {
			break
		}
		names = append(names, e.Path)
	}
	return names
}

// A store is the object database as snapshot uses it.
type store struct{ db *object.DB }

func (s store) Blob(id string) (io.ReadCloser, error) {
	oid, ok := object.ParseID(id)
	if !ok {
		return nil, fmt.Errorf("%q is no object id", id)
	}
	return s.db.Reader(oid)
}

func (s store) Blobs(ids []string, f func(i int, r io.Reader, err error) error) error {
	oids := make([]object.ID, len(ids))
	for i, id := range ids {
		var ok bool
		if oids[i], ok = object.ParseID(id); !ok {
			return fmt.Errorf("%q is no object id", id)
		}
	}
	return s.db.Each(oids, f)
}

func (s store) Has(id string) bool {
	oid, ok := object.ParseID(id)
	return ok && s.db.HasOwn(oid)
}

func (s store) ID(r io.Reader, size int64) (string, error) {
	h := s.db.Format().NewHash(object.Blob, size)
	if n, err := io.Copy(h, r); err != nil || n != size {
		return "", cmp.Or(err, io.ErrUnexpectedEOF)
	}
	return s.db.Format().Sum(h).String(), nil
}

// ModeString is a file's mode in six octal digits: the kind, then the
// permissions ("100644", "120000").
func ModeString(mode fs.FileMode) string {
	kind := "100"
	switch {
	case mode&fs.ModeSymlink != 0:
		return "120000"
	case mode.IsDir():
		kind = "040"
	}
	return fmt.Sprintf("%s%03o", kind, uint32(permissions(mode)&0o777))
}

// pathError makes an error of the operating system one of ours.
func trouble(code edit.Code, what string, err error) error {
	var known *edit.Error
	if errors.As(err, &known) {
		return err
	}
	return &edit.Error{Code: code, Msg: what, Err: err}
}

// stateDir is where chordgit keeps its own files of this worktree.
func (r *Repo) stateDir() string { return filepath.Join(r.layout.GitDir, "chordgit") }

// sharedDir is where chordgit keeps what all worktrees share.
func (r *Repo) sharedDir() string { return filepath.Join(r.layout.CommonDir, "chordgit") }
