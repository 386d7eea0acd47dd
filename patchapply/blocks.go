package patchapply

import (
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// blockStarts reports whether line i is the head of a SEARCH/REPLACE block.
func blockStarts(g *region, i int) bool {
	_, ok := headOf(g.lines[i], g.dialect())
	return ok
}

// blockExtent returns the line after the block that begins at line i, or i+1 if
// it is not whole: what stands in a block is not looked at otherwise.
func blockExtent(g *region, i int) int {
	if b := g.parseBlock(i, g.to); b.err == nil {
		return b.end
	}
	return i + 1
}

// dialect is the product whose markers are read beside Aider's.
func (g *region) dialect() string {
	if g.blocks != nil {
		return g.blocks.dialect
	}
	return g.opt.Format
}

// readBlock reads the block that begins at line i.
func readBlock(g *region, i int) int {
	g.base(g.cd, i+1)
	b := g.parseBlock(i, g.to)
	if b.err != nil {
		g.refuse(b.err)
		return b.end
	}
	if b.width {
		g.note("marker-width", i+1, "a marker of the block has another width than its head")
	}
	if b.head.indent != "" {
		g.dedented(i, b.head.indent)
	}
	path, ok := g.blockName(i)
	if !ok {
		return b.end
	}
	g.named, g.namedIn, g.namedEnd = path, g, b.end
	g.add("blocks", b.op(path, i+1, false))
	return b.end
}

// op makes the operation of a block. escaped says that its text may have been
// written with XML's entities.
func (b *block) op(path string, line int, escaped bool) edit.Op {
	return edit.Op{Kind: edit.Block, Tool: "edit", Path: path, Line: line,
		Replacements: []edit.Replacement{{Old: terminated(b.old), New: terminated(b.new), Hint: b.hint}},
		Readings:     readings(b, path, escaped)}
}

// terminated joins lines, each with a line break.
func terminated(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// A blockText is a text that holds blocks for one file: the argument of a call,
// or what stands in a tag.
type blockText struct {
	dialect string // cline or roo
	path    string
	format  string // as the request reports it
	hint    int    // the line at which the first block is said to start
	escaped bool   // its text may have been written with XML's entities
}

// readBlockText reads a text whose first line has the number line.
func (r *reader) readBlockText(b blockText, content string, line int) {
	t := &text{reader: r, lines: splitText(content)}
	g := t.region(0, len(t.lines))
	g.blocks = &b
	found := 0
	var rest []int
	for i := 0; i < g.to; {
		if !blockStarts(g, i) {
			if !isBlank(g.lines[i]) && !fence().MatchString(g.lines[i]) {
				rest = append(rest, line-1+i)
			}
			i++
			continue
		}
		found++
		p := g.parseBlock(i, g.to)
		switch {
		case p.err != nil:
			p.err.Line += line - 1
			r.refuse(p.err)
		default:
			if p.hint == 0 && found == 1 {
				p.hint = b.hint
			}
			if p.width {
				r.note("marker-width", line+i, "a marker of the block has another width than its head")
			}
			r.add(b.format, p.op(b.path, line+i, b.escaped))
		}
		i = p.end
	}
	switch {
	case found == 0:
		r.fail(edit.NothingRecognised, line, "there is no SEARCH/REPLACE block")
	case len(rest) > 0:
		r.note("prose", rest[0]+1, "text around the blocks was left out (%s)", lineList(rest))
	}
}

// splitText returns the lines of a text without their line breaks.
func splitText(s string) []string {
	lines := strings.Split(s, "\n")
	n := len(lines) - 1
	for i, l := range lines[:n] {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	if lines[n] == "" {
		lines = lines[:n]
	}
	return lines
}

// readBlockCall reads the arguments of a tool that takes a path and blocks.
func readBlockCall(r *reader, name string, args any, line int) bool {
	v, err := r.decoded(args, line)
	o, ok := v.(*object)
	switch {
	case err != nil:
		r.refuse(&edit.Error{Code: err.Code, Line: line, Msg: name + ": the arguments: " + err.Msg})
		return true
	case !ok:
		r.fail(edit.BadArguments, line, "%s: the arguments must be an object", name)
		return true
	}
	r.base("", line)
	before := len(r.errs)
	path, _ := r.takeString(o, name, pathKeys, "")
	if path == "" {
		path = r.opt.Path
	}
	diff, _ := r.takeString(o, name, diffKeys, "diff")
	if path == "" && len(r.errs) == before {
		r.fail(edit.BadArguments, o.line, "%s: path is missing", name)
	}
	if len(r.errs) == before {
		r.readBlockText(blockText{dialect: dialects[name], path: path, format: "blocks"}, diff, 1)
	}
	return true
}

var diffKeys = []string{"diff"}

// dialects are the markers that a tool or tag speaks.
var dialects = map[string]string{"replace_in_file": "cline", "apply_diff": "roo"}
