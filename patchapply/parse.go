package patchapply

import (
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// defaultLimit is the largest request that is read, in bytes.
const defaultLimit = 64 << 20

// Options say how a request is read. The zero value finds the format by itself.
type Options struct {
	// Format is auto (or empty), codex (apply-patch, patch) for an envelope, v4a
	// for a diff without headers, git-diff (udiff, udiff-simple) for unified diffs,
	// blocks (diff, diff-fenced, editor-diff, editor-diff-fenced, cline, roo, zed)
	// for SEARCH/REPLACE, whole (editor-whole) for listings, xml for tags, edit,
	// multi-edit, write, notebook, text-editor, memory or lazy for the bare
	// arguments of such a tool, call for tool calls. JSON that carries calls is
	// opened whatever the format.
	Format string
	Path   string // the file, for edits that name none
	// Strict reads one envelope as Codex does, and nothing else. What is wrong
	// is told in its words, as one error whose Why is [SyntaxStep].
	Strict bool
	Aider  bool  // a listing without path takes the last existing one named above it
	Limit  int64 // bytes; 0 means 64 MiB
	// Exists reports whether there is a file of this name, relative to where the
	// request's paths start: some formats write names that mean one thing or
	// another. Nil: nothing exists.
	Exists func(path string) bool
	// Offered is "custom" if apply_patch was offered as a custom tool; a body
	// that lists its tools says so itself.
	Offered string
	// Offers returns what a model was offered, nil if that is not known. It is
	// asked with the model that a Responses body or a message names, and with an
	// empty name where there is none. A call of a tool of ours that was not
	// offered is refused. Nil: nothing is known.
	Offers func(model string) *Offer
	// MemoryDir is the directory that /memories stands for in calls of the memory
	// tool, relative to the root; empty: there is none.
	MemoryDir string
	// Explain is told, a line each, how the request is read and why. It may be nil.
	Explain func(line string)
}

// A Request is what an agent asked for.
type Request struct {
	// Format is the name of the reader (of Options.Format) of the first
	// operation; empty if nothing was recognised.
	Format string
	Ops    []edit.Op
	// Notes are the liberties that reading took. Their Line is that of the text
	// that held the markers: of the decoded string if it came in JSON.
	Notes []edit.Note
	// Base is the directory of a heredoc's cd, as written: relative paths start
	// there. Empty where the request names none.
	Base string
	// Calls are the calls that were taken, in order; edit.Op.Call is an index
	// into it. It is nil if the request came as plain text or bare arguments.
	Calls []Call
	// DryRun: the request itself asks that nothing is written.
	DryRun bool

	container container
	messages  bool // calls stood in messages of Anthropic's API
	contents  bool // calls stood in contents of Gemini's API
}

// A Call is one call of a tool.
type Call struct {
	ID     string // as the transport gives it
	Name   string // the tool, as called
	Form   Form   // how its transport wants it answered
	Format string // the name of the reader of its operations

	// View asks for the text of a file, or the names in a directory: there is
	// no operation.
	View *View
	// Undo is the path whose last change shall be taken back: there is no
	// operation.
	Undo string

	id     any // as it stood in JSON-RPC: a string or a number
	caller any // echoed
	fault  *fault
}

// A View asks what stands at a path. From and To are lines, 0 if not said; a To
// of -1 is the last line.
type View struct {
	Path     string
	From, To int
}

// Parse reads a request. Whatever is wrong with it refuses all of it: err is an
// [edit.Errors] with every reason that was found, in the order of the request.
// Beside an error a request is returned if calls could be read, so that each of
// them can be answered; its Ops are then incomplete. The time is linear in the
// length of data, which is not modified or retained.
func Parse(data []byte, opt Options) (*Request, error) {
	if opt.Limit == 0 {
		opt.Limit = defaultLimit
	}
	r := &reader{opt: opt, req: &Request{}}
	r.read(data)
	switch {
	case len(r.errs) == 0:
		return r.req, nil
	case len(r.req.Calls) == 0:
		return nil, r.errs
	}
	return r.req, r.errs
}

// A reader reads one request.
type reader struct {
	opt  Options
	only *format // the format that the caller named, nil if none
	req  *Request
	errs edit.Errors

	in      inbox
	call    int    // index of the call that is being read
	calling bool   // a call is being read
	prefix  string // what messages about it begin with
	based   bool   // some part of the request has said where its paths start
	cwd     string // where the paths of the call start, as a hook says
	model   string // who made the calls that are being received
	dry     int    // how many calls ask for a dry run

	doubled bool // some object of the request has a key twice

	notJSON *edit.Error // why a text that begins like JSON is none
}

func (r *reader) fail(code edit.Code, line int, format string, args ...any) {
	r.refuse(&edit.Error{Code: code, Line: line, Msg: fmt.Sprintf(format, args...)})
}

func (r *reader) refuse(e *edit.Error) {
	if e.Line > 0 {
		e.Msg = fmt.Sprintf("line %d: %s", e.Line, e.Msg)
	}
	e.Msg = r.prefix + e.Msg
	if r.calling {
		e.Call = r.call + 1
	}
	r.errs = append(r.errs, e)
}

func (r *reader) note(code edit.Code, line int, format string, args ...any) {
	n := edit.Note{Code: code, Line: line, Msg: fmt.Sprintf(format, args...)}
	if r.calling {
		n.Call = r.call + 1
	}
	r.req.Notes = append(r.req.Notes, n)
}

// add takes an operation that was read by the named format.
func (r *reader) add(format string, op edit.Op) {
	r.reads(format)
	op.Call = r.call
	r.req.Ops = append(r.req.Ops, op)
}

// reads says by which format the request, or the call, is read.
func (r *reader) reads(format string) {
	if r.req.Format == "" {
		r.req.Format = format
	}
	if r.calling && r.req.Calls[r.call].Format == "" {
		r.req.Calls[r.call].Format = format
	}
}

// base says where the paths of what is read next start. A request has one base:
// an operation must not land elsewhere because another one came with a cd.
func (r *reader) base(dir string, line int) {
	switch {
	case dir == "":
		dir = r.cwd
	case r.cwd != "" && !strings.HasPrefix(dir, "/"):
		dir = r.cwd + "/" + dir
	}
	if r.based && r.req.Base != dir {
		r.fail(edit.BadInput, line, "the parts of the request start in different directories, %s and %s", quote(r.req.Base), quote(dir))
		return
	}
	r.req.Base, r.based = dir, true
}

func (r *reader) read(data []byte) {
	f, ok := named(r.opt.Format)
	if !ok {
		r.fail(edit.Usage, 0, "unknown format %s", quote(r.opt.Format))
		return
	}
	if f != nil && f.later {
		r.fail(edit.Unsupported, 0, "the format %s is not read", f.name)
		return
	}
	if r.opt.Strict {
		if f != nil && f.name != "codex" {
			r.fail(edit.Usage, 0, "the format %s cannot be read strictly: only envelopes are", f.name)
			return
		}
		r.strict(data)
		return
	}
	r.only = f
	text, err := toText(data, r.opt.Limit)
	if err != nil {
		r.refuse(err)
		return
	}
	first := strings.TrimLeft(text, " \t\r\n")
	arguments := f != nil && f.arguments
	if first != "" && (arguments || strings.IndexByte("{[\"", first[0]) >= 0) {
		values, err := r.json(text, 0)
		switch {
		case err == nil:
			r.values(values)
			r.repeated(values)
			return
		case arguments, err.Code == edit.Truncated && first[0] != '"':
			r.refuse(err)
			return
		}
		r.notJSON = err // text that begins with a bracket or a quotation
	}
	r.text(text)
}

// quotedMost is how many characters of a text a message quotes.
const quotedMost = 120

// quote quotes a text for a message, cut between characters.
func quote(text string) string {
	n := 0
	for i := range text {
		if n == quotedMost {
			text = text[:i]
			break
		}
		n++
	}
	return `"` + edit.Quote(text) + `"`
}

// more counts what a message left out: "", or " (and 3 more)".
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}
