package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
)

// done is the text about what is on disk.
func (r *report) done() string {
	var b strings.Builder
	switch {
	case r.Verified != nil:
		b.WriteString(r.Verified.text())
	case r.Pruned != nil && r.Status == failed:
	case r.Pruned != nil:
		b.WriteString(r.Pruned.text(r.DryRun))
	case r.DryRun && r.Status != failed && r.Status != denied:
		b.WriteString("Dry run, nothing was written. It would be:\n")
	case r.Status == opened:
		fmt.Fprintf(&b, "%d\n", *r.Turn) // alone, for scripts
	case r.Status == recorded && len(r.Files) == 0:
		b.WriteString("Recorded a turn without changed files.\n")
	case r.Status == recorded:
		b.WriteString("Recorded:\n")
	case r.Status == unchanged && isCapture(r.Command):
		b.WriteString("Nothing changed, nothing is recorded.\n")
	case r.Status == inside: // the notes say it
	case len(r.Files) > 0 && r.Command == "apply":
		b.WriteString("Applied patch:\n")
	case len(r.Files) > 0 || r.has(gitops.GitRestored):
		fmt.Fprintf(&b, "Took back %s:\n", turns(r.Undoes))
	case r.Status == unchanged && len(r.Views) > 0:
	case r.Status == unchanged && r.Command == "apply":
		b.WriteString("Applied patch:\nNo net file changes\n")
	case r.nothingTaken() && len(r.Failures) == 0:
		fmt.Fprintf(&b, "%s: nothing was taken back\n", turns(r.Undoes))
	case r.Status == unchanged:
		fmt.Fprintf(&b, "%s: nothing to take back\n", turns(r.Undoes))
	}
	var lines []string
	for _, f := range r.Files {
		lines = append(lines, f.String())
	}
	slices.Sort(lines)
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	if r.Status == opened {
		// said above
	} else if r.Turn != nil && r.single {
		fmt.Fprintf(&b, "Turn %d.\n", *r.Turn)
	} else if r.Turn != nil {
		back := fmt.Sprintf("chordgit rewind %d", *r.Turn)
		if r.Redo != "" {
			back = r.Redo
		}
		fmt.Fprintf(&b, "Turn %d. Take back with: %s\n", *r.Turn, back)
	}
	for _, l := range noteLines(r.Notes) {
		b.WriteString("Note: " + l + "\n")
	}
	for _, l := range leftLines(r.Left) {
		b.WriteString("Left: " + l + "\n")
	}
	for _, v := range r.Views {
		for l := range strings.Lines(v.Text) { // a terminal may read it
			b.WriteString(strings.ReplaceAll(edit.Quote(strings.TrimSuffix(l, "\n")), `\t`, "\t") + "\n")
		}
	}
	if r.Diff != "" {
		b.WriteString("\n" + r.Diff)
	}
	return b.String()
}

// isCapture reports whether a command records turns of the whole worktree.
func isCapture(command string) bool { return command == "end" || command == "run" }

// noteLines are the notes of a report, those about paths collapsed.
func noteLines(notes []note) (lines []string) {
	var paths []said
	for _, n := range notes {
		if n.Path == "" || n.Line > 0 {
			lines = append(lines, n.String())
		} else {
			paths = append(paths, said{n.Path, n.Message})
		}
	}
	if len(paths) <= linesEach { // each stays where it is
		lines = lines[:0]
		for _, n := range notes {
			lines = append(lines, n.String())
		}
		return lines
	}
	return append(lines, collapsed(paths)...)
}

func leftLines(left []gitops.Left) []string {
	list := make([]said, len(left))
	for i, l := range left {
		list[i] = said{l.Path, l.Why}
	}
	return collapsed(list)
}

func (n note) String() string {
	text := edit.Quote(n.Message)
	if n.Path != "" {
		text = edit.Quote(n.Path) + ": " + text
	}
	if n.Line > 0 {
		text += fmt.Sprintf(" [input line %d]", n.Line)
	}
	return text
}

func turns(n []int) string {
	if len(n) == 1 {
		return fmt.Sprintf("turn %d", n[0])
	}
	return "turns " + turnNumbers(n)
}

func numbers(n []int) string {
	var b strings.Builder
	for i, v := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, v)
	}
	return b.String()
}

// turnNumbers lists turns, the newest first; many that follow one another are told
// by their ends.
func turnNumbers(n []int) string {
	var list []string
	for len(n) > 0 {
		run := 1
		for run < len(n) && n[run] == n[0]-run {
			run++
		}
		if run > 4 {
			list = append(list, fmt.Sprintf("%d to %d", n[0], n[run-1]))
		} else {
			run = 1
			list = append(list, fmt.Sprint(n[0]))
		}
		n = n[run:]
	}
	return strings.Join(list, ", ")
}

