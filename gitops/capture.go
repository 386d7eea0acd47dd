package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/repo"
	"github.com/chordgit/chordgit/gitops/internal/seed"
	"github.com/chordgit/chordgit/snapshot"
)

// Coverage says what a capture of the worktree stores. The zero value stands
// for the defaults.
type Coverage struct {
	// MaxFile is the size in bytes over which a file is not stored (0: 100 MiB),
	// MaxNew how much is read at most in one capture (0: 1 GiB). Negative: no limit.
	MaxFile, MaxNew int64
	// NoIgnored leaves out single files that an ignore rule hides.
	NoIgnored bool
	// Include and Exclude are globs of paths that are stored although they are
	// ignored, and of paths that are not stored.
	Include, Exclude []string
	// AllowRoot captures a home directory, the root of the file system and the
	// like, which are refused otherwise.
	AllowRoot bool
	// Progress is told how many of the files that must be read were read. Nil:
	// nobody listens.
	Progress func(done, total int)
}

// Cover sets what captures store from now on, in place of [Options.Coverage].
func (r *Repo) Cover(c Coverage) { r.coverage = &c }

// covered is what captures store.
func (r *Repo) covered() (Coverage, error) {
	if r.coverage == nil {
		c := Coverage{}
		if r.opt.Coverage != nil {
			var err error
			if c, err = r.opt.Coverage(r); err != nil {
				return c, err
			}
		}
		r.coverage = &c
	}
	return *r.coverage, nil
}

// A vault is the object database as a capture fills it.
type vault struct {
	db    *object.DB
	batch *object.Batch
}

func (v vault) IDLen() int { return v.db.Format().Size() }

func (v vault) Blob(r io.Reader, size int64) ([]byte, error) {
	id, err := v.batch.BlobFrom(r, size)
	if err != nil {
		return nil, err
	}
	return id.Bytes(), nil
}

func (v vault) Tree(entries []snapshot.TreeEntry) ([]byte, error) {
	list := make([]object.Entry, len(entries))
	for i, e := range entries {
		id, ok := v.db.Format().FromBytes(e.ID)
		if !ok {
			return nil, fmt.Errorf("%q has no object id", e.Name)
		}
		list[i] = object.Entry{Name: e.Name, Mode: object.Mode(e.Mode), ID: id}
	}
	id, err := v.batch.Tree(list)
	if err != nil {
		return nil, err
	}
	return id.Bytes(), nil
}

func (v vault) Has(raw []byte) bool {
	id, ok := v.db.Format().FromBytes(raw)
	return ok && v.db.Keep(id)
}

// A captured is a capture together with the batch that holds its new objects.
type captured struct {
	*snapshot.Capture
	batch *object.Batch
	tree  object.ID // zero: nothing is stored

	mu     sync.Mutex
	unread []string // repositories below the top whose index cannot be read
}

// whyIndex is why the index of a repository below the top is among what was
// skipped: what it tracks although a rule hides it is not known.
const whyIndex = "index"

// Facts are the capture's, and the indexes that could not be read.
func (c *captured) Facts(usual map[snapshot.Class]fs.FileMode, also []string) *snapshot.Facts {
	f := c.Capture.Facts(usual, also)
	for _, p := range c.unread {
		f.Skipped = append(f.Skipped, snapshot.Skipped{Path: p + "/.git/index", Why: whyIndex})
	}
	slices.SortFunc(f.Skipped, func(a, b snapshot.Skipped) int { return strings.Compare(a.Path, b.Path) })
	return f
}

func (c *captured) close() {
	c.Capture.Close()
	c.batch.Close()
}

