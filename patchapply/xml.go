package patchapply

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

var xmlTag = lazyRegexp(`^\s*<(replace_in_file|write_to_file|apply_diff|edits|instruction|update)>`)

func xmlStarts(g *region, i int) bool {
	return strings.IndexByte(g.lines[i], '<') >= 0 && xmlTag().MatchString(g.lines[i])
}

// xmlExtent returns the line after the wrapper that begins at line i. One that
// is not closed takes all that follows.
func xmlExtent(g *region, i int) int {
	_, end, _ := g.wrapper(i, xmlTag())
	return end
}

// readXML reads the wrapper that begins at line i.
func readXML(g *region, i int) int {
	g.base(g.cd, i+1)
	e, end, ok := g.wrapper(i, xmlTag())
	if !ok {
		g.fail(edit.Truncated, i+1, "the tag <%s> that begins here is not closed", e.name)
		return end
	}
	switch e.name {
	case "replace_in_file":
		g.xmlBlocks(e, "cline")
	case "apply_diff":
		if args, _, ok := e.child("args"); ok {
			g.xmlFiles(args)
		} else {
			g.xmlBlocks(e, "roo")
		}
	case "write_to_file":
		g.xmlWrite(e)
	case "edits":
		g.xmlEdits(e)
	case "instruction":
		return g.xmlUpdate(i, end)
	case "update":
		g.xmlLazy(e)
	}
	return end
}

// An element is a tag and what stands in it.
type element struct {
	name  string
	attrs string
	text  string // without the line break directly behind the opening tag
	line  int    // of the text's beginning
	cdata bool   // its text stood in a CDATA section and is literal
}

const (
	cdataOpen  = "<![CDATA["
	cdataClose = "]]>"
)

// wrapper takes the element that begins at line i and returns the line after
// it. It reports false if the element is not closed, and then all lines are its.
func (g *region) wrapper(i int, tag *regexp.Regexp) (e element, end int, ok bool) {
	m := tag.FindStringSubmatchIndex(g.lines[i])
	name := g.lines[i][m[2]:m[3]]
	closing := "</" + name + ">"
	literal := false
	for end = i; end < g.to; end++ {
		l := g.lines[end]
		if end == i {
			l = l[m[1]:]
		}
		at := closingIn(l, closing, &literal)
		if at < 0 {
			continue
		}
		if end == i {
			return newElement(name, "", l[:at], i+1), end + 1, true
		}
		text := append([]string{g.lines[i][m[1]:]}, g.lines[i+1:end]...)
		return newElement(name, "", strings.Join(append(text, l[:at]), "\n"), i+1), end + 1, true
	}
	return element{name: name}, g.to, false
}

// closingIn finds a closing tag in a line outside CDATA sections; literal says
// whether the line begins in one, and then whether the next does.
func closingIn(line, closing string, literal *bool) int {
	for at := 0; ; {
		if *literal {
			i := strings.Index(line[at:], cdataClose)
			if i < 0 {
				return -1
			}
			at, *literal = at+i+len(cdataClose), false
		}
		end, open := strings.Index(line[at:], closing), strings.Index(line[at:], cdataOpen)
		if open < 0 || end >= 0 && end < open {
			if end >= 0 {
				end += at
			}
			return end
		}
		at, *literal = at+open+len(cdataOpen), true
	}
}

func newElement(name, attrs, text string, line int) element {
	e := element{name: name, attrs: attrs, line: line}
	if t := strings.TrimSpace(text); strings.HasPrefix(t, cdataOpen) && strings.HasSuffix(t, cdataClose) && len(t) >= len(cdataOpen)+len(cdataClose) {
		e.line += strings.Count(text[:strings.Index(text, cdataOpen)], "\n")
		e.text, e.cdata = t[len(cdataOpen):len(t)-len(cdataClose)], true
		return e
	}
	if strings.HasPrefix(text, "\n") {
		text, e.line = text[1:], line+1
	}
	e.text = text
	return e
}

// child takes the first element of a name out of the text; rest is what follows
// it. ends are further names whose closing tags close it.
func (e element) child(name string, ends ...string) (child, rest element, ok bool) {
	start := strings.Index(e.text, "<"+name)
	if start < 0 {
		return child, e, false
	}
	attrs, body, closed := strings.Cut(e.text[start+1+len(name):], ">")
	if !closed || attrs != "" && attrs[0] != ' ' && attrs[0] != '\t' && attrs[0] != '\n' {
		return child, e, false
	}
	line := e.line + strings.Count(e.text[:len(e.text)-len(body)], "\n")
	at, size := -1, 0
	for _, n := range append([]string{name}, ends...) {
		if i := closingAt(body, "</"+n+">"); i >= 0 && (at < 0 || i < at) {
			at, size = i, len("</"+n+">")
		}
	}
	if at < 0 {
		return child, e, false
	}
	rest = element{name: e.name, text: body[at+size:], line: line + strings.Count(body[:at+size], "\n")}
	return newElement(name, attrs, body[:at], line), rest, true
}

func closingAt(text, closing string) int {
	literal := false
	return closingIn(text, closing, &literal)
}

