package patchapply

import (
	"path"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// readings are the other ways to read a block, in the order in which they are
// tried.
func readings(b *block, name string, escaped bool) (out []edit.Reading) {
	add := func(code edit.Code, msg string, old, new []string) {
		out = append(out, edit.Reading{Old: terminated(old), New: terminated(new), Code: code, Msg: msg})
	}
	if old, ok := unnumbered(b.old); ok && b.roo {
		replacement, ok := unnumbered(b.new)
		if !ok {
			replacement = b.new
		}
		add("junk", "the line numbers before the block's lines were taken off", old, replacement)
	}
	if old := terminated(b.old); escaped && entities.Replace(old) != old {
		out = append(out, edit.Reading{Old: entities.Replace(old), New: entities.Replace(terminated(b.new)), Code: "entities",
			Msg: "the block was found only with its XML entities decoded, once"})
	}
	if old, ok := unwrapped(b.old, name); ok {
		replacement, ok := unwrapped(b.new, name)
		if ok || len(b.new) == 0 {
			add("fence", "the file's name and the fence inside the block were taken off", old, replacement)
		}
	}
	if len(b.old) > 2 && isBlank(b.old[0]) {
		replacement := b.new
		if len(replacement) > 0 && isBlank(replacement[0]) {
			replacement = replacement[1:]
		}
		add("trimmed", "the blank first line of SEARCH, which the file does not have, was dropped", b.old[1:], replacement)
	}
	return out
}

var numberedLine = lazyRegexp(`^[ \t]*\d+ \| ?`)

// unnumbered takes off the line numbers that a reading tool puts before lines,
// if all have them.
func unnumbered(lines []string) ([]string, bool) {
	out := make([]string, len(lines))
	for i, l := range lines {
		m := numberedLine().FindString(l)
		if m == "" {
			return nil, false
		}
		out[i] = l[len(m):]
	}
	return out, len(lines) > 0
}

// unwrapped takes off a fence around all lines, and the file's name above it.
func unwrapped(lines []string, name string) ([]string, bool) {
	in := lines
	if len(in) > 2 {
		if first := bareName(in[0]); first == name || first == path.Base(name) {
			in = in[1:]
		}
	}
	if len(in) < 2 {
		return nil, false
	}
	open := fence().FindStringSubmatch(in[0])
	if open == nil || strings.TrimSpace(in[len(in)-1]) != open[2] {
		return nil, false
	}
	return in[1 : len(in)-1], true
}

// entities decodes the five of XML, once.
var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`, "&apos;", "'")
