package edit

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/invisible"
)

// A run is one operation being carried out in the picture.
type run struct {
	*planner
	op      *Op
	target  target
	path    string // where the file is, then where it went
	number  int    // of the operation, 1-based
	notes   []Note
	outcome Outcome
	bones   *skeleton // of the text that was searched in vain last
}

func fail(code Code, format string, args ...any) Errors {
	return Errors{{Code: code, Msg: fmt.Sprintf(format, args...)}}
}

// do changes the picture by one operation, or says why not.
func (r *run) do() Errors {
	n := r.picture[r.path]
	if n == nil && r.sparse[r.path] {
		return fail(Missing, "file not found: the path lies outside the sparse checkout")
	}
	for _, path := range r.target.paths() {
		if r.differs[path] {
			return Errors{{Code: IndexDiffers, Path: path, Msg: "the file on disk is not the one that the index has"}}
		}
	}
	if r.op.Unsupported != "" {
		return fail(Unsupported, "%s", r.op.Unsupported)
	}
	switch r.op.Kind {
	case Add:
		if r.op.Lazy {
			if errs := r.lazy(n); len(errs) > 0 {
				return errs
			}
		}
		if n != nil {
			return fail(Exists, "cannot add file that already exists")
		}
		if r.op.Binary != nil {
			return r.addBinary()
		}
		data, errs := r.whole(string(r.op.Content), nil)
		if len(errs) > 0 {
			return errs
		}
		r.create(data)
		return nil
	case Write:
		return r.write(n)
	case Block:
		return r.block(n)
	case Delete:
		if n == nil {
			return r.missing()
		}
		if errs := r.verify(n); len(errs) > 0 {
			return errs
		}
		delete(r.picture, r.path)
		return nil
	case Update:
		return r.update(n)
	case Replace:
		if r.op.InOrder {
			return r.replaceInOrder(n)
		}
		return r.replaceIn(n)
	case Insert:
		return r.insert(n)
	case Cell:
		return r.cell(n)
	case Diff:
		return r.diff(n)
	}
	return fail(Internal, "operation of unknown kind %d", r.op.Kind)
}

// whole returns the content of a file that is written as a whole: cleaned, and
// refused if it is not what a file can be. old is the text that it replaces.
func (r *run) whole(text string, old []byte) ([]byte, Errors) {
	if strings.Contains(text, "\x00") {
		return nil, fail(ControlCharacter, "the new text holds a NUL (U+0000)")
	}
	if errs := r.omissions(old); len(errs) > 0 {
		return nil, errs
	}
	text, removed := invisible.Clean(text, string(old), true)
	if text == "" && removed != nil {
		return nil, fail(OnlyInvisible, "the new text consists of characters that cannot be seen: %s", removed)
	}
	r.noteCleaned(removed)
	r.noteControl(invisible.Control(text))
	return []byte(text), nil
}

// noteCleaned says what was taken out of new text.
func (r *run) noteCleaned(removed invisible.Counts) {
	if len(removed) > 0 {
		r.note("cleaned", nil, "characters that cannot be seen were left out of the new text: %s", removed)
	}
}

// noteControl says which control characters new text has, and where.
func (r *run) noteControl(counts invisible.Counts, lines []int) {
	if len(counts) > 0 {
		r.note("control-characters", lines, "the new text holds control characters: %s", counts)
	}
}

func (r *run) note(code Code, lines []int, format string, args ...any) {
	r.notes = append(r.notes, Note{Code: code, Path: r.path, Op: r.number, Lines: lines, Msg: fmt.Sprintf(format, args...)})
}

// create puts a new file into the picture.
func (r *run) create(data []byte) { r.picture[r.path] = r.fresh(data) }

// fresh is a new file. One that takes the place of a file of the snapshot keeps
// its mode.
func (r *run) fresh(data []byte) *node {
	mode := 0o666 &^ r.opt.Umask
	if old := r.start[r.path]; old.Regular() {
		mode = old.Mode
	}
	return &node{mode: r.moded(mode), data: data}
}

// moded is a file's mode as the operation wants it. An exec bit comes with each
// read bit.
func (r *run) moded(mode fs.FileMode) fs.FileMode {
	switch {
	case r.op.Mode == 0:
		return mode
	case r.op.Mode&0o111 == 0:
		return mode &^ 0o111
	}
	return mode | mode&0o444>>2
}

