package patchapply

import (
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// A format is one way to write changes.
type format struct {
	name string   // as callers and reports call it
	also []string // further names that callers may give
	what string   // for messages: what begins in a text
	// arguments: the format is JSON, and begins in no text.
	arguments bool
	later     bool // recognised, but not read
	// bare reads arguments that come without the name of their tool; nil: the
	// keys tell.
	bare func(r *reader, o *object, line int)

	// starts reports whether an extent of the format begins at line i. It is
	// asked about visible lines outside other extents only.
	starts func(g *region, i int) bool
	// read reads the extent that begins at line i into operations and returns
	// the line after it.
	read func(g *region, i int) int
	// extent returns the line after the extent that begins at line i, so that
	// a fence in it does not end the fence around it. Nil: its lines cannot be
	// taken for fences.
	extent func(g *region, i int) int
	fenced bool // a fence around it is part of the format, and not noted
}

// formats are asked in this order.
var formats = []format{
	{name: "codex", also: []string{"apply-patch", "patch"}, what: "an envelope", starts: envelopeStarts, read: readEnvelope},
	{name: "blocks", also: []string{"diff", "diff-fenced", "editor-diff", "editor-diff-fenced", "cline", "roo", "zed"},
		what: "a SEARCH/REPLACE block", starts: blockStarts, read: readBlock, extent: blockExtent, fenced: true},
	{name: "git-diff", also: []string{"udiff", "udiff-simple"}, what: "a unified diff", starts: diffStarts, read: readDiff},
	{name: "xml", what: "an XML wrapper", starts: xmlStarts, read: readXML, extent: xmlExtent, fenced: true},
	{name: "edit", arguments: true, bare: func(r *reader, o *object, line int) { readEdit(r, "", o, line) }},
	{name: "multi-edit", arguments: true, bare: func(r *reader, o *object, line int) { readEdit(r, "MultiEdit", o, line) }},
	{name: "write", arguments: true, bare: func(r *reader, o *object, line int) { readWrite(r, "", o, line) }},
	{name: "notebook", arguments: true, bare: func(r *reader, o *object, line int) { readNotebook(r, "", o, line) }},
	{name: "text-editor", arguments: true, bare: func(r *reader, o *object, line int) { readEditor(r, "", o, line) }},
	{name: "memory", arguments: true, bare: func(r *reader, o *object, line int) { readEditor(r, "memory", o, line) }},
	{name: "lazy", arguments: true, bare: func(r *reader, o *object, _ int) { r.lazy(o, "") }},
	{name: "call", arguments: true},
	{name: "v4a", bare: func(r *reader, o *object, line int) { readV4A(r, o, line) }},
	{name: "whole", also: []string{"editor-whole"}},
}

// named finds a format by a caller's name for it; nil and true stand for auto.
func named(name string) (*format, bool) {
	if name == "" || name == "auto" {
		return nil, true
	}
	for i := range formats {
		if f := &formats[i]; f.name == name || slices.Contains(f.also, name) {
			return f, true
		}
	}
	return nil, false
}

func diffStarts(g *region, i int) bool {
	l := g.lines[i]
	switch {
	case strings.HasPrefix(l, diffGit), isMerge(l):
		return true
	case strings.HasPrefix(l, "@@"):
		return g.info == "diff" || g.info == "patch" || g.only != nil && g.only.name == "git-diff"
	}
	return strings.HasPrefix(l, "--- ") && i+1 < g.to && strings.HasPrefix(g.lines[i+1], "+++ ")
}

// A text is a text being read. Its lines keep their numbers whatever wrapping
// is taken off.
type text struct {
	*reader
	lines  []string
	begins bool    // some line begins a patch
	found  []start // in the order of the text
	prose  []int   // visible lines outside all extents, 0-based
	stray  []int   // section headers among them
	fences []*fenced
	used   map[int]bool // lines of the prose that were read as names
	// unclosed are the closing tags of fences that do not come any more.
	unclosed map[string]bool

	// The file of the block that was read last, the region it was in, and the
	// line after it.
	named    string
	namedIn  *region
	namedEnd int

	cr     []bool // the lines that ended in CR LF; nil if none did
	diffed string // the file of the last diff, to which hunks without names belong
}

// A start is where an extent of a format begins.
type start struct {
	line int // 0-based
	*format
}

// text reads a text that is no JSON.
func (r *reader) text(s string) {
	if r.only != nil && r.only.name == "v4a" {
		r.headerless(s)
		return
	}
	t := r.lines(s)
	t.begins = slices.ContainsFunc(t.lines, isBegin)
	before := len(r.errs)
	g := t.region(0, len(t.lines))
	g.inside(g, "")
	t.conclude(len(r.errs) > before)
}

// lines splits a text into lines.
func (r *reader) lines(s string) *text {
	return &text{reader: r, lines: splitText(s), cr: endedInCR(s), used: map[int]bool{}, unclosed: map[string]bool{}}
}

// A region is the whole text or the inside of a wrapping.
type region struct {
	*text
	from, to int
	last     int // the last visible line, from-1 if there is none
	depth    int // how many wrappings it lies in
	info     string
	head     int    // the line of the fence around it, -1 if there is none
	title    string // that fence's info as written
	blocks   *blockText

	cd   string // where the wrapping says that paths start
	open string // the wrapping that is not closed, for messages; empty if it is
	bare bool   // the first visible line may be a section header without Begin
}

func (t *text) region(from, to int) *region {
	g := &region{text: t, from: from, to: to, last: to - 1, head: -1}
	for g.last >= from && isBlank(t.lines[g.last]) {
		g.last--
	}
	return g
}

// walk goes down the region and reads every extent that begins in it.
func (g *region) walk() {
	first := true
	for i := g.from; i < g.to; {
		line := g.lines[i]
		if isBlank(line) {
			i++
			continue
		}
		g.bare, first = first && !g.begins, false
		if next := g.unwrap(i); next > i {
			i = next
			continue
		}
		f := g.startAt(i)
		if f == nil {
			g.skip(i)
			i++
			continue
		}
		g.found = append(g.found, start{i, f})
		g.explain("line %d begins %s (%s)", i+1, f.what, f.name)
		if f.later {
			i++
			continue
		}
		i = f.read(g, i)
	}
}

func (g *region) startAt(i int) *format {
	for k := range formats {
		f := &formats[k]
		if f.starts != nil && (g.only == nil || g.only.arguments || g.only == f) && f.starts(g, i) {
			return f
		}
	}
	return nil
}

// skip takes a line as prose.
func (t *text) skip(i int) {
	t.prose = append(t.prose, i)
	if mark, _ := header(t.lines[i]); mark != "" {
		t.stray = append(t.stray, i)
	}
}

// conclude judges the text as a whole.
func (t *text) conclude(failed bool) {
	slices.Sort(t.prose) // the head of a fence comes after what is in it
	if len(t.found) == 0 {
		if !failed && !t.listings() {
			t.nothing()
		}
		return
	}
	first := t.found[0]
	if i := slices.IndexFunc(t.found, func(s start) bool { return s.format != first.format }); i >= 0 {
		t.fail(edit.MixedFormats, t.found[i].line+1, "%s begins in line %d and %s in line %d: a request has one format", first.what, first.line+1, t.found[i].what, t.found[i].line+1)
		return
	}
	if first.later {
		t.fail(edit.Unsupported, first.line+1, "%s begins here (%s); this format is not read", first.what, quote(t.lines[first.line]))
		return
	}
	if len(t.stray) > 0 {
		t.fail(edit.BadInput, t.stray[0]+1, "a section header stands outside the patch: %s%s", quote(t.lines[t.stray[0]]), more(len(t.stray)-1))
	}
	if n := len(t.found); n > 1 && first.name == "codex" {
		t.note("envelopes", t.found[1].line+1, "%d patches were taken as one request", n)
	}
	if t.prose = t.prosaic(); len(t.prose) > 0 {
		t.note("prose", t.prose[0]+1, "text around the patch was left out (%s)", lineList(t.prose))
	}
}

// nearMiss is what resembles the beginning of a patch or block.
var nearMiss = lazyRegexp(`(?i)^\s*(?:\*{2,4}\s*(?:(?:begin|end) patch|(?:add|update|delete) file)\b|<{3,} ?search\b|-{3,} ?search\b)`)

// nothing says what was looked for, and what came near it.
func (t *text) nothing() {
	if e := t.notJSON; e != nil && e.Code == edit.Truncated {
		t.refuse(e)
		return
	}
	if len(t.stray) > 0 {
		// Whatever stands before the header may belong to the patch.
		first := slices.IndexFunc(t.lines, func(l string) bool { return !isBlank(l) })
		t.fail(edit.BadInput, first+1, "%s is no section header, and there is no %q before the section in line %d", quote(t.lines[first]), beginMark, t.stray[0]+1)
		return
	}
	if len(t.prose) > 0 && t.opt.Path != "" && strings.IndexByte("@ +-", t.lines[t.prose[0]][0]) >= 0 {
		t.headerless(strings.Join(t.lines, "\n"))
		return
	}
	facts := []string{"nothing was recognised: there is no patch (\"" + beginMark + "\"), a SEARCH/REPLACE block, a listing or an edit as JSON"}
	line, near := 0, 0
	for i, l := range t.lines {
		if !nearMiss().MatchString(l) {
			continue
		}
		if near++; near == 1 {
			line = i + 1
			facts = append(facts, quote(l)+" comes near a marker; markers are told apart by case, and need their width, colon and space")
		}
	}
	switch {
	case len(t.prose) == 0:
		facts = append(facts, "the text is empty")
	case near > 1:
		facts[len(facts)-1] += more(near - 1)
	case near == 0 && t.mentioned() != "":
		facts = append(facts, "the prose names "+quote(t.mentioned())+"; a listing needs its path alone on the line above its fence")
	case t.notJSON != nil:
		facts = append(facts, "as JSON: "+t.notJSON.Msg)
	}
	t.fail(edit.NothingRecognised, line, "%s", strings.Join(facts, "; "))
}
