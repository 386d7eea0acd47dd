package patchapply

import (
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// blockName finds the file of the block whose head is line i: what is named
// nearest above it, else the file of the block before.
func (g *region) blockName(i int) (string, bool) {
	above := i - 1
	again := g.namedIn == g && g.namedEnd > 0 // the fence, or the text, has had a block
	if above >= g.from && !(again && above < g.namedEnd) {
		if name, ok := g.nameAt(above, g.from); ok {
			return name, true
		}
	}
	if g.head >= 0 && !again {
		if strings.ContainsAny(g.title, "./") {
			return bareName(g.title), true
		}
		above = g.head - 1
		if above >= 0 {
			if name, ok := g.nameAt(above, 0); ok {
				return name, true
			}
		}
	}
	switch told := g.otherFile(above); {
	case g.named != "" && told == "":
		return g.named, true
	case g.named != "":
		g.fail(edit.BadInput, i+1, "the block that begins here is for %s or for %s, which line %d speaks of: put its path alone on the line above it", quote(g.named), quote(told), above+1)
	case g.opt.Path != "":
		return g.opt.Path, true
	default:
		g.fail(edit.BadInput, i+1, "the block that begins here names no file: put its path alone on the line above its fence")
	}
	return "", false
}

// nameAt reads line i, or the line above it beyond blank ones, as a name. Behind
// blank lines only what is plainly a path counts.
func (g *region) nameAt(i, from int) (string, bool) {
	direct := !isBlank(g.lines[i])
	for i >= from && isBlank(g.lines[i]) {
		i--
	}
	if i < from || i < g.namedEnd {
		return "", false
	}
	line, first := g.lines[i], i
	if fence().MatchString(line) { // the end of a fence with only a name in it
		if i-2 < from || !fence().MatchString(g.lines[i-2]) {
			return "", false
		}
		line, direct, first = g.lines[i-1], true, i-2
	}
	name := bareName(line)
	if name == "" || !g.isPath(line) && !(direct && !strings.ContainsAny(name, " \t")) {
		return "", false
	}
	for ; first <= i; first++ {
		g.used[first] = true
	}
	return name, true
}

// isPath reports whether a line is plainly a path: that of a file, a word with
// a dot or slash, or one that is marked as code or emphasised.
func (r *reader) isPath(line string) bool {
	name := bareName(line)
	switch {
	case name == "":
		return false
	case r.exists(name), !strings.ContainsAny(name, " \t") && strings.ContainsAny(name, "./"):
		return true
	}
	t := strings.TrimSpace(strings.TrimLeft(strings.TrimSuffix(strings.TrimSpace(line), ":"), "#"))
	return len(t) > 2 && strings.IndexByte("`*", t[0]) >= 0 && t[len(t)-1] == t[0] && !strings.ContainsAny(name, "`*")
}

func (r *reader) exists(name string) bool { return r.opt.Exists != nil && r.opt.Exists(name) }

// bareName cuts what decorates a name: blanks, emphasis, a heading's marks, a
// colon at the end.
func bareName(line string) string {
	for {
		t := strings.TrimSpace(line)
		t = strings.TrimSpace(strings.TrimLeft(t, "#"))
		t = strings.TrimSpace(strings.TrimSuffix(t, ":"))
		if len(t) > 1 && (t[0] == '`' || t[0] == '*') && t[len(t)-1] == t[0] {
			t = t[1 : len(t)-1]
		}
		if t == line {
			return t
		}
		line = t
	}
}

// wordsMost bounds how many words of a line are looked up as files.
const wordsMost = 100

// otherFile returns a file that the line speaks of and that is not the one of
// the block before.
func (g *region) otherFile(i int) string {
	if i < 0 {
		return ""
	}
	words := strings.Fields(g.lines[i])
	for _, w := range words[:min(len(words), wordsMost)] {
		w = strings.Trim(w, "`*\"'.,:;()")
		if w != "" && w != g.named && g.exists(w) {
			return w
		}
	}
	return ""
}

// prosaic returns the prose without the lines that were read as names.
func (t *text) prosaic() []int {
	return slices.DeleteFunc(t.prose, func(i int) bool { return t.used[i] })
}
