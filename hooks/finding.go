package hooks

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/chordgit/chordgit/edit"
)

// Denied is the code of an operation that policy refuses, Undecided that of one
// about which it cannot be found out.
const (
	Denied              = edit.Denied
	Undecided edit.Code = "undecided"
)

// The classes of findings, in the order in which they are told.
const (
	ClassPath       = "path"        // a name that no file should have
	ClassOutside    = "outside"     // it leads out of the worktree
	ClassGit        = "git"         // it belongs to the git directory
	ClassBare       = "bare"        // it lies in a bare repository
	ClassSubmodule  = "submodule"   // it belongs to a submodule
	ClassBypass     = "bypass"      // a command goes around hooks
	ClassPolicyFile = "policy-file" // it says what is allowed
	ClassProtected  = "protected"   // it tells git or an agent what to run
	ClassRule       = "rule"        // a deny glob matches
	ClassNotAllowed = "not-allowed" // no allow glob matches
	ClassPermission = "permission"  // the tool is not allowed there
	ClassUndecided  = "undecided"   // what decides cannot be found out
	ClassAsk        = "ask"         // an ask glob matches
	ClassNote       = "note"        // worth knowing; its verdict is Allow
)

var classes = []string{ClassPath, ClassOutside, ClassGit, ClassBare, ClassSubmodule, ClassBypass, ClassPolicyFile, ClassProtected,
	ClassRule, ClassNotAllowed, ClassPermission, ClassUndecided, ClassAsk, ClassNote}

func rank(class string) int { return slices.Index(classes, class) }

// A Finding is one thing that policy has to say about an operation.
type Finding struct {
	Verdict Verdict
	Class   string
	Op      Kind   // of a move the end: delete or create
	Path    string // as given
	Name    string // the name that is meant, relative to the root; empty where none was found
	Via     string // how Path leads to Name where a link does: "link.txt -> secret/key"
	Holds   string // what the directory Name holds, where that is what counts
	Rule    string // the key: policy.deny, policy.create.allow, permission.edit; empty without a file
	Glob    string // as written, empty where none matched
	By      string // the directory above Name that the glob matches; empty: Name itself
	Reason  string // the rule's
	Layer   string // Layer.Name
	Source  string // Layer.Place
	Line    int    // in the file, 1-based; 0 without one
	Column  int

	msg  string // of a class without a rule
	rank int    // of the layer
}

// Message says what is found, in one line without the path.
func (f *Finding) Message() string {
	if f.Holds != "" {
		inner := *f
		inner.Holds = ""
		return fmt.Sprintf("holds %s, which: %s", edit.Quote(f.Holds), inner.Message())
	}
	at := fmt.Sprintf(" (%s:%d)", f.Source, f.Line)
	text := f.msg
	switch {
	case f.Class == ClassNotAllowed:
		text = "not in " + f.Rule + at
	case f.Class == ClassPermission && f.Verdict == Ask:
		text = "needs the user's consent: " + f.rule() + at
	case f.Class == ClassPermission:
		text = f.rule() + at
	case f.Class == ClassAsk:
		text = "needs the user's consent: " + f.rule() + at
	case f.Rule != "":
		text = f.rule() + at
	}
	if f.Via != "" && f.Class != ClassOutside {
		text += " via " + f.Via
	}
	if f.Reason != "" {
		text += ". " + f.Reason
	}
	return text
}

// rule names the rule and its glob.
func (f *Finding) rule() string {
	if f.Class == ClassPermission {
		text := f.Rule + ": " + f.Verdict.String()
		if f.Glob != "" && f.Glob != "**" {
			text += " " + strconv.Quote(f.Glob)
		}
		return text
	}
	return f.Rule + " " + strconv.Quote(f.Glob)
}

// Error is a finding as a refusal.
func (f *Finding) Error() *edit.Error {
	code := Denied
	if f.Class == ClassUndecided {
		code = Undecided
	}
	return &edit.Error{Code: code, Path: f.Path, Why: f.Class, Msg: string(f.Op) + ": " + f.Message()}
}
