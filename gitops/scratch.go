package gitops

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// A scratch is a directory of its own into which captured states of a worktree
// are written, one after another. What a program did to it meanwhile is put
// right; files that no state has stay, as those that a build made.
type scratch struct {
	r    *Repo
	dir  string
	root *os.Root
	// What the last state put there, and when it was complete.
	files map[string]laid
	dirs  map[string]fs.FileMode
	done  time.Time
}

// laid is a file or link as it was written.
type laid struct {
	id   object.ID
	mode fs.FileMode
	info fs.FileInfo
}

// clockTick is how coarse the times of a file system may be: a file that was written
// so shortly before is known by its bytes alone.
const clockTick = 20 * time.Millisecond

func (r *Repo) newScratch() (*scratch, error) {
	dir, err := os.MkdirTemp("", "chordgit-bisect-")
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	return &scratch{r: r, dir: dir, root: root, files: map[string]laid{}, dirs: map[string]fs.FileMode{}}, nil
}

// remove removes the directory with everything in it.
func (s *scratch) remove() error {
	_ = s.root.Close()
	err := os.RemoveAll(s.dir)
	if errors.Is(err, fs.ErrPermission) {
		// A program may have left directories that cannot be changed.
		_ = filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, _ error) error {
			if e != nil && e.IsDir() {
				_ = os.Chmod(name, 0o700)
			}
			return nil
		})
		err = os.RemoveAll(s.dir)
	}
	return err
}

// write makes the directory what the worktree was at one end of a turn: bytes,
// permissions, links and empty directories of everything that was stored. Only
// what is not so already is written.
func (s *scratch) write(side *side) error {
	want := map[string]laid{}
	m := side.t.meta
	err := object.WalkFiles(s.r.db, side.root, func(p string, e object.Entry) {
		switch e.Mode {
		case object.Gitlink:
		case object.Symlink:
			want[p] = laid{id: e.ID, mode: fs.ModeSymlink}
		default:
			want[p] = laid{id: e.ID, mode: m.mode(p, e.Mode&0o100 != 0, side.after).Perm()}
		}
	})
	if err != nil {
		return damaged(side.t.N, err)
	}
	empty := m.EmptyDirs.start()
	if side.after {
		empty = m.EmptyDirs.finish()
	}
	dirs := map[string]fs.FileMode{}
	for p := range want {
		s.above(dirs, side, parent(p))
	}
	for _, p := range empty {
		s.above(dirs, side, p)
	}
	if err := s.clear(want, dirs); err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(dirs)) {
		if err := s.mkdir(p); err != nil {
			return err
		}
	}
	for _, p := range slices.Sorted(maps.Keys(want)) {
		if err := s.file(p, want[p]); err != nil {
			return err
		}
	}
	for _, p := range slices.Backward(slices.Sorted(maps.Keys(dirs))) {
		if err := s.root.Chmod(p, dirs[p]); err != nil {
			return err
		}
	}
	s.dirs, s.done = dirs, time.Now()
	return nil
}

// above notes a directory and those above it with their permissions. The owner
// can always enter: the directory will be removed again.
func (s *scratch) above(dirs map[string]fs.FileMode, side *side, p string) {
	for ; p != "."; p = parent(p) {
		if _, ok := dirs[p]; ok {
			return
		}
		mode := side.t.meta.dirMode(pathcode.Encode(p)+"/", side.after).Perm()
		if mode == 0 {
			mode = 0o755
		}
		dirs[p] = mode | 0o700
	}
}

// clear removes what the last state has and this one has not. A directory goes
// if nothing else is in it.
func (s *scratch) clear(want map[string]laid, dirs map[string]fs.FileMode) error {
	for _, p := range slices.Sorted(maps.Keys(s.dirs)) {
		if info, err := s.root.Lstat(p); err == nil && info.IsDir() {
			if err := s.root.Chmod(p, info.Mode().Perm()|0o700); err != nil {
				return err
			}
		}
	}
	for p := range s.files {
		if _, ok := want[p]; ok {
			continue
		}
		delete(s.files, p)
		// A link above it, or a file, is not the state's: nothing is behind it.
		if there, err := s.real(parent(p)); err != nil || !there {
			continue
		}
		if err := s.root.RemoveAll(p); err != nil {
			return err
		}
	}
	for _, p := range slices.Backward(slices.Sorted(maps.Keys(s.dirs))) {
		if _, ok := dirs[p]; !ok {
			_ = s.root.Remove(p) // one that is not empty stays
		}
	}
	return nil
}

// real reports whether a path is a directory and all above it are, no links.
func (s *scratch) real(p string) (bool, error) {
	at := ""
	for name := range strings.SplitSeq(p, "/") {
		at = strings.TrimPrefix(at+"/"+name, "/")
		info, err := s.root.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil || !info.IsDir() {
			return false, err
		}
	}
	return true, nil
}

// mkdir makes a directory whose parent is one, in the place of whatever else a
// program put there.
func (s *scratch) mkdir(p string) error {
	info, err := s.root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return nil
	default:
		if err := s.root.Remove(p); err != nil {
			return err
		}
	}
	return s.root.Mkdir(p, 0o700)
}

// file writes a file or link, if it is not there as it was written before.
func (s *scratch) file(p string, f laid) error {
	if was, ok := s.files[p]; ok && was.id == f.id && was.mode == f.mode && s.intact(p, was) {
		return nil
	}
	delete(s.files, p)
	if err := s.root.RemoveAll(p); err != nil {
		return err
	}
	var err error
	if f.mode&fs.ModeSymlink != 0 {
		var target []byte
		if target, err = s.r.db.ReadAs(object.Blob, f.id); err == nil {
			err = s.root.Symlink(string(target), p)
		}
	} else {
		err = s.copy(p, f)
	}
	if err != nil {
		return err
	}
	if f.info, err = s.root.Lstat(p); err != nil {
		return err
	}
	s.files[p] = f
	return nil
}

func (s *scratch) copy(p string, f laid) error {
	in, err := s.r.db.Reader(f.id)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := s.root.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(f.mode), out.Close())
}

// intact reports whether nobody has touched a file since it was written.
func (s *scratch) intact(p string, was laid) bool {
	info, err := s.root.Lstat(p)
	if err != nil || !os.SameFile(info, was.info) || info.Mode() != was.info.Mode() || info.Size() != was.info.Size() || !info.ModTime().Equal(was.info.ModTime()) {
		return false
	}
	if !info.Mode().IsRegular() || was.info.ModTime().Before(s.done.Add(-clockTick)) {
		return true
	}
	in, err := s.root.Open(p)
	if err != nil {
		return false
	}
	defer in.Close()
	id, err := store{s.r.db}.ID(in, info.Size())
	return err == nil && id == was.id.String()
}

// link puts a link to a directory of the worktree where no state has anything.
func (s *scratch) link(p string) error {
	for _, up := range prefixes(parent(p)) {
		if err := s.mkdir(up); err != nil {
			return err
		}
	}
	to := filepath.Join(s.r.layout.Top, filepath.FromSlash(p))
	if info, err := s.root.Lstat(p); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if now, err := s.root.Readlink(p); err == nil && now == to {
			return nil
		}
	}
	if err := s.root.RemoveAll(p); err != nil {
		return err
	}
	return s.root.Symlink(to, p)
}

// prefixes are a path and the directories above it, the outermost first.
func prefixes(p string) (list []string) {
	for ; p != "."; p = parent(p) {
		list = append(list, p)
	}
	slices.Reverse(list)
	return list
}
