package edit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/jsonspan"
)

// gaps are what stands around and between the members of an object or list:
// white space, and the comma.
type gaps struct{ open, sep, close string }

// around takes the gaps from an object or list with members; one that has but
// one says nothing of what separates two, so they are set as the first is.
func (nb *notebook) around(v jsonspan.Value) gaps {
	parts := v.Items
	for _, m := range v.Members {
		parts = append(parts, jsonspan.Value{Start: m.Start, End: m.End})
	}
	g := gaps{open: string(nb.text[v.Start+1 : parts[0].Start]), close: string(nb.text[parts[len(parts)-1].End : v.End-1])}
	g.sep = "," + g.open
	if len(parts) > 1 {
		g.sep = string(nb.text[parts[0].End:parts[1].Start])
	}
	return g
}

// usual are the gaps at a depth, the root's being 1, as the root itself is laid
// out: by lines, indented by one more unit each, or all in one line.
func (nb *notebook) usual(depth int) gaps {
	g := nb.around(nb.root)
	if i := strings.LastIndexByte(g.open, '\n'); i >= 0 {
		brk, unit := g.open[:i+1], g.open[i+1:]
		inner := brk + strings.Repeat(unit, depth)
		return gaps{inner, "," + inner, brk + strings.Repeat(unit, depth-1)}
	}
	if strings.ContainsAny(g.sep, "\r\n") {
		return gaps{"", ",", ""}
	}
	return gaps{"", g.sep, ""}
}

// colon is what stands between a key and its value.
func (nb *notebook) colon() string {
	m := nb.root.Members[0]
	return string(nb.text[m.KeyEnd:m.Value.Start])
}

// lines are the gaps of a list of source lines, taken from one that has several
// if any does.
func (nb *notebook) lines() gaps {
	g, some := nb.usual(4), 0
	for _, c := range nb.cells {
		if n := len(c.source.Items); n > some {
			g, some = nb.around(c.source), n
			if n > 1 {
				break
			}
		}
	}
	return g
}

// spelling writes a text as a source: as one string, or as a list of its lines,
// each with its line break. Lines in spelt are written as they stand there.
func (nb *notebook) spelling(text string, list bool, g gaps, spelt map[string]string) string {
	if !list {
		return jsonspan.Quote(text, nb.ascii)
	}
	if text == "" {
		return "[]"
	}
	var b strings.Builder
	gap := "[" + g.open
	for line := range strings.Lines(text) {
		raw, ok := spelt[line]
		if !ok {
			raw = jsonspan.Quote(line, nb.ascii)
		}
		b.WriteString(gap + raw)
		gap = g.sep
	}
	return b.String() + g.close + "]"
}

// respelt writes a text as the source of a cell, in the style that the cell's
// source has.
func (nb *notebook) respelt(c cell, text string) string {
	if old, exact := nb.decoded(c.source); exact && old == text {
		return nb.raw(c.source)
	}
	list := nb.isList(c.source)
	if !list {
		return nb.spelling(text, false, gaps{}, nil)
	}
	spelt := map[string]string{}
	for _, line := range c.source.Items {
		if s, exact := nb.str(line); exact {
			spelt[s] = nb.raw(line)
		}
	}
	g := nb.lines()
	several := strings.Contains(strings.TrimSuffix(text, "\n"), "\n")
	if n := len(c.source.Items); n > 1 || n == 1 && !several {
		g = nb.around(c.source)
	}
	return nb.spelling(text, true, g, spelt)
}

// splice puts a text in the place of text[from:to].
func (nb *notebook) splice(from, to int, text string) []byte {
	return slices.Concat(nb.text[:from], []byte(text), nb.text[to:])
}

// without leaves a cell out, with the comma beside it.
func (nb *notebook) without(at int) []byte {
	last := len(nb.cells) - 1
	switch {
	case last == 0:
		return nb.splice(nb.list.Start+1, nb.list.End-1, "")
	case at == last:
		return nb.splice(nb.cells[at-1].End, nb.cells[at].End, "")
	}
	return nb.splice(nb.cells[at].Start, nb.cells[at+1].Start, "")
}

