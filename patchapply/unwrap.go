package patchapply

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// unwrap opens the wrapping that begins at line i, reads what is in it and
// returns the line after it; i if no wrapping begins there. A fence may lie in
// nothing, a heredoc in a fence: what is wrapped deeper is content.
func (g *region) unwrap(i int) int {
	if g.depth == 0 {
		if m := fence().FindStringSubmatch(g.lines[i]); m != nil {
			return g.fence(i, m[1], m[2], strings.TrimSpace(m[3]))
		}
		if m := tagFence().FindStringSubmatch(g.lines[i]); m != nil && g.tagged(i, m[1], m[2]) {
			return g.fence(i, m[1], "<"+m[2]+">", m[3])
		}
	}
	if g.depth < 2 && strings.Contains(g.lines[i], "<<") {
		if m := heredoc().FindStringSubmatch(g.lines[i]); m != nil {
			return g.heredoc(i, m)
		}
	}
	return i
}

// inside reads the lines of a wrapping whose own indentation is indent, and
// reports whether an extent begins in it.
func (g *region) inside(in *region, indent string) bool {
	found := len(g.found)
	as := slices.Clone(g.lines[in.from:in.to])
	cut := in.dedent(in.from, in.to)
	in.walk()
	if len(g.found) == found {
		copy(g.lines[in.from:in.to], as) // a listing's indentation is content
		return false
	}
	if cut != "" && cut != indent {
		g.dedented(in.from, cut)
	}
	return true
}

var fence = lazyRegexp("^([ \t]*)(`{3,}|~{3,})([^`]*)$")

// shells are the infos of blocks that are commands, which are never run.
var shells = map[string]bool{"sh": true, "bash": true, "zsh": true, "console": true, "shell": true, "powershell": true, "cmd": true}

// A fenced is a fence in which no extent begins.
type fenced struct {
	at, end       int // its lines; end is g.to if it is not closed
	open          bool
	indent, ticks string
	title         string // its info as written
	shell         bool
}

// tagFence opens a fence of tags, as Aider asks some models to write.
var tagFence = lazyRegexp(`^([ \t]*)<(source|code|pre|codeblock|sourcecode)>(\w*)$`)

// tagEnd is a line that closes one.
var tagEnd = lazyRegexp(`^\s*</(?:source|code|pre|codeblock|sourcecode)>\s*$`)

// tagged reports whether the tag that line at opens is closed.
func (g *region) tagged(at int, indent, tag string) bool {
	closing := indent + "</" + tag + ">"
	if g.unclosed[closing] {
		return false // nor does one further down
	}
	for _, l := range g.lines[at+1 : g.to] {
		if strings.TrimRight(l, " \t") == closing {
			return true
		}
	}
	g.unclosed[closing] = true
	return false
}

func (g *region) fence(at int, indent, ticks, info string) int {
	end := g.fenceEnd(at, indent, ticks)
	in := g.region(at+1, end)
	in.depth, in.head, in.title = 1, at, info
	in.info, _, _ = strings.Cut(info, " ")
	in.info = strings.ToLower(in.info)
	if end == g.to {
		in.open = fmt.Sprintf("the fence of line %d", at+1)
	}
	prose := len(g.prose)
	switch {
	case g.inside(in, indent):
		if !g.found[len(g.found)-1].fenced {
			g.note("fence", at+1, "the patch stands in a Markdown fence")
		}
	case shells[in.info]:
		g.prose = g.prose[:prose]
		g.note("shell-block", at+1, "a block of %s was left out: nothing in a request is run", quote(in.info))
		g.fences = append(g.fences, &fenced{at, end, in.open != "", indent, ticks, info, true})
	default:
		g.skip(at)
		g.fences = append(g.fences, &fenced{at, end, in.open != "", indent, ticks, info, false})
	}
	return min(end+1, g.to)
}

