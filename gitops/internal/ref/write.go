package ref

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/durable"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

const (
	lockWait  = time.Second // as git's core.packedRefsTimeout
	lockPause = 5 * time.Millisecond
)

// Create gives birth to a ref: its lock file is made as git makes it, filled
// and synced, and becomes the ref only if no ref of that name exists, loose or
// packed. It is durable when Create returns nil. ErrExists and ErrLocked mean
// that nothing was changed.
func (s *Store) Create(name string, id object.ID) (err error) {
	if !ValidName(name) || id.IsZero() {
		return fmt.Errorf("%q: %w", name, ErrName)
	}
	if id.Format() != s.Format {
		return named(name, &object.Error{ID: id, Err: object.ErrFormat})
	}
	end, err := s.begin()
	if err != nil {
		return named(name, err)
	}
	defer end()
	file := s.path(name)
	lock, err := s.lock(file)
	if err != nil {
		return named(name, err)
	}
	stands := false
	defer func() {
		if !stands {
			lock.remove()
		}
	}()
	if _, err := lock.WriteString(id.String() + "\n"); err != nil {
		return named(name, err)
	}
	if err := s.sync(lock.File); err != nil {
		return named(name, err)
	}
	// Checked under the lock: from here on git does not make it either.
	if err := s.free(name); err != nil {
		return named(name, err)
	}
	if err := lock.become(file); err != nil {
		return named(name, err)
	}
	stands = true
	// The ref stands. If its directory cannot be synced it goes again, so that
	// the caller, told of an error, has none.
	if err := s.syncDir(filepath.Dir(file)); err != nil {
		os.Remove(file)
		return named(name, err)
	}
	return nil
}

// free reports whether a new ref may have this name, the rule of git's
// refs_verify_refname_available among others: a name is a ref or a directory.
func (s *Store) free(name string) error {
	switch info, err := os.Lstat(s.path(name)); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.IsDir():
		return ErrExists
	case removeEmpty(s.path(name)) != nil:
		return ErrExists
	}
	for i := len("refs/"); i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		if _, err := s.readPacked(name[:i]); err == nil {
			return ErrExists
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	below := false
	err := s.eachPacked(name+"/", func(Ref) bool { below = true; return false })
	if err == nil && below {
		err = ErrExists
	}
	return err
}

// removeEmpty removes a directory that holds nothing but empty ones, which
// pack-refs and deletions leave behind.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if err := removeEmpty(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if err != nil { // a file among them
		return err
	}
	return os.Remove(dir)
}

// lock makes file.lock, waiting for its holder up to a second, and the
// directories above it again if `git pack-refs` removes them as empty.
func (s *Store) lock(file string) (*held, error) {
	deadline := time.Now().Add(lockWait)
	for {
		f, err := s.create(file + ".lock")
		switch {
		case err == nil:
			if err := s.Perm.Fix(f.Name()); err != nil {
				f.remove()
				return nil, err
			}
			return f, nil
		case errors.Is(err, fs.ErrNotExist):
			if err := s.Perm.MkdirAll(filepath.Dir(file), s.NoSync); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		default:
			time.Sleep(lockPause)
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%w by %s.lock; if no git is at work, a git that was killed has left it: remove it", ErrLocked, file)
		}
	}
}

func (s *Store) sync(f *os.File) error {
	if s.NoSync {
		return nil
	}
	return f.Sync()
}

func (s *Store) syncDir(dir string) error {
	if s.NoSync {
		return nil
	}
	return durable.SyncDir(dir)
}

// Remove takes a ref away if it still names this object, as git's
// refs/files-backend does: under its own lock and that of packed-refs, the
// packed entry first, so that it cannot come to light again when the loose
// file goes. Without the lock of packed-refs a `git pack-refs` at work would
// bring the ref back.
func (s *Store) Remove(name string, id object.ID) error {
	if !ValidName(name) {
		return fmt.Errorf("%q: %w", name, ErrName)
	}
	end, err := s.begin()
	if err != nil {
		return named(name, err)
	}
	defer end()
	file := s.path(name)
	lock, err := s.lock(file)
	if err != nil {
		return named(name, err)
	}
	defer lock.remove()
	got, target, err := s.readLoose(name)
	loose := err == nil
	if errors.Is(err, ErrNotFound) {
		got, err = s.readPacked(name)
	}
	switch {
	case err != nil:
		return named(name, err)
	case target != "" || got != id:
		return named(name, ErrChanged)
	}
	unlock, err := s.removePacked(name)
	if err != nil {
		return named(name, err)
	}
	defer unlock()
	if !loose {
		return nil
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return named(name, err)
	}
	return named(name, s.syncDir(filepath.Dir(file)))
}

// removePacked takes an entry out of packed-refs and keeps the file locked
// until unlock is called. Nothing else in the file is changed.
func (s *Store) removePacked(name string) (unlock func(), err error) {
	file := s.packedFile()
	lock, err := s.lock(file)
	if err != nil {
		return nil, err
	}
	unlock = lock.remove
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	if _, err := s.readPacked(name); errors.Is(err, ErrNotFound) {
		return unlock, nil
	} else if err != nil {
		return nil, err
	}
	old, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return unlock, s.replace(file, without(old, name))
}

// replace writes packed-refs.new, git's name for it, and renames it.
func (s *Store) replace(file string, data []byte) (err error) {
	f, err := s.create(file + ".new")
	if err != nil {
		return err
	}
	placed := false
	defer func() {
		if !placed {
			f.remove()
		}
	}()
	if err := s.Perm.Fix(f.Name()); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := s.sync(f.File); err != nil {
		return err
	}
	s.step("packed-refs")
	if err := f.become(file); err != nil {
		return err
	}
	placed = true
	return s.syncDir(filepath.Dir(file))
}

// without drops a ref's line and the ^ line that belongs to it.
func without(packed []byte, name string) []byte {
	out := make([]byte, 0, len(packed))
	dropped := false
	for len(packed) > 0 {
		end := bytes.IndexByte(packed, '\n') + 1
		if end == 0 {
			end = len(packed)
		}
		line := packed[:end]
		packed = packed[end:]
		if line[0] == '^' && dropped {
			continue
		}
		r, ok := parsePacked(strings.TrimSuffix(string(line), "\n"))
		if dropped = ok && r.Name == name; !dropped {
			out = append(out, line...)
		}
	}
	return out
}
