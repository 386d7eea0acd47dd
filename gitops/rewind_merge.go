package gitops

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// merge takes the turn's own change back in a file that somebody changed since:
// what is there now, with what leads from the turn's end to its start.
func (p *rewinder) merge(path string, s *step) error {
	if s.before.ID == s.after.ID { // the turn changed permissions alone
		if s.now.Mode != s.after.Mode {
			s.nothing, s.note = true, "its permissions changed since and stay"
			return nil
		}
		kept := *s.now
		kept.Mode = s.before.Mode
		s.target = &kept
		return nil
	}
	merged, why, lines, err := p.merged(path, s.after, s.now, s.before)
	if err != nil {
		return err
	}
	if why != "" {
		s.lines = lines
		p.conflict(s, why)
		if s.why == "overlap" {
			now, err1 := p.content(path, s.now)
			after, err2 := p.content(path, s.after)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			if edit.OnlyLineEndings(after, now) {
				s.note = "only its line ends changed since, in every line"
			}
		}
		return nil
	}
	now, err := p.content(path, s.now)
	if err != nil {
		return err
	}
	if bytes.Equal(merged, now) && (s.now.Mode != s.after.Mode || s.now.Mode == s.before.Mode) {
		s.nothing = true // what the turn did is gone from what is there
		return nil
	}
	if s.target, err = p.text(s.before.Mode, merged); err != nil {
		return err
	}
	s.how = "merged"
	if s.now.Mode != s.after.Mode {
		s.target.Mode, s.note = s.now.Mode, "its permissions changed since and stay"
	}
	return nil
}

// merged merges three texts; why is the conflict if they cannot be.
func (p *rewinder) merged(path string, base, ours, theirs *edit.File) (text []byte, why string, lines []int, err error) {
	for _, f := range []*edit.File{base, ours, theirs} {
		if f.Stat.Size > mergeLimit {
			return nil, "binary", nil, nil
		}
	}
	var texts [3][]byte
	for i, f := range []*edit.File{base, ours, theirs} {
		if texts[i], err = p.content(path, f); err != nil {
			return nil, "", nil, err
		}
	}
	text, conflicts, err := edit.Merge(texts[0], texts[1], texts[2])
	if err != nil {
		return nil, "binary", nil, nil //nolint:nilerr // no text, or too much of it
	}
	for _, c := range conflicts {
		for line := c.First; line <= max(c.Last, c.First); line++ {
			lines = append(lines, line)
		}
	}
	if len(conflicts) > 0 {
		return nil, "overlap", lines, nil
	}
	if ours.Data == nil && p.batch == nil {
		ours.Data = texts[1] // for who shows the plan
	}
	if text == nil {
		text = []byte{}
	}
	return text, "", nil, nil
}

// text is a file with a merged text.
func (p *rewinder) text(mode fs.FileMode, data []byte) (*edit.File, error) {
	f := &edit.File{Mode: mode, Data: data, Stat: edit.Stat{Size: int64(len(data))}}
	if p.batch == nil {
		return f, nil
	}
	id, err := p.batch.Blob(data)
	if err != nil {
		return nil, unrecorded(err)
	}
	f.Data, f.ID = nil, id.String()
	return f, nil
}

// mergeLimit is the size in bytes above which files are not merged.
const mergeLimit = 32 << 20

// content reads a file of a plan, of the disk or of the store.
func (p *rewinder) content(path string, f *edit.File) ([]byte, error) {
	if f.Data != nil {
		return f.Data, nil
	}
	if f.Stat.Ino == 0 && f.ID != "" {
		id, _ := object.ParseID(f.ID)
		var from object.Reading = p.r.db
		if p.batch != nil {
			from = p.batch
		}
		data, err := from.ReadAs(object.Blob, id)
		if err != nil {
			return nil, damaged(p.d.turn.N, err)
		}
		return data, nil
	}
	in, err := p.r.tree.Open(path, f)
	if err != nil {
		return nil, &edit.Error{Code: edit.Unreadable, Path: path, Err: err}
	}
	defer in.Close()
	return io.ReadAll(in)
}

// renames lets changes of a moved file follow it home.
func (p *rewinder) renames(changes []edit.Change) error {
	for _, c := range changes {
		if c.From == "" || p.steps[c.From] == nil {
			continue
		}
		old, moved := p.steps[c.From], p.steps[c.Path]
		if old.left != "" || moved.left != "" || moved.why != "edited since" || old.stays() || old.now != nil ||
			!moved.now.Regular() || !moved.after.Regular() || !old.before.Regular() {
			continue
		}
		text, why, lines, err := p.merged(c.Path, moved.after, moved.now, old.before)
		if err != nil {
			return err
		}
		if why != "" {
			moved.why, moved.lines = why, lines
			continue
		}
		moved.why, moved.target, moved.nothing = "", nil, false
		old.how, old.nothing = "merged", false
		if old.target, err = p.text(old.before.Mode, text); err != nil {
			return err
		}
		p.notes = append(p.notes, edit.Note{Code: "merged", Path: c.From, Msg: "changes made to " + edit.Quote(c.Path) + " since went with it"})
	}
	return nil
}

// same reports whether what is at a path has the kind and bytes of a stored
// file. If so it gets its ID; an ID of bytes that nobody stored would keep a
// record from storing them.
func (r *Repo) same(path string, now, stored *edit.File) (bool, error) {
	if now == nil || stored == nil {
		return now == nil && stored == nil, nil
	}
	if now.Mode.Type() != stored.Mode.Type() || !now.Regular() && !now.IsLink() {
		return false, nil
	}
	if now.IsLink() {
		return string(now.Data) == string(stored.Data), nil
	}
	if now.ID == "" && now.Data != nil { // of an earlier step
		return r.db.Format().Hash(object.Blob, now.Data).String() == stored.ID, nil
	}
	if now.Stat.Size != stored.Stat.Size {
		return false, nil
	}
	if now.ID == "" {
		in, err := r.tree.Open(path, now)
		if err != nil {
			return false, &edit.Error{Code: edit.Unreadable, Path: path, Err: err}
		}
		id, err := store{r.db}.ID(in, now.Stat.Size)
		in.Close()
		if err != nil {
			return false, &edit.Error{Code: edit.Unreadable, Path: path, Err: err}
		}
		if id == stored.ID {
			now.ID = id
		}
		return id == stored.ID, nil
	}
	return now.ID == stored.ID, nil
}
