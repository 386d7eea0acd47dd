//go:build unix

package gitops

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/snapshot"
)

// A view is what a capture says of the worktree.
type view struct {
	tree  object.ID
	files map[string]object.Entry
	facts *snapshot.Facts
}

// look captures the world and keeps its cache, as a turn that ends here would.
func (w *world) look(r *Repo, start *Turn) view {
	w.t.Helper()
	c, err := r.capture(w.t.Context(), start, false)
	w.must(err)
	defer c.close()
	w.must(c.batch.Flush())
	r.save(c, "", object.ID{})
	v := view{tree: c.tree, facts: c.Facts(nil, nil), files: map[string]object.Entry{}}
	if !c.tree.IsZero() {
		w.must(object.WalkFiles(c.batch, c.tree, func(p string, e object.Entry) { v.files[p] = e }))
	}
	return v
}

// wanted is what git says of the worktree.
type wanted struct {
	files   map[string]bool // not ignored, or tracked
	singles map[string]bool // ignored, in no ignored directory
	closed  map[string]bool // ignored directories
}

// ask asks git about a repository of the world and those in it.
func (w *world) ask(root string, to *wanted) {
	dirs, files := w.in(root)
	isFile := map[string]bool{}
	for _, p := range files {
		isFile[p] = true
	}
	for p := range bytes.SplitSeq(w.git(root, "", "ls-files", "-z", "-o", "--exclude-standard"), []byte{0}) {
		if p := join(root, string(p)); isFile[p] {
			to.files[p] = true
		}
	}
	for p := range bytes.SplitSeq(w.git(root, "", "ls-files", "-z", "-c"), []byte{0}) {
		p := join(root, string(p))
		// In a repository below this one, too.
		if info, err := os.Lstat(w.path(p)); err == nil && (info.Mode().IsRegular() || info.Mode().Type() == fs.ModeSymlink) && !w.behindLink(p) {
			to.files[p] = true
		}
	}
	// A dot in front keeps names from being taken for something else.
	var stdin strings.Builder
	all := map[string]string{}
	for _, p := range append(slices.Clone(dirs), files...) {
		if p == root {
			continue
		}
		rel := "./" + strings.TrimPrefix(strings.TrimPrefix(p, root), "/")
		all[rel] = p
		stdin.WriteString(rel + "\x00")
	}
	hidden := map[string]bool{}
	for _, rel := range w.ignored(root, stdin.String()) {
		hidden[all[rel]] = true
	}
	for _, d := range dirs {
		if hidden[d] {
			to.closed[d] = true
		}
	}
	for _, p := range files {
		if hidden[p] && !to.files[p] && !hidden[path.Dir(p)] {
			to.singles[p] = true
		}
	}
	for _, d := range dirs {
		if d != root && w.isRepository(d) && (!hidden[d] || w.gitlink(root, d)) {
			delete(to.closed, d)
			w.ask(d, to)
		}
	}
}

func (w *world) gitlink(root, p string) bool {
	rel := strings.TrimPrefix(strings.TrimPrefix(p, root), "/")
	return bytes.HasPrefix(w.git(root, "", "--literal-pathspecs", "ls-files", "-s", "--", rel), []byte("160000"))
}

func (w *world) isRepository(p string) bool {
	_, err := os.Stat(w.path(p + "/.git/HEAD"))
	return err == nil
}

// ignored gives those of the NUL-separated paths that a rule hides.
func (w *world) ignored(root, stdin string) (list []string) {
	if stdin == "" {
		return nil
	}
	cmd := w.command(root, stdin, "check-ignore", "-z", "--stdin", "--no-index", "-v", "-n")
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: it ignores none
		w.t.Fatalf("git check-ignore in %q: %v\n%s", root, err, strings.Join(w.log, "\n"))
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+3 < len(fields); i += 4 {
		if pattern := fields[i+2]; pattern != "" && !strings.HasPrefix(pattern, "!") {
			list = append(list, fields[i+3])
		}
	}
	return list
}

// in lists what is in a repository and in none below it.
func (w *world) in(root string) (dirs, files []string) {
	w.must(filepath.WalkDir(w.path(root), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(p, w.dir), "/")
		switch {
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			dirs = append(dirs, rel)
			if rel != root && w.isRepository(rel) {
				return fs.SkipDir
			}
		case d.Type().IsRegular(), d.Type() == fs.ModeSymlink:
			files = append(files, rel)
		}
		return nil
	}))
	return dirs, files
}

// under reports whether a set has a path or a directory above it.
func under(set map[string]bool, p string) bool {
	for ; p != "." && p != ""; p = path.Dir(p) {
		if set[p] {
			return true
		}
	}
	return set[""]
}

func setOf(list []string) map[string]bool {
	set := map[string]bool{}
	for _, p := range list {
		set[strings.TrimSuffix(p, "/")] = true
	}
	return set
}

