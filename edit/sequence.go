package edit

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"unicode/utf8"
)

// The steps of Codex's apply_patch that fail: the Why of an [Error] under
// [Codex], so that it can be told in Codex's words. An error without one is a
// refusal of ours.
const (
	StepRead   = "read"   // the file to update cannot be read; Msg says why
	StepAnchor = "anchor" // the anchor of the hunk is no line of the file
	StepLines  = "lines"  // the old lines of the hunk stand nowhere
	StepWrite  = "write"  // the file cannot be written
	StepDelete = "delete" // the file cannot be deleted
)

// sequence carries the operations out as Codex does, in place of survey, group
// and perform: each in what the earlier ones left, until one fails. What was
// done before stays; what comes after is not tried, but its names are checked
// all the same. The errors that it returns refuse the whole request.
func (p *planner) sequence() (refused Errors) {
	n := len(p.ops)
	p.targets, p.groups, p.runs = make([]target, n), make([]string, n), make([]*run, n)
	p.picture, p.dead = map[string]*node{}, map[string]*failure{}
	s := &sequencer{p}
	failed := -1
	for i := range p.ops {
		p.groups[i] = strconv.Itoa(i)
		r := &codexRun{run: &run{planner: p, op: &p.ops[i], number: i + 1}, seq: s}
		errs, refuses := r.aim()
		p.targets[i] = r.target
		r.path = r.target.source.resolved
		if len(errs) == 0 && failed < 0 {
			errs = r.do()
			refuses = len(errs) > 0 && errs[0].Why == "" && refusesAll(errs)
		}
		for _, e := range errs {
			e.Op, e.Line = i+1, cmpOr(e.Line, r.op.Line)
			if e.Path == "" {
				e.Path = r.path
			}
		}
		switch {
		case refuses:
			refused = append(refused, errs...)
		case failed >= 0:
			p.dead[p.groups[i]] = &failure{op: i, root: p.dead[p.groups[failed]].root, rootOp: failed, reason: Skipped}
		case len(errs) > 0:
			failed = i
			p.dead[p.groups[i]] = &failure{op: i, errs: errs, root: errs[0].Path, rootOp: i}
		default:
			p.runs[i] = r.run
		}
	}
	if len(refused) == 0 {
		p.list()
		refused = p.entries()
	}
	// From here on lookups tell what is on disk again, not what was made of it.
	p.resolver = newResolver(p.tree, p.opt)
	return refused
}

// A sequencer keeps what lookups tell in step with the picture, so that the
// names of each operation lead where they would after the ones before it.
type sequencer struct{ *planner }

// sight takes what stands at a path into the snapshot and the picture when an
// operation first comes to it, and tells what stands there now. What is neither
// a file nor a link stays out of both: no operation changes it.
func (s *sequencer) sight(p string) (*File, error) {
	f, err := s.lookup(p)
	if err != nil {
		return nil, &Error{Code: Unreadable, Err: err}
	}
	if _, ok := s.start[p]; ok || f != nil && !f.Regular() && !f.IsLink() {
		return f, nil
	}
	s.start[p] = f
	if f != nil {
		s.picture[p] = &node{mode: f.Mode, same: f, origin: p}
	}
	return f, nil
}

// put makes n stand at a path, nil for nothing.
func (s *sequencer) put(p string, n *node) {
	if n == nil {
		delete(s.picture, p)
		s.seen[p] = nil
		return
	}
	s.picture[p], s.seen[p] = n, n.file()
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if f, _ := s.lookup(dir); f.IsDir() {
			break
		}
		s.seen[dir] = &File{Mode: fs.ModeDir | 0o755}
	}
}

// A codexRun is one operation being carried out in sequence.
type codexRun struct {
	*run
	seq   *sequencer
	entry string // the name that a Move takes away: a link's own, where it is one
}

// aim finds where the operation's names lead as things stand now. A name that
// could be used before the request touched anything fails its operation alone,
// any other refuses the request.
func (r *codexRun) aim() (errs Errors, refuses bool) {
	t := &r.target
	place := func(name string, follow bool) (pl place) {
		var f *File
		pl, err := r.find(r.number-1, name, follow)
		if err == nil {
			if follow && name == r.op.MoveTo {
				r.recase(r.entry, pl.resolved)
			}
			f, err = r.seq.sight(pl.resolved)
		}
		if err == nil && f.special() && (r.op.Kind != Update || follow && name == r.op.MoveTo) {
			err = &Error{Code: NotRegular, Msg: "is " + f.KindName() + ", which is never opened"}
		}
		if err != nil {
			e := new(Error)
			if !errors.As(err, &e) {
				e = &Error{Code: Unreadable, Err: err}
			}
			c := *e
			c.Path = name
			errs = append(errs, &c)
			refuses = refuses || e.Code != BadPath || !r.led(name, follow)
		}
		return pl
	}
	t.source = place(r.op.Path, r.op.Kind != Delete)
	if r.op.MoveTo != "" {
		r.entry = place(r.op.Path, false).resolved
		t.dest = place(r.op.MoveTo, true)
		t.moves = len(errs) == 0 && !r.same(r.entry, t.dest.resolved)
	}
	return errs, refuses
}