func (r *run) update(n *node) Errors {
	if n == nil {
		return r.missing()
	}
	dest := r.target.dest.resolved
	if r.target.moves && r.picture[dest] != nil {
		return Errors{{Code: Exists, Path: dest, Msg: "cannot add file that already exists: it is the target of the move from " + Quote(r.path)}}
	}
	m := *n
	context := !slices.ContainsFunc(r.op.Hunks, func(h Hunk) bool { return h.changes() })
	if len(r.op.Hunks) > 0 {
		src, err := r.text(n)
		switch {
		case err != nil && err.Code != Unreadable && err.Code != Stale && context && r.target.moves:
			// Only the context cannot be checked; the move loses nothing.
			r.note("unchecked", nil, "the context was not checked: %s", err.Msg)
		case err != nil:
			return Errors{err}
		default:
			out, err := r.hunks(r.op, src)
			if err != nil {
				return Errors{err}
			}
			if errs := r.omissions(src.text); len(errs) > 0 {
				return errs
			}
			if !context {
				if err := r.store(&m, src, out); err != nil {
					return Errors{err}
				}
			}
		}
	}
	if e := r.control(); e != nil {
		return e
	}
	delete(r.picture, r.path)
	if r.target.moves {
		r.path = dest
	}
	r.picture[r.path] = &m
	return nil
}

// control refuses NULs in new text.
func (r *run) control() Errors {
	for i, h := range r.op.Hunks {
		for _, l := range h.Lines {
			if l.Kind == Added && strings.Contains(l.Text, "\x00") {
				return Errors{{Code: ControlCharacter, Hunk: i + 1, Of: len(r.op.Hunks), Msg: fmt.Sprintf("the new text of hunk %d holds a NUL (U+0000)", i+1)}}
			}
		}
	}
	for _, rep := range r.op.Replacements {
		if strings.Contains(rep.New, "\x00") {
			return fail(ControlCharacter, "the new text holds a NUL (U+0000)")
		}
	}
	return nil
}

func (r *run) replaceIn(n *node) Errors {
	if e := r.control(); e != nil {
		return e
	}
	first := r.op.Replacements[0]
	if !r.op.Batch && first.Old == first.New && first.Old != "" {
		return fail(Identical, "old_string and new_string are identical")
	}
	fills := first.Old == "" && len(r.op.Replacements) == 1
	if n == nil && fills {
		return r.fill(n, first.New)
	}
	if n == nil {
		return r.missing()
	}
	src, err := r.text(n)
	if err != nil {
		return Errors{err}
	}
	if fills && len(src.text) == 0 {
		text := first.New
		if n.size() > 0 { // a byte order mark alone, which stays
			text = strings.TrimPrefix(text, "\uFEFF")
		}
		data, errs := r.whole(text, nil)
		if len(errs) > 0 {
			return errs
		}
		m := *n
		if err := r.store(&m, src, data); err != nil {
			return Errors{err}
		}
		r.picture[r.path] = &m
		return nil
	}
	out, errs := r.replace(r.op, src)
	if len(errs) == 0 {
		errs = r.omissions(src.text)
	}
	if len(errs) > 0 {
		return errs
	}
	m := *n
	if len(r.outcome.Lines) > 0 {
		if err := r.store(&m, src, out); err != nil {
			return Errors{err}
		}
	}
	r.picture[r.path] = &m
	return nil
}

// fill writes the content of a file that is missing or has none.
func (r *run) fill(n *node, text string) Errors {
	data, errs := r.whole(text, nil)
	if len(errs) > 0 {
		return errs
	}
	if n == nil {
		r.create(data)
		return nil
	}
	m := *n
	m.same, m.data = nil, data
	r.picture[r.path] = &m
	return nil
}

// store gives a node its new text, in the encoding that the file has.
func (r *run) store(n *node, src *source, text []byte) *Error {
	data, err := src.Encode(text)
	if err != nil {
		return &Error{Code: Encoding, Msg: err.Error()}
	}
	if !src.UTF8() {
		r.note("encoding", nil, "the file is stored as %s, and stays so", src.Name())
	}
	n.same, n.data = nil, data
	return nil
}

// text returns the text of a file that will be edited.
func (r *run) text(n *node) (*source, *Error) {
	if n.mode&fs.ModeType != 0 {
		return nil, &Error{Code: NotRegular, Msg: "is no regular file"}
	}
	if n.size() > r.opt.FileLimit {
		return nil, &Error{Code: TooLarge, Msg: fmt.Sprintf("the file has %d bytes, %d can be edited (limits.file)", n.size(), r.opt.FileLimit)}
	}
	data, err := r.content(n)
	if err != nil {
		return nil, err
	}
	return decode(data)
}

// content returns the bytes of a regular file in the picture.
func (r *run) content(n *node) ([]byte, *Error) {
	if n.same == nil {
		return n.data, nil
	}
	if n.same.Data != nil {
		return n.same.Data, nil
	}
	if err := r.tree.Load(n.origin, n.same); err != nil {
		if known := new(Error); errors.As(err, &known) {
			return nil, known
		}
		return nil, &Error{Code: Unreadable, Err: err}
	}
	return n.same.Data, nil
}
