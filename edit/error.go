package edit

import (
	"fmt"
	"strings"
)

// A Code names a class of failure or note. Codes are never renamed.
type Code string

// The codes of failures.
const (
	Usage             Code = "usage"
	NothingRecognised Code = "nothing-recognised"
	Truncated         Code = "truncated"
	Placeholder       Code = "placeholder"
	ReaderLine        Code = "reader-line"
	BadInput          Code = "bad-input"
	MixedFormats      Code = "mixed-formats"
	BadArguments      Code = "bad-arguments"
	AlreadyAnswered   Code = "already-answered"
	LoweredCustomTool Code = "lowered-custom-tool"
	Unsupported       Code = "unsupported"
	NoSuchCell        Code = "no-such-cell"
	Overlap           Code = "overlap"
	NotRegular        Code = "not-regular"
	Unreadable        Code = "unreadable"
	TooLarge          Code = "too-large"
	BadPath           Code = "bad-path"
	Exists            Code = "exists"
	Missing           Code = "missing"
	NoMatch           Code = "no-match"
	Ambiguous         Code = "ambiguous"
	Identical         Code = "identical"
	CountMismatch     Code = "count-mismatch"
	EmptyOld          Code = "empty-old"
	BadLine           Code = "bad-line"
	EditOverlap       Code = "edit-overlap"
	OnlyInvisible     Code = "only-invisible"
	TolerantUnsafe    Code = "tolerant-unsafe"
	LazyEdit          Code = "lazy-edit"
	Binary            Code = "binary"
	Encoding          Code = "encoding"
	ControlCharacter  Code = "control-character"
	IndexDiffers      Code = "index-differs"
	StaleOverwrite    Code = "stale-overwrite"
	RolledBack        Code = "rolled-back"
	Skipped           Code = "skipped"
	Stale             Code = "stale"
	Denied            Code = "denied"
	Conflict          Code = "conflict"
	Damaged           Code = "damaged"
	NoTurn            Code = "no-turn"
	Locked            Code = "locked"
	CommitFailed      Code = "commit-failed"
	RollbackFailed    Code = "rollback-failed"
	Internal          Code = "internal"
)

// An Error is one failure: facts, no advice. Only the fields that apply are
// set. Match by code: errors.Is(err, &edit.Error{Code: edit.Stale}).
type Error struct {
	Code  Code
	Path  string
	Op    int    // operation of the request, 1-based
	Call  int    // call of the request, 1-based, where no operation says it
	Hunk  int    // hunk or item of the operation, 1-based
	Of    int    // how many hunks or items the operation has
	Line  int    // line of the request, 1-based
	Lines []int  // lines of the file, 1-based
	Why   string // a conflict's reason (edited since, exists again, …), or Codex's step
	Msg   string // the reason in one line, without path and code
	Err   error
	// Facts are what is known beyond the reason, one line each, in the order
	// of their use to whoever mends the request.
	Facts []string
}

// Error gives path, reason and facts: "a.txt: hunk not found (2/3): …; …".
func (e *Error) Error() string {
	msg := e.Msg
	if e.Err != nil {
		if msg != "" {
			msg += ": "
		}
		msg += e.Err.Error()
	}
	if msg == "" {
		msg = string(e.Code)
	}
	for _, f := range e.Facts {
		msg += "; " + f
	}
	if e.Path == "" {
		return msg
	}
	return Quote(e.Path) + ": " + msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error of the same code (and path, if target
// names one).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Path == "" || t.Path == e.Path)
}

// Errors are all reasons of one refusal, in the order of the request.
type Errors []*Error

// Error joins the reasons, one a line.
func (es Errors) Error() string {
	var b strings.Builder
	for i, e := range es {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap lets errors.Is and errors.As see every reason.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// A Note is a liberty that was taken, or a fact worth knowing, about something
// that succeeded.
type Note struct {
	Code  Code
	Path  string
	Op    int
	Call  int // call of the request, 1-based, where no operation says it
	Hunk  int
	Line  int   // line of the request, 1-based
	Lines []int // lines of the file, 1-based
	Msg   string
}

// Quote makes a path or text printable: control, format and undecodable
// characters are escaped, everything else stays as it is.
func Quote(s string) string {
	ok := true
	for _, r := range s {
		if !printable(r) {
			ok = false
			break
		}
	}
	if ok {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == 0xFFFD && s[i] != 0xEF:
			fmt.Fprintf(&b, `\x%02X`, s[i])
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case printable(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	return b.String()
}
