package gitops

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// comparedMost is the size in bytes up to which a change made meanwhile is told
// by its lines.
const comparedMost = 64 << 20

// Meanwhile implements [edit.Tree] for the session's open turn. What the agent
// can have seen of a path is what stood there when the turn began, what the
// session's own applies and edit calls wrote since, and what a logged read
// showed. Text that an apply fitted into what somebody else had changed does not
// show that change. What nobody knows of the begin counts as seen, unless the file was
// changed since.
func (t tree) Meanwhile(path string, now *edit.File) (*edit.Meanwhile, error) {
	if t.watch == nil {
		return nil, nil
	}
	s := &sight{watch: t.watch, path: path, now: now}
	seen, err := s.contents()
	if err != nil || seen {
		return nil, err
	}
	log, err := t.watch.calls()
	if err != nil || s.called(log) {
		return nil, err
	}
	m := &edit.Meanwhile{Seen: s.newest, Logged: log.reads, Told: s.told, Old: s.carried}
	t.r.loadSeen(m.Seen)
	t.r.loadSeen(m.Told)
	return m, nil
}

// loadSeen reads the bytes of a text whose lines may be compared.
func (r *Repo) loadSeen(f *edit.File) {
	if f.Regular() && f.Data == nil && f.Stat.Size <= comparedMost {
		f.Data = r.Content(f)
	}
}

// A watch is an open turn, with what a plan has asked of it so far: nothing is
// read before it is needed, and nothing twice.
type watch struct {
	r    *Repo
	open *Turn

	start   func() (*side, error)
	proof   func() (*proof, error)
	applies func() ([]*side, error) // what the session's applies wrote, newest first
	calls   func() (*callLog, error)
}

// watch is nil for no turn.
func (r *Repo) watch(open *Turn) *watch {
	if open == nil {
		return nil
	}
	w := &watch{r: r, open: open}
	w.start = sync.OnceValues(func() (*side, error) {
		s, err := r.side(open, "before")
		if err != nil {
			return nil, damaged(open.N, err)
		}
		return s, nil
	})
	w.proof = sync.OnceValues(func() (*proof, error) {
		s, err := w.start()
		if err != nil {
			return nil, err
		}
		return open.meta.proof(s), nil
	})
	w.applies = sync.OnceValues(func() ([]*side, error) { return r.written(open) })
	w.calls = sync.OnceValues(func() (*callLog, error) { return r.callsOf(open.Session) })
	return w
}

// written lists the results of the applies inside an open turn, newest first.
func (r *Repo) written(open *Turn) (list []*side, err error) {
	for t, err := range r.Turns() {
		if err != nil {
			continue // named by whoever lists the turns
		}
		if t.N < open.N {
			break
		}
		if t.Kind != KindApply || t.Parent != open.N {
			continue
		}
		after, err := r.side(t, "after")
		if err != nil {
			return nil, damaged(t.N, err)
		}
		list = append(list, after)
	}
	return list, nil
}

// A sight is one path in the eyes of an open turn's agent.
type sight struct {
	*watch
	path   string
	now    *edit.File
	newest *edit.File // the newest content known to have been seen; zero: none is
	// carried says that an apply of the session wrote what stands there, and with it
	// what somebody else had written.
	carried bool
	told    *edit.File // the newest content that such an apply wrote, newer than any that was seen
}

// contents reports whether what stands at the path now is recorded as what was
// there at the begin, or as written by an apply of the session since.
func (s *sight) contents() (bool, error) {
	id, err := s.id()
	if err != nil {
		return false, err
	}
	before, known, err := s.before()
	if err != nil {
		return false, err
	}
	s.newest = before
	if !known {
		s.newest = &edit.File{}
		if at, ok := s.changed(); !ok || at < s.open.meta.Scans.Before.Ended {
			return true, nil
		}
	} else if s.is(before, id) {
		return true, nil
	}
	applies, err := s.applies()
	if err != nil {
		return false, err
	}
	var onto []*side // the applies, newest first, that wrote into what was not seen
	wrote := false
	for _, after := range applies {
		if !slices.Contains(after.t.Paths, s.path) {
			continue
		}
		f, err := after.file(s.path)
		if err != nil {
			return false, damaged(after.t.N, err)
		}
		unseen := slices.Contains(after.t.meta.Unseen, pathcode.Encode(s.path))
		switch {
		case s.is(f, id) && !unseen:
			return true, nil
		case s.is(f, id):
			s.carried = true
		}
		switch {
		case wrote:
		case unseen:
			if onto = append(onto, after); s.told == nil {
				s.told = f
			}
		default:
			s.newest, wrote = f, true
		}
	}
	for _, after := range slices.Backward(onto) {
		if err := s.fit(after); err != nil {
			return false, err
		}
	}
	return false, nil
}

