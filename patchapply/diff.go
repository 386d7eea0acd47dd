package patchapply

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

const (
	diffGit = "diff --git "
	oldName = "--- "
	newName = "+++ "
	devNull = "/dev/null"
)

// A diff is a unified diff being read, git's or any other.
type diff struct {
	*region
	at int // the next line
}

// readDiff reads the files of a diff that begins at line at, one directly
// after another.
func readDiff(g *region, at int) int {
	g.base(g.cd, at+1)
	d := &diff{region: g, at: at}
	first := len(g.req.Ops)
	d.file()
	for next := d.visible(); next < d.to && d.begins(next); next = d.visible() {
		d.at = next
		d.file()
	}
	if d.open != "" {
		d.fail(edit.Truncated, d.from, "%s is not closed, and a diff has no end of its own", d.open)
	}
	// Every part of a diff is about the files as they were before all of it:
	// what is copied must not have changed yet.
	slices.SortStableFunc(g.req.Ops[first:], func(a, b edit.Op) int {
		switch {
		case a.Copy && !b.Copy:
			return -1
		case b.Copy && !a.Copy:
			return 1
		}
		return 0
	})
	return d.at
}

// visible returns the next line that is not blank.
func (d *diff) visible() int {
	i := d.at
	for i < d.to && isBlank(d.lines[i]) {
		i++
	}
	return i
}

func (d *diff) line() string { return d.lines[d.at] }

// begins reports whether a file begins at line i with its names.
func (d *diff) begins(i int) bool {
	return strings.HasPrefix(d.lines[i], diffGit) || isMerge(d.lines[i]) || d.named(i)
}

// named reports whether lines i and i+1 name the old and the new file.
func (d *diff) named(i int) bool {
	return i+1 < d.to && strings.HasPrefix(d.lines[i], oldName) && strings.HasPrefix(d.lines[i+1], newName)
}

func isMerge(line string) bool {
	return strings.HasPrefix(line, "diff --cc ") || strings.HasPrefix(line, "diff --combined ")
}

// file reads one file of the diff.
func (d *diff) file() {
	op := edit.Op{Kind: edit.Diff, Tool: "apply_patch", Line: d.at + 1}
	if isMerge(d.line()) {
		d.merge(&op)
		return
	}
	bad := len(d.errs)
	h := d.header()
	switch {
	case h.names && d.at < d.to && strings.HasPrefix(d.line(), "@@@"):
		op.Unsupported = "a diff of a merge has several old files: send one against the file as it is"
		d.skipTo(d.begins)
	case h.git && d.at < d.to && d.line() == "GIT binary patch":
		op.Binary = d.binary()
	case h.git && d.at < d.to && differs(d.line()):
		op.Unsupported = "the diff does not hold the change of a binary file (" + quote(d.line()) + "): make it with --binary"
		d.at++
	}
	for d.at < d.to && op.Unsupported == "" && op.Binary == nil && strings.HasPrefix(d.line(), "@@") {
		d.hunk(&op, h)
		if next := d.visible(); next < d.to && strings.HasPrefix(d.lines[next], "@@") {
			d.at = next
		}
	}
	if len(d.errs) > bad {
		return
	}
	d.resolve(&op, h)
	d.diffed = op.Path
	if op.MoveTo != "" {
		d.diffed = op.MoveTo
	}
	d.add("git-diff", op)
}

// differs recognises what diff says instead of showing a binary change.
func differs(line string) bool {
	return (strings.HasPrefix(line, "Binary files ") || strings.HasPrefix(line, "Files ")) && strings.HasSuffix(line, " differ")
}