// agrees compares a view of the whole world with what git says.
func (w *world) agrees(v view) {
	w.t.Helper()
	want := &wanted{files: map[string]bool{}, singles: map[string]bool{}, closed: map[string]bool{}}
	w.ask("", want)
	skipped, ignored := map[string]bool{}, setOf(v.facts.Ignored)
	for _, s := range v.facts.Skipped {
		skipped[s.Path] = true
		if s.Why != "special" && s.Why != "name" {
			w.t.Errorf("%q is skipped: %s", s.Path, s.Why)
		}
	}
	if len(v.facts.Incomplete) > 0 || len(v.facts.Unstable) > 0 {
		w.t.Errorf("incomplete %q, unstable %q", v.facts.Incomplete, v.facts.Unstable)
	}
	for p := range want.files {
		if _, ok := v.files[p]; !ok && !under(skipped, p) {
			w.t.Errorf("%q is not stored: git lists it", p)
		}
	}
	dirs, others := w.paths()
	for _, p := range others {
		info, err := os.Lstat(w.path(p))
		w.must(err)
		e, stored := v.files[p]
		large := info.Size() > snapshot.DefaultMaxIgnored
		switch {
		case stored && !want.files[p] && !want.singles[p]:
			w.t.Errorf("%q is stored: git ignores it", p)
		case stored:
			w.sameFile(p, info, e, v.facts)
		case under(skipped, p), under(ignored, p):
			if want.singles[p] && !large && !under(skipped, p) {
				w.t.Errorf("the single ignored file %q is not stored", p)
			}
		default:
			w.t.Errorf("%q is neither stored nor listed", p)
		}
	}
	for p := range v.files {
		if !slices.Contains(others, p) {
			w.t.Errorf("%q is stored: it is not there", p)
		}
	}
	for _, p := range v.facts.Ignored {
		if d, isDir := strings.CutSuffix(p, "/"); isDir && !under(want.closed, d) {
			w.t.Errorf("%q is listed as ignored: git does not", p)
		} else if !isDir && !want.singles[p] {
			w.t.Errorf("%q is listed as an ignored file: git does not", p)
		}
	}
	for d := range want.closed {
		if !under(ignored, d) && !under(skipped, d) && (path.Dir(d) == "." || !under(want.closed, path.Dir(d))) {
			w.t.Errorf("%q is not listed as ignored: git does", d)
		}
	}
	var empty []string
	for _, d := range dirs {
		list, err := os.ReadDir(w.path(d))
		w.must(err)
		if d != "" && len(list) == 0 && !under(ignored, d) && !under(skipped, d) {
			empty = append(empty, d)
		}
	}
	slices.Sort(empty)
	if !slices.Equal(empty, v.facts.EmptyDirs) {
		w.t.Errorf("empty directories %q, want %q", v.facts.EmptyDirs, empty)
	}
	w.hashes(v)
}

// sameFile compares kind, bytes and permissions.
func (w *world) sameFile(p string, info fs.FileInfo, e object.Entry, facts *snapshot.Facts) {
	w.t.Helper()
	var data []byte
	var err error
	mode, class := object.File, snapshot.Plain
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		mode = object.Symlink
		var target string
		target, err = os.Readlink(w.path(p))
		data = []byte(target)
	case info.Mode()&0o100 != 0:
		mode, class = object.Executable, snapshot.Executable
		fallthrough
	default:
		data, err = os.ReadFile(w.path(p))
	}
	w.must(err)
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data))
	if e.Mode != mode || e.ID.String() != hex.EncodeToString(sum[:]) {
		w.t.Errorf("%q is stored as %v %v, want %v %x", p, e.Mode, e.ID, mode, sum)
	}
	if mode == object.Symlink {
		return
	}
	perm := facts.Usual[class]
	for _, m := range facts.Modes {
		if m.Path == p {
			perm = m.Mode
		}
	}
	if perm != info.Mode().Perm() {
		w.t.Errorf("%q has permissions %v, want %v", p, perm, info.Mode().Perm())
	}
}

// hashes compares the blobs with those that git makes, of all files whose names
// it can be given.
func (w *world) hashes(v view) {
	w.t.Helper()
	var names []string
	for p, e := range v.files {
		if e.Mode != object.Symlink && !strings.Contains(p, "\n") {
			names = append(names, p)
		}
	}
	if len(names) == 0 {
		return
	}
	var stdin strings.Builder
	for _, p := range names {
		stdin.WriteString(w.path(p) + "\n")
	}
	ids := strings.Fields(string(w.git("", stdin.String(), "hash-object", "--no-filters", "--stdin-paths")))
	for i, p := range names {
		if i >= len(ids) || v.files[p].ID.String() != ids[i] {
			w.t.Errorf("%q is stored as %v: not what git makes of it", p, v.files[p].ID)
		}
	}
}

