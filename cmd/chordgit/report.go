package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// A report is what a command that changes files has to say. It is rendered as
// text, as JSON or as a protocol's answer: the facts are the same.
type report struct {
	Command  string        `json:"command"`
	Status   string        `json:"status"`
	Format   string        `json:"format,omitempty"`
	DryRun   bool          `json:"dry_run,omitempty"`
	Turn     *int          `json:"turn"`
	Undoes   []int         `json:"undoes,omitempty"`
	Files    []file        `json:"files"`
	Failures []failure     `json:"failures"`
	Notes    []note        `json:"notes"`
	Left     []gitops.Left `json:"left,omitempty"` // of a rewind: what stays
	Diff     string        `json:"diff,omitempty"`
	Redo     string        `json:"redo,omitempty"`
	// Views are what stands at paths that were only looked at, Requested what a
	// request asked for that was not applied.
	Views     []view   `json:"views,omitempty"`
	Requested []wished `json:"requested,omitempty"`
	Advice    string   `json:"advice,omitempty"` // for models: not in the text for people

	Verified *verified `json:"verified,omitempty"`
	Pruned   *pruned   `json:"pruned,omitempty"`

	groups  int  // file groups that were not applied
	refused bool // the whole request was
	single  bool // it is what one call is told
}

// The values of status.
const (
	applied   = "applied"
	partial   = "partial"
	failed    = "failed"
	denied    = "denied"
	unchanged = "unchanged"
	opened    = "open"     // a turn was opened
	recorded  = "recorded" // a turn was closed
	inside    = "inside"   // another turn records it
)

type file struct {
	Path         string `json:"path"`
	Change       string `json:"change"`
	From         string `json:"from,omitempty"`
	Mode         string `json:"mode,omitempty"`
	Added        int    `json:"added"`
	Removed      int    `json:"removed"`
	Replacements int    `json:"replacements,omitempty"`
	Lines        []int  `json:"lines,omitempty"`
	Owner        string `json:"owner,omitempty"`  // of a captured turn: who wrote it
	How          string `json:"how,omitempty"`    // of a rewind
	Before       string `json:"before,omitempty"` // of a rewind: object ids
	After        string `json:"after,omitempty"`
}

type failure struct {
	Code      edit.Code `json:"code"`
	Path      string    `json:"path,omitempty"`
	Op        int       `json:"op,omitempty"`
	Hunk      int       `json:"hunk,omitempty"`
	Of        int       `json:"of,omitempty"`
	InputLine int       `json:"input_line,omitempty"`
	Lines     []int     `json:"lines,omitempty"`
	Why       string    `json:"why,omitempty"`
	Message   string    `json:"message"`
	Hint      string    `json:"hint,omitempty"`

	facts []string // beyond the reason, one line each; JSON has them in the message
	call  int      // of the request, 1-based, where Op does not say it
}

type note struct {
	Code    edit.Code `json:"code"`
	Path    string    `json:"path,omitempty"`
	Op      int       `json:"op,omitempty"`
	Hunk    int       `json:"hunk,omitempty"`
	Line    int       `json:"input_line,omitempty"`
	Lines   []int     `json:"lines,omitempty"`
	Message string    `json:"message"`

	call int // of the request, 1-based, where Op does not say it
}

// hints say what to do about a failure, one text a code.
var hints = map[edit.Code]string{
	edit.NothingRecognised: "send a patch between *** Begin Patch and *** End Patch, or an edit as JSON with file_path, old_string and new_string",
	edit.Truncated:         "send the whole request again",
	edit.TooLarge:          "send smaller requests",
	edit.Unsupported:       "send the change as a patch envelope or as an edit",
	edit.LoweredCustomTool: "offer apply_patch as a function",
	edit.BadLine:           "read the file again and use a line number that it has",
	edit.Overlap:           "send one operation for each file",
	edit.Exists:            "use an Update, or delete the file in the same request first",
	edit.NoSuchCell:        "read the notebook again and name one of its cells",
	edit.Missing:           "check the path; a new file needs an Add",
	edit.Placeholder:       "send the complete text; --allow-placeholders writes such lines as they are",
	edit.ReaderLine:        "send the text of the file alone; --allow-placeholders writes such lines as they are",
	edit.NoMatch:           "read the range again, rebuild the failed part from complete current lines, do not send it unchanged",
	edit.Ambiguous:         "give more lines around the place, or an anchor that stands once",
	edit.LazyEdit:          "send the change as hunks, as old and new text, or as the whole file",
	edit.CountMismatch:     "count again, or add context to old_string",
	edit.EmptyOld:          "give the text to replace",
	edit.IndexDiffers:      "stage the file, or put it back, and try again; or leave out --index",
	edit.StaleOverwrite:    "read the file again and send the change again, made from what it holds now; --force goes over the other change",
	edit.Stale:             "nothing was written: plan again from the present content",
	edit.Locked:            "wait for the other command and try again",
	hooks.Denied:           "do not change it by other means; if it must change, ask the user to do it or to allow it in .chordgit.yaml",
}

func newFailure(command string, err error) *report {
	r := &report{Command: command, Status: failed}
	r.fail(toErrors(err))
	return r
}

func (r *report) fail(errs []*edit.Error) {
	for _, e := range errs {
		f := failure{Code: e.Code, Path: e.Path, Op: e.Op, Hunk: e.Hunk, Of: e.Of, InputLine: e.Line, Lines: e.Lines, Why: e.Why, Hint: hints[e.Code], call: e.Call}
		bare := *e
		bare.Path = ""
		bare.Facts = nil
		f.Message, f.facts = bare.Error(), e.Facts
		r.Failures = append(r.Failures, f)
	}
}