// capture stores the worktree as it is. The caller holds the worktree's lock,
// shared at least, so that no transaction is half done.
//
// At the end of a turn start is what its start found: what was stored then is
// looked at whatever ignores it now, and what was ignored then stays so.
func (r *Repo) capture(ctx context.Context, start *Turn, reread bool) (*captured, error) {
	if err := r.layout.Perm().MkdirAll(r.stateDir(), r.opt.NoSync); err != nil {
		return nil, trouble(edit.CommitFailed, "the git directory cannot be written", err)
	}
	cover, err := r.covered()
	if err != nil {
		return nil, err
	}
	settings, err := r.layout.Settings(filepath.Join(r.stateDir(), "settings"))
	if err != nil {
		return nil, trouble(edit.Unreadable, "git's configuration cannot be read", err)
	}
	c := &captured{batch: r.db.NewBatch()}
	opt := snapshot.CaptureOptions{
		Dir: r.stateDir(), Vault: vault{r.db, c.batch}, FoldCase: settings.IgnoreCase,
		MaxFile: limit(cover.MaxFile, snapshot.DefaultMaxFile), MaxNew: limit(cover.MaxNew, snapshot.DefaultMaxNew),
		MaxIgnored: snapshot.DefaultMaxIgnored, Include: cover.Include, Exclude: cover.Exclude,
		Reread: reread, Progress: cover.Progress,
		Kept: r.kept, Seed: r.seed(settings),
		Nested: func(path string) (snapshot.NestedRepository, bool) {
			n, known, ok := r.nested(path, settings.IgnoreCase)
			if ok && !known {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.unread = append(c.unread, path)
			}
			return n, ok
		},
	}
	opt.Length = func(raw []byte) (int64, bool) {
		id, ok := r.db.Format().FromBytes(raw)
		if !ok {
			return 0, false
		}
		return r.db.Size(id)
	}
	if cover.NoIgnored {
		opt.MaxIgnored = -1
	}
	names := &indexNames{layout: r.layout, foldCase: settings.IgnoreCase}
	known := tracked{names: names}
	if start != nil {
		opt.Hidden = mapStrings(start.meta.Ignored.Before, pathcode.Decode)
		if known.start, err = r.side(start, "before"); err != nil {
			return nil, damaged(start.N, err)
		}
	}
	opt.Tracked = &known
	for text, name := range map[*[]byte]string{&opt.Excludes: settings.ExcludesFile, &opt.Info: filepath.Join(r.layout.CommonDir, "info", "exclude")} {
		if *text, err = readIgnore(name); err != nil {
			return nil, trouble(edit.Unreadable, "the ignore file "+edit.Quote(name)+" cannot be read", err)
		}
	}
	if opt.Sparse, err = r.sparseRules(); err != nil {
		return nil, err
	}
	r.opt.Step("capture")
	if c.Capture, err = r.tree.Capture(ctx, opt); err != nil {
		c.batch.Close()
		return nil, trouble(edit.CommitFailed, "the worktree cannot be captured", err)
	}
	// At the end of a turn what the start stored is looked at all the same, and a
	// turn that cannot be closed could not be taken back.
	if start == nil && names.err != nil {
		c.close()
		return nil, trouble(edit.Unreadable, "the index cannot be read, so that nobody can tell what is tracked although ignored", names.err)
	}
	if known.err != nil {
		c.close()
		return nil, damaged(start.N, known.err)
	}
	c.tree, _ = r.db.Format().FromBytes(c.Capture.Tree)
	r.opt.Step("captured")
	return c, nil
}

func limit(n, otherwise int64) int64 {
	switch {
	case n < 0:
		return 0
	case n == 0:
		return otherwise
	}
	return n
}

// readIgnore reads an ignore file outside the worktree; absent is empty. Git
// follows links there.
func readIgnore(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		return nil, nil
	}
	return text, err
}

func isNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR)
}

// kept reports whether a ref of ours still names what it named, and its objects
// are not lost with their pack, the youngest, which a power cut takes first.
func (r *Repo) kept(name string, id []byte) bool {
	now, err := r.refs.Read(name)
	if err != nil || !bytes.Equal(now.Bytes(), id) {
		return false
	}
	_, err = r.db.ReadAs(object.Tag, now)
	return err == nil
}

// seed returns what asks the user's index for ids, and gives the index back.
func (r *Repo) seed(s *repo.Settings) func() (ask func([]byte, snapshot.FileStat) ([]byte, bool), done func()) {
	return func() (func([]byte, snapshot.FileStat) ([]byte, bool), func()) {
		index, err := r.layout.Index()
		if err != nil {
			return nil, nil // then all is read
		}
		seeds := seed.Open(r.layout, index, s, nil)
		return func(path []byte, f snapshot.FileStat) ([]byte, bool) {
			id, ok := seeds.ID(path, seed.Stat{Mode: f.Mode, Mtime: f.Mtime, Ctime: f.Ctime, Ino: f.Ino, Size: f.Size})
			return id.Bytes(), ok
		}, index.Close
	}
}

