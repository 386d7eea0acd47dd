package hooks

import (
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

const (
	refusalLines = 10
	refusalBytes = 8000
)

// The lines that close a refusal.
const (
	closingDeny = "Do not change it by other means; the check at the end of the turn puts it back. If it must change, ask the user."
	closingAsk  = "Ask the user to make this change or to allow it in .chordgit.yaml."
)

// Refusal is the text of a refusal for an agent's model: a line each for the
// operations that are denied or, if none is, that need consent; at most ten, and
// at most 8000 bytes. found are findings of [Policy.Judge], each operation's in
// their order. It is empty if nothing stands against them.
func Refusal(found []Finding) string {
	worst := Strictest(found)
	if worst == Allow {
		return ""
	}
	lines := FindingLines(found, worst)
	closing := closingDeny
	if worst == Ask {
		closing = closingAsk
	}
	return cutText(lines, closing)
}

// FindingLines are the findings of a verdict in words: what, where, why; of each
// path the one that counts most.
func FindingLines(found []Finding, v Verdict) (lines []string) {
	seen := map[string]bool{}
	for i := range found {
		f := &found[i]
		key := string(f.Op) + " " + f.Path
		if f.Path == "" && f.Class == ClassBypass {
			key = f.msg
		}
		if f.Verdict != v || seen[key] {
			continue
		}
		seen[key] = true
		name := f.Path
		if f.Name != "" && f.Via == "" {
			name = f.Name
		}
		word := "denied"
		if v == Ask {
			word = "asks"
		}
		what := ""
		if name != "" || f.Op != Put {
			what = string(f.Op) + " " + edit.Quote(name) + ": "
		}
		lines = append(lines, "chordgit: "+word+": "+what+edit.Quote(f.Message()))
	}
	return lines
}

// cutText joins lines and one that closes them, and leaves out what is too much.
func cutText(lines []string, closing string) string {
	var b strings.Builder
	n := 0
	for ; n < len(lines) && n < refusalLines && b.Len()+len(lines[n])+len(closing)+30 < refusalBytes; n++ {
		b.WriteString(lines[n] + "\n")
	}
	if n == 0 && len(lines) > 0 {
		b.WriteString(strings.ToValidUTF8(lines[0][:refusalBytes/2], "") + "…\n")
		n++
	}
	if n < len(lines) {
		fmt.Fprintf(&b, "and %d more\n", len(lines)-n)
	}
	return b.String() + closing
}

// UndecidedText is the text of a refusal where nobody can say what policy says.
func UndecidedText(err error) string {
	var lines []string
	for _, e := range single(err) {
		lines = append(lines, "chordgit: denied: "+edit.Quote(e.Error()))
	}
	return cutText(lines, "Nothing was decided: ask the user to mend it, or to say hooks.on_error: allow in their own configuration.")
}

// single are the errors that one consists of.
func single(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // what is inside comes in its turn
	if !ok {
		return []error{err}
	}
	for _, e := range joined.Unwrap() {
		all = append(all, single(e)...)
	}
	return all
}
