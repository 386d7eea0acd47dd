package snapshot

import (
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// A Survey looks at many paths of a worktree, for a plan: directories stay open
// from one path to the next, which takes half the time where the paths come
// sorted. Should one be moved away meanwhile, the survey tells what is in it all
// the same; the transaction that carries out the plan looks again. It is for one
// goroutine, and must be closed.
type Survey struct {
	w  *Worktree
	ds *dirs
}

// Survey begins to look at paths.
func (w *Worktree) Survey() *Survey {
	return &Survey{w, w.exactDirs()}
}

// Close gives the directories back.
func (s *Survey) Close() { s.ds.close() }

// Lookup is [Worktree.Lookup].
func (s *Survey) Lookup(p string) (*edit.File, error) {
	s.leave(p)
	return s.ds.lookup(p)
}

// ID returns the object id of a regular file that Lookup returned, by
// [Options.Store], and whether a program can still write to it. Errors are those
// of [Worktree.Open].
func (s *Survey) ID(p string, f *edit.File) (id string, inUse bool, err error) {
	s.leave(p)
	in, err := s.ds.openSteady(p, f)
	if err != nil {
		return "", false, err
	}
	defer in.Close()
	inUse = beingWritten(in.file)
	id, err = s.w.opt.Store.ID(in, f.Stat.Size)
	return id, inUse, err
}

// leave closes the directories that are not above a path.
func (s *Survey) leave(p string) {
	for name, d := range s.ds.all {
		if !strings.HasPrefix(p, name) || len(p) <= len(name) || p[len(name)] != '/' {
			s.ds.forget(name, d)
		}
	}
}
