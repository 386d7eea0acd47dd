package patchapply

import (
	"slices"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// farthest is the last line that a hunk may be said to begin at; no file has
// as many.
const farthest = 1 << 30

var hunkRange = lazyRegexp(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?(?: @@|$)`)

// A stated is what the head of a hunk says about it.
type stated struct {
	ok       bool // it has numbers
	line     int  // the first old line, or the one before the new ones
	old, new int  // lines of each side
}

func statedBy(line string) (s stated) {
	m := hunkRange().FindStringSubmatch(line)
	if m == nil {
		return s
	}
	number := func(text string) int {
		if text == "" {
			return 1
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return farthest
		}
		return min(n, farthest)
	}
	return stated{true, number(m[1]), number(m[2]), number(m[4])}
}

// hunk reads the hunk whose head is the next line.
func (d *diff) hunk(op *edit.Op, h *fileHead) {
	s := statedBy(d.line())
	head := d.at
	end := -1
	if s.ok {
		end = d.counted(head+1, s.old, s.new)
	}
	if end < 0 {
		if s.ok {
			d.note("hunk-counts", head+1, "the hunk does not have as many lines as its head says; it was read up to the next head")
		}
		end = d.bounded(head + 1)
	}
	k := edit.Hunk{Line: head + 1}
	var removed, added []int // lines of the request
	for d.at++; d.at < end; d.at++ {
		d.hunkLine(&k)
		switch n := len(k.Lines); {
		case n == 0 || isNoNewline(d.line()):
		case k.Lines[n-1].Kind == edit.Removed:
			removed = append(removed, d.at)
		case k.Lines[n-1].Kind == edit.Added:
			added = append(added, d.at)
		}
	}
	if len(k.Lines) == 0 {
		d.fail(edit.BadInput, head+1, "the hunk that begins here (%s) has no lines; a space, %q or %q is expected in line %d", quote(d.lines[head]), "+", "-", end+1)
		return
	}
	old := slices.ContainsFunc(k.Lines, func(l edit.Line) bool { return l.Kind != edit.Added })
	switch {
	case !s.ok:
	case old:
		k.At = s.line
	case s.old == 0 && (s.line > 0 || h.git):
		// Zero lines after line N. Outside git's own diffs -0,0 says that there is
		// no file, or an empty one.
		k.At = s.line + 1
	}
	if d.onlyCR(removed, added) {
		op.Unsupported = "a hunk changes nothing but carriage returns; files keep the line endings that they have"
	}
	op.Hunks = append(op.Hunks, k)
}

// hunkLine takes the next line into the hunk.
func (d *diff) hunkLine(k *edit.Hunk) {
	line := d.line()
	kind, text := edit.Context, line
	switch {
	case isNoNewline(line):
		n := len(k.Lines)
		if n == 0 {
			d.fail(edit.BadInput, d.at+1, "%s follows no line", quote(line))
			return
		}
		last := k.Lines[n-1].Kind
		k.OldBare = k.OldBare || last != edit.Added
		k.NewBare = k.NewBare || last != edit.Removed
		return
	case line == "":
	case line[0] == ' ' || line[0] == '+' || line[0] == '-':
		kind, text = edit.LineKind(line[0]), line[1:]
	}
	if k.OldBare && kind != edit.Added || k.NewBare && kind != edit.Removed {
		d.fail(edit.BadInput, d.at+1, "a line follows the one that is said to be the last of the file: %s", quote(line))
	}
	k.Lines = append(k.Lines, edit.Line{Kind: kind, Text: text})
}

// isNoNewline recognises git's marker behind a last line without line break,
// whose words depend on the language.
func isNoNewline(line string) bool { return len(line) >= 12 && strings.HasPrefix(line, `\ `) }

// hunkLike reports whether a line can only be taken as one of a hunk.
func hunkLike(line string) bool {
	return line != "" && strings.IndexByte(" +-", line[0]) >= 0 || isNoNewline(line)
}

// counted returns the line after the so many old and new lines that begin at
// line i; -1 if they are not there, or the hunk goes on after them.
func (d *diff) counted(i, old, new int) int {
	for ; old > 0 || new > 0; i++ {
		if i == d.to {
			return -1
		}
		switch l := d.lines[i]; {
		case l == "", l[0] == ' ':
			old, new = old-1, new-1
		case l[0] == '-':
			old--
		case l[0] == '+':
			new--
		case isNoNewline(l):
		case !d.fenced(), strings.HasPrefix(l, "@@"), strings.HasPrefix(l, diffGit):
			return -1
		default: // context that lacks its blank
			old, new = old-1, new-1
		}
		if old < 0 || new < 0 {
			return -1
		}
	}
	if i < d.to && isNoNewline(d.lines[i]) {
		i++
	}
	next := i
	for next < d.to && d.lines[next] == "" {
		next++
	}
	switch {
	case next == d.to, strings.HasPrefix(d.lines[next], "@@"), d.begins(next), d.signature(next, false):
		return i
	case hunkLike(d.lines[next]), next == i && d.fenced():
		return -1
	}
	return i
}

// bounded returns the line after a hunk that begins at line i and ends where
// the next one or the next file begins, less blank lines.
func (d *diff) bounded(i int) int {
	from := i
	for ; i < d.to; i++ {
		l := d.lines[i]
		if strings.HasPrefix(l, "@@") || strings.HasPrefix(l, diffGit) || isMerge(l) || d.signature(i, true) {
			break
		}
		if d.named(i) {
			if i+2 == d.to || !strings.HasPrefix(d.lines[i+2], "@@") {
				d.fail(edit.BadInput, i+1, "%s and %s can be names as well as a line that is removed and one that is added: give the hunk right counts, or send it as an edit",
					quote(l), quote(d.lines[i+1]))
				return d.unclear(i)
			}
			break
		}
		if l != "" && !hunkLike(l) && !d.fenced() {
			break
		}
	}
	for i > from && d.lines[i-1] == "" {
		i--
	}
	return i
}

// unclear returns the line where reading goes on after one that can be taken
// in two ways.
func (d *diff) unclear(i int) int {
	for i++; i < d.to && !strings.HasPrefix(d.lines[i], "@@") && !strings.HasPrefix(d.lines[i], diffGit); i++ {
	}
	return i
}

// fenced reports whether the diff has an end of its own, so that a line without
// its first character belongs to it.
func (d *diff) fenced() bool { return d.depth == 1 }

var gitVersion = lazyRegexp(`^\d+\.\d`)

// signature reports whether git's signature of a mail begins at line i. For
// sure it does where a version follows.
func (d *diff) signature(i int, sure bool) bool {
	if strings.TrimRight(d.lines[i], " ") != "--" {
		return false
	}
	return !sure || i+1 < d.to && gitVersion().MatchString(d.lines[i+1])
}

// onlyCR reports whether lines are replaced by the same ones with other line
// endings.
func (d *diff) onlyCR(removed, added []int) bool {
	if d.cr == nil || len(removed) != len(added) {
		return false
	}
	differ := false
	for i, r := range removed {
		a := added[i]
		if d.lines[r][1:] != d.lines[a][1:] {
			return false
		}
		differ = differ || d.cr[r] != d.cr[a]
	}
	return differ
}

// endedInCR tells which lines of a text end in CR LF; nil if none does.
func endedInCR(s string) (cr []bool) {
	if !strings.Contains(s, "\r\n") {
		return nil
	}
	for l := range strings.Lines(s) {
		cr = append(cr, strings.HasSuffix(l, "\r\n"))
	}
	return cr
}