// indexNames are the paths of an index, read when first asked for.
type indexNames struct {
	layout   *repo.Layout
	foldCase bool
	once     sync.Once
	paths    snapshot.Tracked
	err      error // it cannot be read: what is tracked is not known
}

func (x *indexNames) list() snapshot.Tracked {
	x.once.Do(func() {
		index, err := x.layout.Index()
		if err != nil {
			x.err, x.paths = err, snapshot.Track(nil, false)
			return
		}
		defer index.Close()
		paths := make([]string, 0, index.Len())
		for e := range index.All() {
			p := e.Path
			if e.Gitlink() {
				p += "/"
			}
			if n := len(paths); n == 0 || paths[n-1] != p { // the stages of one path
				paths = append(paths, p)
			}
		}
		x.paths = snapshot.Track(paths, x.foldCase)
	})
	return x.paths
}

// tracked is what is stored whatever ignores it: the index's paths and, at the
// end of a turn, those that its start stored.
type tracked struct {
	names *indexNames
	start *side // nil: there is none

	mu  sync.Mutex
	err error // of the start's trees
}

func (t *tracked) Has(path string) bool {
	if t.names.list().Has(path) {
		return true
	}
	if t.start == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok, err := t.start.entry(path)
	t.err = errors.Join(t.err, err)
	return ok && !e.Mode.IsDir()
}

func (t *tracked) Below(to []string, dir string) []string {
	to = t.names.list().Below(to, dir)
	if t.start == nil {
		return to
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok, err := t.start.entry(dir)
	if err == nil && ok && e.Mode.IsDir() {
		err = object.WalkFiles(t.start.r.db, e.ID, func(p string, _ object.Entry) { to = append(to, p) })
	}
	t.err = errors.Join(t.err, err)
	return to
}

// nested tells what decides in a repository below the top. Known is false if its
// index cannot be read, which is no reason to store nothing of all the rest.
func (r *Repo) nested(path string, foldCase bool) (n snapshot.NestedRepository, known, ok bool) {
	l := r.nestedLayout(path)
	if l == nil {
		return n, false, false
	}
	n.Info, _ = readIgnore(filepath.Join(l.CommonDir, "info", "exclude"))
	names := &indexNames{layout: l, foldCase: foldCase}
	n.Tracked = names.list()
	return n, names.err == nil, true
}

// nestedLayout finds the repository of a directory with an entry .git; nil if
// that is none after all.
func (r *Repo) nestedLayout(path string) *repo.Layout {
	dir := filepath.Join(r.layout.Top, filepath.FromSlash(path))
	l, err := repo.Find(dir)
	if err != nil || l.Top != dir {
		return nil
	}
	l.Children = r.opt.Children
	return l
}

// nestedHead is what HEAD of a nested repository says; empty if it has none.
func (r *Repo) nestedHead(path string) string {
	l := r.nestedLayout(path)
	if l == nil {
		return ""
	}
	head, err := refsOf(l, r.opt).Head()
	if err != nil || head.ID.IsZero() {
		return ""
	}
	return head.ID.String()
}

// sparseRules are the .gitignore files that a sparse checkout left out: git
// reads them from the index.
func (r *Repo) sparseRules() (map[string][]byte, error) {
	if _, err := os.Lstat(filepath.Join(r.layout.GitDir, "info", "sparse-checkout")); err != nil {
		return nil, nil
	}
	index, err := r.layout.Index()
	if err != nil {
		return nil, trouble(edit.Unreadable, "the index cannot be read", err)
	}
	defer index.Close()
	rules := map[string][]byte{}
	for e := range index.All() {
		if !e.SkipWorktree || e.Stage != 0 || e.Path != ".gitignore" && !strings.HasSuffix(e.Path, "/.gitignore") {
			continue
		}
		if text, err := r.db.ReadAs(object.Blob, e.ID); err == nil { // else it is not to be had offline
			rules[e.Path] = text
		}
	}
	return rules, nil
}