// same compares a capture that knew something with one that did not.
func (w *world) same(warm, cold view) {
	w.t.Helper()
	if warm.tree != cold.tree {
		for _, p := range slices.Sorted(maps.Keys(cold.files)) {
			if warm.files[p] != cold.files[p] {
				w.t.Errorf("%q: %v with the cache, %v without", p, warm.files[p], cold.files[p])
			}
		}
		for p := range warm.files {
			if _, ok := cold.files[p]; !ok {
				w.t.Errorf("%q: only with the cache", p)
			}
		}
		w.t.Errorf("tree %v with the cache, %v without", warm.tree, cold.tree)
	}
	if !reflect.DeepEqual(warm.facts, cold.facts) {
		w.t.Errorf("facts with the cache:\n%+v\nwithout:\n%+v", warm.facts, cold.facts)
	}
}

// forget makes the next capture a cold one.
func (w *world) forget() {
	if err := os.Remove(w.path(".git/chordgit/cache")); err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
}

// pause lets what was written become old enough to be believed.
func (w *world) pause() {
	if w.often(60) {
		time.Sleep(12 * time.Millisecond)
	}
}

// captures runs captures over a changing world: alone, and at both ends of
// turns.
func captures(t *testing.T, d *dice) {
	w := newWorld(t, d)
	r, err := Open(w.dir, Options{NoSync: true})
	w.must(err)
	defer r.Close()
	for range 2 + w.n(3) {
		w.pause()
		warm := w.look(r, nil)
		w.forget()
		cold := w.look(r, nil)
		w.same(warm, cold)
		w.agrees(cold)
		if w.often(50) {
			w.turn(r)
		}
		w.log = append(w.log, "-- captured")
		for range w.n(6) {
			w.edit()
		}
		if t.Failed() {
			t.Fatalf("what was done:\n%s", strings.Join(w.log, "\n"))
		}
	}
	w.git("", "", "fsck", "--strict", "--no-dangling", "--no-progress")
}

// turn begins a turn, changes the world, and looks at it as the turn's end does.
func (w *world) turn(r *Repo) {
	ctx := context.Background()
	open, err := r.Begin(ctx, Turn{Session: "s"})
	w.must(err)
	w.log = append(w.log, "-- begin")
	for range w.n(6) {
		w.edit()
	}
	w.pause()
	warm := w.look(r, open)
	w.forget()
	w.same(warm, w.look(r, open))
	for _, p := range open.meta.Ignored.start() {
		if d, isDir := strings.CutSuffix(p, "/"); isDir {
			for f := range warm.files {
				if strings.HasPrefix(f, p) && !w.named(f) {
					w.t.Errorf("%q is stored: %q was ignored when the turn began", f, d)
				}
			}
		}
	}
	before, err := r.side(open, "before")
	w.must(err)
	skipped, ignored := map[string]bool{}, setOf(warm.facts.Ignored)
	for _, s := range warm.facts.Skipped {
		skipped[s.Path] = true
	}
	if !before.root.IsZero() {
		w.must(object.WalkFiles(r.db, before.root, func(p string, _ object.Entry) {
			info, err := os.Lstat(w.path(p))
			if _, ok := warm.files[p]; ok || err != nil || !info.Mode().IsRegular() || under(skipped, p) || w.behindLink(p) {
				return
			}
			w.t.Errorf("%q was stored when the turn began, and is not at its end (listed: %v)", p, under(ignored, p))
		}))
	}
	_, err = r.End(ctx, "s", EndOptions{})
	w.must(err)
	w.log = append(w.log, "-- end")
}

// named reports whether an index names a file.
func (w *world) named(p string) bool {
	for root := path.Dir(p); ; root = path.Dir(root) {
		if root == "." {
			root = ""
		}
		if root == "" || w.isRepository(root) {
			rel := strings.TrimPrefix(strings.TrimPrefix(p, root), "/")
			if len(w.git(root, "", "--literal-pathspecs", "ls-files", "--", rel)) > 0 {
				return true
			}
		}
		if root == "" {
			return false
		}
	}
}

// behindLink reports whether a component of a path is a link.
func (w *world) behindLink(p string) bool {
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if info, err := os.Lstat(w.path(d)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// TestCapturesMissNothing compares captures of random worktrees with git, and
// those that know something with those that do not. CHORDGIT_SEED starts
// elsewhere, CHORDGIT_LONG goes on for a minute.
func TestCapturesMissNothing(t *testing.T) {
	seed := 1
	fmt.Sscan(os.Getenv("CHORDGIT_SEED"), &seed)
	end := time.Now().Add(3 * time.Second)
	if os.Getenv("CHORDGIT_LONG") != "" {
		end = end.Add(time.Minute)
	}
	n := 0
	for ; (n < 4 || time.Now().Before(end)) && !t.Failed(); n++ {
		t.Run(fmt.Sprint("seed ", seed+n), func(t *testing.T) {
			captures(t, &dice{rnd: rand.New(rand.NewPCG(uint64(seed+n), 1))})
		})
	}
	t.Logf("%d worktrees from seed %d on", n, seed)
}

func FuzzCaptures(f *testing.F) {
	for seed := range 8 {
		f.Add(fmt.Append(nil, "fuzz ", seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { captures(t, newDice(data)) })
}