// fit puts what an apply wrote into content that was not seen on top of the newest
// that was, so that what differs from it is somebody else's alone. Where that is no
// text, nobody knows.
func (s *sight) fit(after *side) error {
	before, err := s.r.side(after.t, "before")
	if err != nil {
		return damaged(after.t.N, err)
	}
	was, err1 := before.file(s.path)
	wrote, err2 := after.file(s.path)
	if err := errors.Join(err1, err2); err != nil {
		return damaged(after.t.N, err)
	}
	seen := s.newest
	s.newest = &edit.File{}
	for _, f := range []*edit.File{was, wrote, seen} {
		if s.r.loadSeen(f); f == nil || f.Data == nil || !f.Regular() {
			return nil
		}
	}
	text, conflicts, err := edit.Merge(was.Data, wrote.Data, seen.Data)
	if err == nil && len(conflicts) == 0 {
		s.newest = &edit.File{Mode: wrote.Mode, Data: text, Stat: edit.Stat{Size: int64(len(text))}}
	}
	return nil
}

// before is what stood at the path when the turn began; known is false where
// that was not recorded.
func (s *sight) before() (f *edit.File, known bool, err error) {
	side, err := s.start()
	if err != nil {
		return nil, false, err
	}
	if f, err = side.file(s.path); err != nil {
		return nil, false, damaged(s.open.N, err)
	}
	e, there, err := side.entry(s.path)
	if err != nil || f != nil || there && e.Mode.IsDir() {
		return f, true, err
	}
	proof, err := s.proof()
	if err != nil {
		return nil, false, err
	}
	absent, err := proof.absent(s.path)
	return nil, absent, err
}

// is reports whether what stands at the path is a file that was seen. The bytes
// count, not the permissions.
func (s *sight) is(seen *edit.File, id string) bool {
	if seen == nil || s.now == nil {
		return seen == nil && s.now == nil
	}
	return seen.IsLink() == s.now.IsLink() && seen.ID == id
}

// id names the bytes that stand at the path, as the store does. It is empty for
// what is stored never.
func (s *sight) id() (string, error) {
	f := s.now
	switch {
	case f == nil:
		return "", nil
	case f.Data != nil || f.IsLink():
		return s.r.db.Format().Hash(object.Blob, f.Data).String(), nil
	case !f.Regular():
		return "", nil
	}
	in, err := s.r.tree.Open(s.path, f)
	if err != nil {
		return "", err
	}
	id, err := store{s.r.db}.ID(in, f.Stat.Size)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = &edit.Error{Code: edit.Stale, Path: s.path, Msg: "changed after planning (content)"}
	}
	return id, errors.Join(err, in.Close())
}

// changed is when the path was changed last, by the file system's clock; false
// if nothing is there.
func (s *sight) changed() (int64, bool) {
	if s.now == nil {
		return 0, false
	}
	return cmp.Or(s.now.Stat.Ctime, s.now.Stat.Mtime), true
}

// called reports whether, by the log of the session's calls, an edit of the path
// made the last change, or a read showed it. An edit shows no more than what it
// wrote: not where an apply fitted it into what somebody else had changed. A read that began in the same tick
// of the clock may have come before.
func (s *sight) called(log *callLog) bool {
	at, ok := s.changed()
	return ok && slices.ContainsFunc(log.calls, func(c loggedCall) bool {
		switch {
		case !slices.Contains(c.Paths, s.path):
			return false
		case c.Kind == CallEdit:
			return !s.carried && c.start <= at && at <= c.end
		}
		return c.Kind == CallRead && c.start > at && c.end != never
	})
}