// refuse reports that nothing of the request was done.
func (r *report) refuse(errs []*edit.Error) {
	r.Status, r.refused = failed, true
	r.fail(errs)
	if r.exit() == exitDenied {
		r.Status = denied
	}
}

func (r *report) note(notes []edit.Note) {
	for _, n := range notes {
		r.Notes = append(r.Notes, note{Code: n.Code, Path: n.Path, Op: n.Op, Hunk: n.Hunk, Line: n.Line, Lines: n.Lines, Message: n.Msg, call: n.Call})
	}
}

// plan puts a plan's changes, failures and notes into the report. Lines are
// counted, which costs a diff of each file, only with content.
func (r *report) plan(p *edit.Plan, content func(*edit.File) []byte) {
	r.groups = p.FailedGroups
	moved := map[string]bool{}
	for _, c := range p.Changes {
		if c.From != "" {
			moved[c.From] = true
		}
	}
	before := map[string]*edit.File{}
	for _, c := range p.Changes {
		before[c.Path] = c.Before
	}
	for _, c := range p.Changes {
		f := file{Path: c.Path, Change: "update"}
		old := c.Before
		switch {
		case c.After == nil && moved[c.Path]:
			continue // told with its target
		case c.After == nil:
			f.Change = "delete"
		case c.From != "":
			f.Change, f.From, old = "move", c.From, before[c.From]
		case c.Before == nil:
			f.Change = "add"
		}
		if c.After != nil && (c.Before == nil && c.From == "" || old != nil && old.Mode != c.After.Mode) {
			f.Mode = gitops.ModeString(c.After.Mode)
		}
		if content != nil {
			f.Added, f.Removed = countLines(content(old), content(c.After))
		}
		for _, o := range p.Outcomes {
			if o.OK && o.Path == c.Path {
				f.Lines = append(f.Lines, o.Lines...)
				f.Replacements += len(o.Lines)
			}
		}
		r.Files = append(r.Files, f)
	}
	r.fail(p.Failures)
	r.note(p.Notes)
	switch {
	case len(r.Failures) > 0 && len(r.Files) > 0:
		r.Status = partial
	case len(r.Failures) > 0:
		r.Status = failed
	case len(r.Files) == 0:
		r.Status = unchanged
	default:
		r.Status = applied
	}
}

// countLines counts the lines that a change adds and removes.
func countLines(before, after []byte) (added, removed int) {
	if bytes.Equal(before, after) {
		return 0, 0
	}
	// Only what differs is diffed: a change in a long file costs its own length.
	b, a := trimCommon(before, after)
	if len(b) == 0 || len(a) == 0 {
		return lineCount(a), lineCount(b)
	}
	for _, e := range udiff.Lines(string(b), string(a)) {
		added += lineCount([]byte(e.New))
		removed += lineCount(b[e.Start:e.End])
	}
	return added, removed
}

// trimCommon cuts whole common lines at both ends.
func trimCommon(b, a []byte) ([]byte, []byte) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	n = bytes.LastIndexByte(a[:n], '\n') + 1
	a, b = a[n:], b[n:]
	m := 0
	for m < len(a) && m < len(b) && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	if m > 0 {
		i := bytes.IndexByte(a[len(a)-m:], '\n')
		if i < 0 {
			return b, a
		}
		m -= i + 1
	}
	return b[:len(b)-m], a[:len(a)-m]
}

func lineCount(b []byte) int {
	n := bytes.Count(b, []byte{'\n'})
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

// exitDenied is the status of the process where policy refuses.
const exitDenied = 4

// exit is the status of the process: 0 done, 1 trouble, 3 does not fit, in whole
// or in part, 4 denied. The worst failure counts: 1 before 4 before 3.
func (r *report) exit() int {
	code := 0
	for _, f := range r.Failures {
		switch f.Code {
		case edit.Usage, edit.Unreadable, edit.CommitFailed, edit.RollbackFailed, edit.Internal, edit.Locked, edit.Damaged, edit.NoTurn, gitops.NotARepository, gitops.RefusedRoot, hooks.BadConfig, hooks.Undecided, gitops.Remote:
			return 1
		case hooks.Denied:
			code = exitDenied
		default:
			code = max(code, 3)
		}
	}
	if code == 0 && r.nothingTaken() {
		code = 3
	}
	return code
}

// A rewind that left all that the turn changed did not do what was asked for.
func (r *report) nothingTaken() bool {
	return len(r.Undoes) > 0 && len(r.Files) == 0 && (len(r.Left) > 0 || r.has(gitops.HeadMoved)) && !r.has(gitops.GitRestored)
}

// has reports whether there is a note of a kind.
func (r *report) has(code edit.Code) bool {
	return slices.ContainsFunc(r.Notes, func(n note) bool { return n.Code == code })
}

// report renders a report and sets the exit status.
func (a *app) report(r *report) {
	a.code = r.exit()
	if a.json {
		a.writeJSON(r.complete())
		return
	}
	if out := r.done(); out != "" && !a.quiet {
		fmt.Fprint(a.stdout, out)
	}
	if out := r.undone() + r.requested(); out != "" {
		fmt.Fprint(a.stderr, out)
	}
}

// complete makes absent lists empty ones, as JSON's readers expect, and puts
// all that is known into the messages.
func (r *report) complete() *report {
	c := *r
	if c.Files == nil {
		c.Files = []file{}
	}
	if c.Failures == nil {
		c.Failures = []failure{}
	}
	c.Failures = slices.Clone(c.Failures)
	for i := range c.Failures {
		c.Failures[i].Message = c.Failures[i].full()
	}
	if c.Notes == nil {
		c.Notes = []note{}
	}
	return &c
}

func (a *app) writeJSON(v any) {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		fmt.Fprintln(a.stderr, "chordgit:", err)
		a.code = 1
	}
}