// fenceEnd returns the line that closes the fence of line at, g.to if none
// does. Only the same indentation closes, or, if nothing else does, a smaller
// one: a context line of a patch may be a fence, too. What lies in an extent is
// its content.
func (g *region) fenceEnd(at int, indent, ticks string) int {
	in := g.region(at+1, g.to)
	outer := g.to
	for end := at + 1; end < g.to; end++ {
		if f := in.startAt(end); f != nil && f.extent != nil {
			end = f.extent(in, end) - 1
			continue
		}
		own := indentOf(g.lines[end])
		l, ok := strings.CutPrefix(g.lines[end][len(own):], closes(ticks))
		switch ok = ok && strings.Trim(strings.TrimLeft(l, ticks[:1]), " \t") == ""; {
		case ok && own == indent:
			return end
		case ok && outer == g.to && len(own) < len(indent):
			outer = end
		}
	}
	return outer
}

// closes is what closes a fence.
func closes(ticks string) string {
	if tag, ok := strings.CutPrefix(ticks, "<"); ok {
		return "</" + tag
	}
	return ticks
}

// heredoc is a line that hands over a text as shells do: directory, program,
// the dash that takes off tabs, and the word that ends it.
var heredoc = lazyRegexp(`^\s*(?:cd\s+("[^"]+"|'[^']+'|[^\s&;|<>]+)\s*&&\s*)?(?:(apply_patch|applypatch)\s*)?<<(-?)\s*(?:'([^']+)'|"([^"]+)"|([^\s'"<>|&;()$\x60\\]+))\s*$`)

func (g *region) heredoc(at int, m []string) int {
	word := m[4] + m[5] + m[6]
	end := at + 1
	for ; end < g.to; end++ {
		l := g.lines[end]
		if m[3] != "" {
			l = strings.TrimLeft(l, "\t")
		}
		if strings.TrimRight(l, " \t") == word {
			break
		}
	}
	in := g.region(at+1, end)
	in.depth = 2
	if end == g.to {
		in.open = fmt.Sprintf("the heredoc of line %d", at+1)
	}
	if m[3] != "" {
		for i := at + 1; i < end; i++ {
			in.lines[i] = strings.TrimLeft(in.lines[i], "\t")
		}
	}
	in.cd = strings.Trim(m[1], `"'`)
	if strings.ContainsAny(in.cd, "$`*?[\\") || strings.HasPrefix(m[1], "~") || in.cd == "-" {
		g.fail(edit.BadInput, at+1, "the directory %s can only be found by running a shell", quote(in.cd))
		in.cd = ""
	}
	if i := g.lastProse(at); i >= 0 && strings.HasPrefix(strings.TrimSpace(g.lines[i]), "cd ") {
		g.fail(edit.BadInput, i+1, "%s is a command of its own, which is not run: the directory is read from %q only", quote(g.lines[i]), "cd DIR && apply_patch")
	}
	if g.inside(in, "") {
		g.note("heredoc", at+1, "the patch stands in a heredoc; nothing of the command, or after it, was run")
	} else {
		g.skip(at)
	}
	return min(end+1, g.to)
}

// lastProse returns the line of prose that directly precedes line at, -1 if
// none does.
func (g *region) lastProse(at int) int {
	if n := len(g.prose); n > 0 && g.prose[n-1] == at-1 {
		return at - 1
	}
	return -1
}

// dedent takes off the indentation of the first visible line if all lines from
// up to before to have it, and returns it.
func (t *text) dedent(from, to int) string {
	for from < to && isBlank(t.lines[from]) {
		from++
	}
	if from == to {
		return ""
	}
	indent := indentOf(t.lines[from])
	if indent == "" {
		return ""
	}
	for _, l := range t.lines[from:to] {
		if !strings.HasPrefix(l, indent) && !isBlank(l) {
			return ""
		}
	}
	for i, l := range t.lines[from:to] {
		if rest, ok := strings.CutPrefix(l, indent); ok {
			t.lines[from+i] = rest
		} else {
			t.lines[from+i] = ""
		}
	}
	return indent
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

func (t *text) dedented(at int, indent string) {
	t.note("dedent", at+1, "the indentation %s of all lines was taken off", quote(indent))
}

// lineList names lines, the first ten and how many more.
func lineList(at []int) string {
	var b strings.Builder
	b.WriteString("line")
	if len(at) > 1 {
		b.WriteString("s")
	}
	for i, a := range at[:min(len(at), 10)] {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %d", a+1)
	}
	if len(at) > 10 {
		fmt.Fprintf(&b, " (+%d more)", len(at)-10)
	}
	return b.String()
}
