package gitstate

import (
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/durable"
	"github.com/chordgit/chordgit/gitops/internal/ref"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// A Start is git's own state when a turn began. It is taken before the files
// are looked at and compared after they were looked at again, so that a file
// that git wrote in between never counts as the turn's. Its JSON stands in the
// state of the turn's session.
type Start struct {
	Log       ref.LogMark `json:"log"` // of HEAD
	Operation string      `json:"operation,omitempty"`
	Index     indexMark   `json:"index"`
	Stash     []Stash     `json:"stash"` // nil: not known
	Sparse    bool        `json:"sparse,omitempty"`

	// What is kept elsewhere. Kept is the file that the index was kept as. Of one
	// that was not Noted, because its begin died before, no more is known than Head
	// and Refs.
	Head  Head              `json:"-"`
	Refs  map[string]string `json:"-"` // as UserRefs; nil: not known
	Kept  string            `json:"-"`
	Noted bool              `json:"-"`
}

// An indexMark tells whether the index that was kept is still what it was: a
// program that writes the index in place changes the kept one, too.
type indexMark struct {
	Absent bool   `json:"absent,omitempty"` // there was none, as in a new repository
	Size   int64  `json:"size,omitempty"`
	Mtime  int64  `json:"mtime,omitempty"` // nanoseconds
	Sum    string `json:"sum,omitempty"`   // its last bytes, in which git has its checksum
}

// headLog is the file of HEAD's reflog.
func headLog(l *repo.Layout) string { return ref.LogFile(l.GitDir, l.CommonDir, "HEAD") }

// Start notes git's state for a turn that is about to begin, and keeps the index as
// a file of the given name, which it replaces. Errors: Damaged if HEAD or the refs,
// Unreadable if a reflog or the stashes cannot be read, CommitFailed if the index
// cannot be kept.
func (st *State) Start(kept string) (*Start, error) {
	s := &Start{Operation: st.Layout.Operation(), Sparse: st.Layout.Sparse(), Kept: kept, Noted: true}
	var err error
	if s.Head, err = st.Head(); err != nil {
		return nil, err
	}
	if s.Log, err = ref.MarkLog(headLog(st.Layout)); err != nil {
		return nil, logUnreadable(err)
	}
	if s.Refs, err = st.UserRefs(); err != nil {
		return nil, err
	}
	if s.Stash, err = st.stashes(); err != nil {
		return nil, err
	}
	if s.Index, err = st.keepIndex(kept); err != nil {
		return nil, &edit.Error{Code: edit.CommitFailed, Msg: "the index cannot be kept", Err: err}
	}
	return s, nil
}

func logUnreadable(err error) error {
	return &edit.Error{Code: edit.Unreadable, Msg: "the reflog of HEAD cannot be read", Err: err}
}

// keepIndex gives the index another name, under which it stays when git replaces
// it by renaming another file over it. Where there are no hard links it is
// copied.
func (st *State) keepIndex(name string) (indexMark, error) {
	index := st.Layout.IndexFile()
	if err := st.Layout.Perm().MkdirAll(filepath.Dir(name), true); err != nil {
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
		err = st.copyIndex(index, name)
	}
	if err != nil {
		return indexMark{}, err
	}
	return markIndex(name)
}

func (st *State) copyIndex(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a link to nothing, or gone since: read as none
	}
	if err != nil {
		return err
	}
	defer in.Close()
	perm := st.Layout.Perm()
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

// startIndex reads the index that was kept; it must be given back by Close. Nil: it
// is not what it was at the start, or cannot be read. Same: no other index has taken
// its place since.
func (st *State) startIndex(start *Start) (x *repo.Index, same bool) {
	mark := start.Index
	if now, err := markIndex(start.Kept); err != nil || now != mark {
		return nil, false
	}
	kept, err1 := os.Stat(start.Kept)
	now, err2 := os.Stat(st.Layout.IndexFile())
	if mark.Absent {
		return &repo.Index{}, errors.Is(err2, fs.ErrNotExist)
	}
	x, err := st.Layout.WithIndex(start.Kept).Index()
	if err != nil {
		return nil, false
	}
	return x, err1 == nil && err2 == nil && os.SameFile(kept, now)
}
