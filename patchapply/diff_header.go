package patchapply

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// A fileHead is what stands before the hunks of a file.
type fileHead struct {
	git   bool // it begins with diff --git
	names bool // it has the lines --- and +++

	both     string // the names behind diff --git, as written
	old, new string // the names behind --- and +++, decoded
	from     string // rename or copy
	dest     string
	copied   bool

	created, removed bool
	mode             fs.FileMode // new, 0 if it does not change
	preImage         string
	unsupported      string
}

// header reads the lines before the hunks.
func (d *diff) header() *fileHead {
	h := &fileHead{}
	if rest, ok := strings.CutPrefix(d.line(), diffGit); ok {
		h.git, h.both = true, rest
		for d.at++; d.at < d.to && d.extended(h, d.line()); d.at++ {
		}
	}
	switch {
	case d.at < d.to && d.named(d.at):
		h.names = true
		h.old = d.name(d.line()[len(oldName):])
		d.at++
		h.new = d.name(d.line()[len(newName):])
		d.at++
	case h.git && d.at < d.to && strings.HasPrefix(d.line(), oldName):
		d.fail(edit.BadInput, d.at+2, "%q is expected after %s", newName, quote(d.line()))
		d.at++
	}
	return h
}

// extended reads one of git's lines between diff --git and the names; false if
// the line is none.
func (d *diff) extended(h *fileHead, line string) bool {
	for _, key := range []string{"old mode ", "new mode ", "new file mode ", "deleted file mode ", "rename from ", "rename to ", "rename old ",
		"rename new ", "copy from ", "copy to ", "similarity index ", "dissimilarity index ", "index "} {
		value, ok := strings.CutPrefix(line, key)
		if !ok {
			continue
		}
		switch key {
		case "rename from ", "rename old ":
			h.from = d.name(value)
		case "copy from ":
			h.from, h.copied = d.name(value), true
		case "rename to ", "rename new ", "copy to ":
			h.dest = d.name(value)
		case "index ":
			ids, mode, _ := strings.Cut(value, " ")
			id, _, _ := strings.Cut(ids, "..")
			if strings.Trim(strings.ToLower(id), "0123456789abcdef") == "" && strings.Trim(id, "0") != "" {
				h.preImage = id
			}
			if _, why := fileMode(mode); why != "" {
				h.unsupported = why
			}
		case "old mode ", "new mode ", "new file mode ", "deleted file mode ":
			mode, why := fileMode(strings.TrimRight(value, " \t"))
			if mode == 0 && why == "" {
				d.fail(edit.BadInput, d.at+1, "a mode is expected in %s", quote(line))
			}
			if why != "" {
				h.unsupported = why
			}
			switch key {
			case "new mode ":
				h.mode = mode
			case "new file mode ":
				h.mode, h.created = mode, true
			case "deleted file mode ":
				h.removed = true
			}
		}
		return true
	}
	return false
}

// name decodes a name that ends its line: a quoted one, or all up to a tab,
// behind which other programs put the time.
func (d *diff) name(s string) string {
	if !strings.HasPrefix(s, `"`) {
		s, _, _ = strings.Cut(s, "\t")
		return s
	}
	quoted, err := strconv.QuotedPrefix(s)
	if err == nil {
		quoted, err = strconv.Unquote(quoted)
	}
	if err != nil {
		d.fail(edit.BadInput, d.at+1, "the quoted name %s cannot be decoded", quote(s))
		return s
	}
	return quoted
}

// unquoted decodes a name if it is quoted; "" if that cannot be done.
func unquoted(s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	s, _ = strconv.Unquote(s)
	return s
}

// prefixes are what git puts before old and new names: in any diff the first,
// the others, for what is compared, in its own diffs only.
var prefixes = [][2]string{{"a/", "b/"}, {"b/", "a/"}, {"i/", "w/"}, {"c/", "i/"}, {"c/", "w/"}, {"o/", "w/"}}

// paths returns the old and the new path, without prefixes; one of them may be
// /dev/null. Names that disagree, but for a rename, are decided for the new one.
func (d *diff) paths(h *fileHead) (old, path string) {
	switch {
	case h.from != "":
		return h.from, h.dest
	case h.names:
		return d.cut(h.old, h.new, h.git)
	case h.git:
		old, path = split(h.both)
		return d.cut(old, path, true)
	case d.diffed != "":
		return d.diffed, d.diffed
	}
	return d.opt.Path, d.opt.Path
}

// cut takes the prefixes off, both or none: a name that exists as written has
// no prefix.
func (d *diff) cut(old, path string, git bool) (string, string) {
	known := prefixes
	if !git {
		known = known[:1]
	}
	for _, p := range known {
		o, okOld := strings.CutPrefix(old, p[0])
		n, okNew := strings.CutPrefix(path, p[1])
		if !okOld && old != devNull || !okNew && path != devNull || !okOld && !okNew {
			continue
		}
		uncut := path
		if path == devNull {
			uncut = old
		}
		if d.opt.Exists != nil && d.opt.Exists(uncut) {
			return old, path
		}
		return o, n
	}
	return old, path
}

// split parts the two names behind diff --git. Unquoted ones can only be told
// apart where they are the same; they differ only beside headers that repeat
// them.
func split(both string) (old, path string) {
	switch {
	case strings.HasPrefix(both, `"`):
		quoted, err := strconv.QuotedPrefix(both)
		if err != nil {
			return "", ""
		}
		return unquoted(quoted), unquoted(strings.TrimPrefix(both[len(quoted):], " "))
	case strings.HasSuffix(both, `"`):
		old, path, _ = strings.Cut(both, ` "`)
		return old, unquoted(`"` + path)
	case len(both)%2 == 1 && both[len(both)/2] == ' ':
		return both[:len(both)/2], both[len(both)/2+1:]
	}
	return "", ""
}