// last is child for text that may hold its own closing tag: the last one of the
// element closes it.
func (e element) last(name string) (element, bool) {
	open := strings.Index(e.text, "<"+name+">")
	shut := strings.LastIndex(e.text, "</"+name+">")
	if from := open + len(name) + 2; open >= 0 && shut >= from {
		return newElement(name, "", e.text[from:shut], e.line+strings.Count(e.text[:from], "\n")), true
	}
	return element{}, false
}

// xmlPath returns the path that an element names.
func (g *region) xmlPath(e element) (string, bool) {
	p, _, _ := e.child("path")
	path := strings.TrimSpace(p.text)
	if path == "" {
		path = g.opt.Path
	}
	if path == "" {
		g.fail(edit.BadInput, e.line, "<%s> names no file: a <path> is expected in it", e.name)
	}
	return path, path != ""
}

// xmlBlocks reads a path and the blocks for it.
func (g *region) xmlBlocks(e element, dialect string) {
	path, ok := g.xmlPath(e)
	diff, has := e.last("diff")
	switch {
	case !has:
		g.fail(edit.BadInput, e.line, "<%s> has no <diff>", e.name)
	case ok:
		g.readBlockText(blockText{dialect: dialect, path: path, format: "xml", escaped: !diff.cdata}, diff.text, diff.line)
	}
}

// xmlFiles reads Roo's list of files, each with one or more diffs.
func (g *region) xmlFiles(args element) {
	found := false
	for file, rest, ok := args.child("file"); ok; file, rest, ok = rest.child("file") {
		found = true
		path, named := g.xmlPath(file)
		diffs := 0
		for diff, more, ok := file.child("diff"); ok; diff, more, ok = more.child("diff") {
			diffs++
			content, has := diff.last("content")
			if !has {
				g.fail(edit.BadInput, diff.line, "a <diff> has no <content>")
				continue
			}
			start, _, _ := diff.child("start_line")
			hint, _ := strconv.Atoi(strings.TrimSpace(start.text))
			if named {
				g.readBlockText(blockText{dialect: "roo", path: path, format: "xml", hint: hint, escaped: !content.cdata}, content.text, content.line)
			}
		}
		if diffs == 0 {
			g.fail(edit.BadInput, file.line, "a <file> has no <diff>")
		}
	}
	if !found {
		g.fail(edit.BadInput, args.line, "<args> has no <file>")
	}
}

// xmlWrite reads the content of a whole file.
func (g *region) xmlWrite(e element) {
	path, ok := g.xmlPath(e)
	content, has := e.last("content")
	if !has {
		g.fail(edit.BadInput, e.line, "<%s> has no <content>", e.name)
		return
	}
	if !ok {
		return
	}
	if count, _, told := e.child("line_count"); told {
		if n := len(splitText(content.text)); strings.TrimSpace(count.text) != strconv.Itoa(n) {
			g.note("ignored-field", count.line, "line_count is %s, the content has %d lines", quote(strings.TrimSpace(count.text)), n)
		}
	}
	g.add("xml", edit.Op{Kind: edit.Write, Tool: "write", Path: path, Content: []byte(content.text), Line: content.line})
}

var lineAttr = lazyRegexp(`\bline\s*=\s*["']?(\d{1,9})`)

// xmlEdits reads Zed's pairs of old and new text.
func (g *region) xmlEdits(e element) {
	if g.opt.Path == "" {
		g.fail(edit.BadInput, e.line, "<edits> names no file: --path is needed")
		return
	}
	pairs := 0
	for rest := e; ; pairs++ {
		old, after, ok := rest.child("old_text", "new_text")
		if !ok {
			break
		}
		replacement, more, ok := after.child("new_text", "old_text")
		if !ok {
			g.fail(edit.BadInput, old.line, "an <old_text> has no <new_text> behind it")
			return
		}
		b := &block{old: splitText(old.text), new: splitText(replacement.text)}
		if m := lineAttr().FindStringSubmatch(old.attrs); m != nil {
			b.hint, _ = strconv.Atoi(m[1])
		}
		g.add("xml", b.op(g.opt.Path, old.line, !old.cdata))
		rest = more
	}
	if pairs == 0 {
		g.fail(edit.BadInput, e.line, "<edits> has no <old_text>")
	}
}

var morphTag = lazyRegexp(`^\s*<(code|update)>`)

// xmlUpdate reads what follows Morph's instruction: the old code, which is not
// needed, and the update.
func (g *region) xmlUpdate(at, i int) int {
	for i < g.to {
		if isBlank(g.lines[i]) {
			i++
			continue
		}
		if !morphTag().MatchString(g.lines[i]) {
			break
		}
		e, end, ok := g.wrapper(i, morphTag())
		switch {
		case !ok:
			g.fail(edit.Truncated, i+1, "the tag <%s> that begins here is not closed", e.name)
			return end
		case e.name == "update":
			g.xmlLazy(e)
			return end
		}
		i = end
	}
	g.fail(edit.Truncated, at+1, "the <instruction> that begins here has no <update> behind it")
	return i
}

func (g *region) xmlLazy(e element) {
	if g.opt.Path == "" {
		g.fail(edit.BadInput, e.line, "<update> names no file: --path is needed")
		return
	}
	g.addLazy("xml", g.opt.Path, e.text, e.line)
}