// with puts a new cell behind the one at an index, -1 for the top, and returns
// its name. The cell is laid out like its neighbour, its keys in the order in
// which Jupyter writes them.
func (nb *notebook) with(at int, kind, text string) (out []byte, name string) {
	g, colon, list, lines := nb.usual(3), nb.colon(), true, nb.lines()
	if len(nb.cells) > 0 {
		near := nb.cells[max(at, 0)]
		g = nb.around(near.Value)
		list = nb.isList(near.source)
	}
	name = fmt.Sprintf("cell-%d", at+1)
	keys := []string{"cell_type", jsonspan.Quote(kind, false)}
	if kind == "code" {
		keys = append(keys, "execution_count", "null")
	}
	if nb.ids {
		name = nb.newID(text, at+1)
		keys = append(keys, "id", jsonspan.Quote(name, false))
	}
	keys = append(keys, "metadata", "{}")
	if kind == "code" {
		keys = append(keys, "outputs", "[]")
	}
	keys = append(keys, "source", nb.spelling(text, list, lines, nil))
	var b strings.Builder
	gap := "{" + g.open
	for i := 0; i < len(keys); i += 2 {
		b.WriteString(gap + `"` + keys[i] + `"` + colon + keys[i+1])
		gap = g.sep
	}
	b.WriteString(g.close + "}")
	if len(nb.cells) == 0 {
		inner := nb.usual(2)
		return nb.splice(nb.list.Start+1, nb.list.End-1, inner.open+b.String()+inner.close), name
	}
	sep := nb.around(nb.list).sep
	if at < 0 {
		start := nb.cells[0].Start
		return nb.splice(start, start, b.String()+sep), name
	}
	end := nb.cells[at].End
	return nb.splice(end, end, sep+b.String()), name
}

// newID makes an id that no cell has, the same one whenever the same is asked.
func (nb *notebook) newID(text string, at int) string {
	for try := 0; ; try++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%d\n%s", at, try, text))
		id := hex.EncodeToString(sum[:4]) // eight characters, as Jupyter's are
		if !slices.ContainsFunc(nb.cells, func(c cell) bool { return c.id == id }) {
			return id
		}
	}
}

// retyped writes a cell with another type and source: with the keys that the
// type requires, without those that it forbids, the rest as it stands.
func (nb *notebook) retyped(c cell, kind, source string) (text string, added, removed []string) {
	g := nb.around(c.Value)
	forbidden := []string{"outputs", "execution_count"}
	if kind == "code" {
		forbidden = []string{"attachments"}
	}
	has := func(key string) bool {
		return slices.ContainsFunc(c.Members, func(m jsonspan.Member) bool { return m.Key == key })
	}
	var b strings.Builder
	put := func(gap, member string) {
		if b.Len() == 0 {
			gap = "{" + g.open
		}
		b.WriteString(gap + member)
	}
	add := func(key, value string) {
		if kind == "code" && !has(key) {
			put(g.sep, `"`+key+`"`+nb.colon()+value)
			added = append(added, key)
		}
	}
	for i, m := range c.Members {
		gap := g.sep
		if i > 0 {
			gap = string(nb.text[c.Members[i-1].End:m.Start])
		}
		key := string(nb.text[m.Start:m.Value.Start])
		switch {
		case slices.Contains(forbidden, m.Key):
			removed = append(removed, m.Key)
		case m.Key == "cell_type":
			put(gap, key+jsonspan.Quote(kind, false))
			add("execution_count", "null")
		case m.Key == "source":
			add("outputs", "[]")
			put(gap, key+source)
		default:
			put(gap, nb.raw(jsonspan.Value{Start: m.Start, End: m.End}))
		}
	}
	return b.String() + g.close + "}", added, removed
}

// escapesAll reports whether a text writes characters beyond ASCII as escapes
// only, and has some.
func escapesAll(text []byte) bool {
	found := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] >= 0x80:
			return false
		case text[i] == '\\' && i+5 < len(text):
			if i++; text[i] == 'u' { // four digits follow
				found = found || string(text[i+1:i+3]) != "00" || text[i+3] >= '8'
			}
		}
	}
	return found
}
