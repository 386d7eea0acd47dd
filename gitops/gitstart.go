package gitops

import (
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/durable"
	"github.com/chordgit/chordgit/gitops/internal/ref"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// A gitStart is git's own state when a turn began. It is taken before the files
// are looked at and compared after they were looked at again, so that a file
// that git wrote in between never counts as the turn's.
type gitStart struct {
	Log       ref.LogMark `json:"log"` // of HEAD
	Operation string      `json:"operation,omitempty"`
	Index     indexMark   `json:"index"`
	Stash     []stashed   `json:"stash"` // nil: not known

	head metaHead
	refs map[string]string // in a member of its own
}

// An indexMark tells whether the index that was kept is still what it was: a
// program that writes the index in place changes the kept one, too.
type indexMark struct {
	Absent bool   `json:"absent,omitempty"` // there was none, as in a new repository
	Size   int64  `json:"size,omitempty"`
	Mtime  int64  `json:"mtime,omitempty"` // nanoseconds
	Sum    string `json:"sum,omitempty"`   // its last bytes, in which git has its checksum
}

// indexKept is where the index of the start of a session's open turn is.
func (r *Repo) indexKept(session string) string {
	return strings.TrimSuffix(r.sessionFile(session), ".json") + ".index"
}

func (r *Repo) headLog() string { return ref.LogFile(r.layout.GitDir, r.layout.CommonDir, "HEAD") }

// gitStart notes git's state for a turn of a session that is about to begin.
func (r *Repo) gitStart(session string) (*gitStart, error) {
	s := &gitStart{Operation: r.layout.Operation()}
	var err error
	if s.head, err = r.head(); err != nil {
		return nil, err
	}
	if s.Log, err = ref.MarkLog(r.headLog()); err != nil {
		return nil, trouble(edit.Unreadable, "the reflog of HEAD cannot be read", err)
	}
	if s.refs, err = r.userRefs(); err != nil {
		return nil, err
	}
	if s.Stash, err = r.stashes(); err != nil {
		return nil, err
	}
	if s.Index, err = r.keepIndex(r.indexKept(session)); err != nil {
		return nil, trouble(edit.CommitFailed, "the index cannot be kept", err)
	}
	return s, nil
}

// keepIndex gives the index another name, under which it stays when git replaces
// it by renaming another file over it. Where there are no hard links it is
// copied.
func (r *Repo) keepIndex(name string) (indexMark, error) {
	index := r.layout.IndexFile()
	if err := r.layout.Perm().MkdirAll(filepath.Dir(name), true); err != nil {
		return indexMark{}, err
	}
	// Of two names of one file a rename keeps both, so the old one goes first.
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return indexMark{}, err
	}
	info, err := os.Lstat(index)
	if errors.Is(err, fs.ErrNotExist) {
		return indexMark{Absent: true}, nil
	}
	if err == nil && (!info.Mode().IsRegular() || os.Link(index, name) != nil) {
		err = r.copyIndex(index, name)
	}
	if err != nil {
		return indexMark{}, err
	}
	return markIndex(name)
}

func (r *Repo) copyIndex(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a link to nothing, or gone since: read as none
	}
	if err != nil {
		return err
	}
	defer in.Close()
	perm := r.layout.Perm()
	f, err := durable.CreateTemp(filepath.Dir(to), "tmp_index_", 0o666, perm)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, in); err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}
	return durable.Place(f, to, 0o666, perm, true)
}

// markIndex tells what a kept index is now.
func markIndex(name string) (indexMark, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return indexMark{Absent: true}, nil
	}
	if err != nil {
		return indexMark{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return indexMark{}, err
	}
	tail := make([]byte, min(info.Size(), 32))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && err != io.EOF {
		return indexMark{}, err
	}
	return indexMark{Size: info.Size(), Mtime: info.ModTime().UnixNano(), Sum: hex.EncodeToString(tail)}, nil
}

// startIndex reads the index that was kept; it must be given back by Close. Known
// is false if it is not what it was at the start, or cannot be read. Same: no
// other index has taken its place since.
func (r *Repo) startIndex(session string, mark indexMark) (x *repo.Index, same, known bool) {
	name := r.indexKept(session)
	if now, err := markIndex(name); err != nil || now != mark {
		return &repo.Index{}, false, false
	}
	kept, err1 := os.Stat(name)
	now, err2 := os.Stat(r.layout.IndexFile())
	if mark.Absent {
		return &repo.Index{}, errors.Is(err2, fs.ErrNotExist), true
	}
	x, err := r.layout.WithIndex(name).Index()
	if err != nil {
		return &repo.Index{}, false, false
	}
	return x, err1 == nil && err2 == nil && os.SameFile(kept, now), true
}