func (f file) String() string {
	path := edit.Quote(f.Path)
	var line string
	switch f.Change {
	case "add":
		line = "A " + path
	case "delete":
		line = "D " + path
	case "move":
		line = "R " + edit.Quote(f.From) + " -> " + path
	default:
		line = "M " + path
	}
	if f.How == "merged" {
		line += " (merged with what changed since)"
	}
	if f.Replacements > 0 {
		lines := slices.Compact(slices.Clone(f.Lines))
		line += fmt.Sprintf(" (%s, %s)", count(f.Replacements, "replacement"), lineList(lines))
	}
	return line
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// lineList names lines, the first ten and how many more.
func lineList(lines []int) string {
	if len(lines) == 1 {
		return fmt.Sprintf("line %d", lines[0])
	}
	if len(lines) > 10 {
		return fmt.Sprintf("lines %s (+%d more)", numbers(lines[:10]), len(lines)-10)
	}
	return "lines " + numbers(lines)
}

// undone is the text about what is not on disk.
func (r *report) undone() string {
	if len(r.Failures) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(r.headline() + "\n")
	if len(r.Files) == 0 && len(r.Failures) == 1 {
		f := r.Failures[0]
		f.details(&b, "  ")
		fmt.Fprintf(&b, "[%s]%s\n", f.Code, inputLine(f))
		if f.Hint != "" {
			b.WriteString("Hint: " + f.Hint + "\n")
		}
		return b.String()
	}
	if r.Verified == nil && r.Pruned == nil {
		if isCapture(r.Command) {
			b.WriteString("Denied:\n")
		} else {
			b.WriteString("Not applied:\n")
		}
	}
	seen := map[string]bool{}
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "- %s [%s]%s\n", f.text(), f.Code, inputLine(f))
		f.details(&b, "    ")
	}
	for _, f := range r.Failures {
		if f.Hint != "" && !seen[f.Hint] {
			seen[f.Hint] = true
			fmt.Fprintf(&b, "Hint (%s): %s\n", f.Code, f.Hint)
		}
	}
	if len(r.Files) > 0 && r.Command == "apply" && !r.DryRun {
		b.WriteString("Changes listed under \"Applied patch\" are on disk: do not send them again. Fix each cause, rebuild the operations under \"Not applied\" from the files as they are now and send only these.\n")
	}
	return b.String()
}

// text is the failure's reason in one line.
func (f failure) text() string {
	msg := edit.Quote(f.Message)
	if f.Path != "" {
		return edit.Quote(f.Path) + ": " + msg
	}
	return msg
}

// full is the reason and all facts.
func (f failure) full() string { return strings.Join(append([]string{f.Message}, f.facts...), "; ") }

// details writes the facts beyond the reason, one a line.
func (f failure) details(b *strings.Builder, indent string) {
	for _, fact := range f.facts {
		b.WriteString(indent + edit.Quote(fact) + "\n")
	}
}

func inputLine(f failure) string {
	if f.InputLine > 0 {
		return fmt.Sprintf(" [input line %d]", f.InputLine)
	}
	return ""
}

// headline says in one line what came of the whole.
func (r *report) headline() string {
	name := r.Command
	if r.Command == "apply" {
		name = "apply_patch"
		if r.Format != "" && r.Format != "codex" && r.Format != "v4a" {
			name = r.Format
		}
	}
	first := r.Failures[0].text()
	for _, f := range r.Failures { // the cause, not what fell with it
		if f.Code != edit.RolledBack && f.Code != edit.Skipped {
			first = f.text()
			break
		}
	}
	switch {
	case r.DryRun && len(r.Files) > 0 && r.Command == "apply":
		return fmt.Sprintf("%s would be applied in part: %s fit, %s not: %s", name, count(len(r.Files), "change"), count(r.groups, "file group"), first)
	case isCapture(r.Command) && len(r.Files) > 0:
		return fmt.Sprintf("%s: policy denies %s of the turn", name, count(len(r.Failures), "change"))
	case r.Command != "apply" && len(r.Files) > 0:
		return fmt.Sprintf("%s partially done: %s taken back, %s left: %s", name, count(len(r.Files), "change"), count(len(r.Failures), "path"), first)
	case len(r.Files) > 0:
		return fmt.Sprintf("%s partially applied: %s committed, %s not applied: %s", name, count(len(r.Files), "change"), count(r.groups, "file group"), first)
	case r.groups > 0:
		return fmt.Sprintf("%s failed: no changes committed, %s not applied: %s", name, count(r.groups, "file group"), first)
	}
	if r.Status == denied {
		return name + " denied: " + first
	}
	return name + " failed: " + first
}