// merge reads a combined diff, which has no one old file.
func (d *diff) merge(op *edit.Op) {
	_, name, _ := strings.Cut(d.line(), "--")
	_, name, _ = strings.Cut(name, " ")
	if op.Path = unquoted(name); op.Path == "" {
		d.fail(edit.BadInput, d.at+1, "a path is expected in %s", quote(d.line()))
		op.Path = name
	}
	op.Unsupported = "a diff of a merge has several old files: send one against the file as it is"
	d.at++
	d.skipTo(func(i int) bool { return strings.HasPrefix(d.lines[i], diffGit) || isMerge(d.lines[i]) })
	d.add("git-diff", *op)
}

// skipTo leaves out the lines up to the next that ends them.
func (d *diff) skipTo(end func(i int) bool) {
	for d.at < d.to && !end(d.at) {
		d.at++
	}
}

// resolve says what the file's part of the diff asks for.
func (d *diff) resolve(op *edit.Op, h *fileHead) {
	refuse := func(format string, args ...any) { d.fail(edit.BadInput, op.Line, format, args...) }
	old, path := d.paths(h)
	isNew, isGone := h.created || old == devNull, h.removed || path == devNull
	removes, adds, keeps := 0, 0, 0
	for _, k := range op.Hunks {
		for _, l := range k.Lines {
			switch l.Kind {
			case edit.Removed:
				removes++
			case edit.Added:
				adds++
			default:
				keeps++
			}
		}
	}
	op.Path, op.PreImage, op.Mode = path, h.preImage, h.mode
	if isGone {
		op.Path = old
	}
	if h.unsupported != "" {
		op.Unsupported = h.unsupported
	}
	switch {
	case op.Path == "" || op.Path == devNull:
		refuse("the name of a file is expected before %s (%q and %q, or %q)", quote(d.lines[op.Line-1]), oldName, newName, diffGit)
	case op.Unsupported != "":
	case isNew && isGone, isNew && h.from != "", isGone && h.from != "":
		refuse("%s is said to be new, gone or moved at the same time", quote(op.Path))
	case h.from != "":
		op.Path, op.MoveTo, op.Copy = h.from, h.dest, h.copied
		if h.dest == "" {
			refuse("the new name of %s is expected", quote(h.from))
		}
	case isNew && removes+keeps > 0 && !h.created:
		d.note("dev-null", op.Line, "the old file is called %s, and lines of it are given: taken as a change of %s", devNull, quote(path))
		op.PreImage = ""
	case isNew && removes+keeps > 0:
		refuse("the new file %s has old lines", quote(path))
	case isNew:
		op.Kind = edit.Add
		op.Content = []byte(content(op.Hunks))
		op.Hunks = nil
	case isGone && adds+keeps > 0:
		refuse("the hunks that delete %s keep or add lines", quote(op.Path))
	case isGone:
		op.Kind, op.Verify, op.Mode = edit.Delete, true, 0
		if !h.git && len(op.Hunks) == 0 {
			refuse("the deletion of %s has no hunk with its lines", quote(op.Path))
		}
	case len(op.Hunks) == 0 && op.Binary == nil && op.Mode == 0:
		refuse("the diff of %s has neither a hunk nor another change; %q is expected in line %d", quote(path), "@@", d.at+1)
	}
}

// content is the text of a new file.
func content(hunks []edit.Hunk) string {
	var b strings.Builder
	bare := false
	for _, h := range hunks {
		for _, l := range h.Lines {
			b.WriteString(l.Text)
			b.WriteByte('\n')
		}
		bare = h.NewBare
	}
	if bare {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// fileMode is what a mode of git's means here: 0644 or 0755, or why it is not
// supported. Both are empty for what is no mode.
func fileMode(s string) (mode fs.FileMode, why string) {
	switch {
	case len(s) != 6:
	case s == "120000":
		why = "symbolic links are neither made nor changed"
	case s == "160000":
		why = "submodules are neither made nor changed"
	case strings.HasPrefix(s, "100") && strings.Trim(s, "01234567") == "":
		if mode = 0o644; (s[3]-'0')&1 != 0 {
			mode = 0o755
		}
	}
	return mode, why
}