// led reports whether a name led somewhere before the first operation.
func (r *codexRun) led(name string, follow bool) bool {
	disk := newResolver(r.tree, r.opt)
	lexical, _, err := disk.lexical(name)
	if err == nil {
		_, err = disk.place(lexical, follow)
	}
	return err == nil
}

// step is the failure of one of Codex's steps.
func step(why string, code Code, format string, args ...any) Errors {
	return Errors{{Code: code, Why: why, Msg: fmt.Sprintf(format, args...)}}
}

func (r *codexRun) do() Errors {
	switch r.op.Kind {
	case Add:
		if errs := r.writable(r.path); errs != nil {
			return errs
		}
		if n := r.picture[r.path]; n != nil {
			r.seq.put(r.path, &node{mode: n.mode, data: r.op.Content})
			return nil
		}
		r.create(r.op.Content)
		r.seq.put(r.path, r.picture[r.path])
		return nil
	case Delete:
		return r.remove()
	case Update:
		return r.rewrite()
	}
	errs := r.run.do()
	r.seq.put(r.path, r.picture[r.path])
	return errs
}

// remove is a Delete. Codex looks through a link before it removes the link.
func (r *codexRun) remove() Errors {
	f, _ := r.lookup(r.path)
	if f.IsLink() {
		if pl, err := r.place(r.target.source.lexical, true); err == nil || pl.resolved != "" {
			f, _ = r.lookup(pl.resolved)
		}
	}
	switch {
	case f == nil:
		return step(StepDelete, Missing, "file not found")
	case f.IsDir():
		return step(StepDelete, NotRegular, "is a directory")
	}
	r.seq.put(r.path, nil)
	return nil
}

// rewrite is an Update.
func (r *codexRun) rewrite() Errors {
	text, errs := r.read()
	if errs != nil {
		return errs
	}
	out, err := r.codexHunks(text)
	if err != nil {
		return Errors{err}
	}
	m := *r.picture[r.path]
	m.same, m.data = nil, out
	to := r.path
	if r.target.moves {
		to = r.target.dest.resolved
	}
	if errs := r.writable(to); errs != nil {
		return errs
	}
	if r.target.moves {
		r.seq.put(r.entry, nil)
	}
	r.path = to
	r.seq.put(to, &m)
	return nil
}

// read returns the text of the file to update.
func (r *codexRun) read() ([]byte, Errors) {
	n := r.picture[r.path]
	switch f, _ := r.lookup(r.path); {
	case f == nil && r.above(r.path) != "":
		return nil, step(StepRead, Missing, "Not a directory (os error 20)")
	case f == nil:
		return nil, step(StepRead, Missing, "No such file or directory (os error 2)")
	case !f.Regular():
		return nil, step(StepRead, NotRegular, "is %s, not a file", f.KindName())
	case n.size() > r.opt.FileLimit:
		return nil, step(StepRead, TooLarge, "file is too large to read: limit is %d bytes", r.opt.FileLimit)
	}
	data, err := r.content(n)
	switch {
	case err != nil && errors.Is(err, fs.ErrPermission):
		return nil, step(StepRead, Unreadable, "Permission denied (os error 13)")
	case err != nil:
		return nil, Errors{err}
	}
	if why := badUTF8(data); why != "" {
		return nil, step(StepRead, Encoding, "%s", why)
	}
	return data, nil
}

// above returns what stands above a path and is no directory, "" if nothing
// does.
func (r *codexRun) above(p string) string {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if f, _ := r.lookup(dir); f != nil {
			if f.IsDir() {
				break
			}
			return dir
		}
	}
	return ""
}

// writable says why a path cannot be written in place.
func (r *codexRun) writable(p string) Errors {
	f, _ := r.lookup(p)
	switch {
	case f.IsDir():
		return step(StepWrite, NotRegular, "is a directory")
	case r.above(p) != "":
		return step(StepWrite, NotRegular, "%s is no directory", Quote(r.above(p)))
	case f != nil && f.Mode&0o200 == 0 && !r.opt.Superuser:
		return step(StepWrite, CommitFailed, "the file is read-only")
	}
	return nil
}

// badUTF8 says in Rust's words where data stops being UTF-8, "" if it does not.
func badUTF8(data []byte) string {
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		at += size
	}
	if at == len(data) {
		return ""
	}
	// The longest beginning of some character that stands there: a byte more can
	// make a beginning whole, unless nothing could.
	n := 1
	for n < min(4, len(data)-at) && !utf8.FullRune(data[at:at+n]) {
		n++
	}
	if !utf8.FullRune(data[at : at+n]) {
		return fmt.Sprintf("incomplete utf-8 byte sequence from index %d", at)
	}
	return fmt.Sprintf("invalid utf-8 sequence of %d bytes from index %d", max(n-1, 1), at)
}
