package edit

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit/internal/invisible"
	"github.com/chordgit/chordgit/edit/internal/jsonspan"
)

// cell changes one cell of a notebook. Every byte outside the cell stays, and
// inside it what the operation does not mention.
func (r *run) cell(n *node) Errors {
	if n == nil {
		return r.missing()
	}
	src, err := r.text(n)
	if err != nil {
		return Errors{err}
	}
	nb, err := openNotebook(src.text)
	if err != nil {
		return Errors{err}
	}
	what := &r.op.Cell
	at := -1 // the top
	if what.Mode != InsertCell || what.ID != "" {
		if at, err = nb.find(what.ID); err != nil {
			return Errors{err}
		}
	}
	var out []byte
	if what.Mode == DeleteCell {
		r.outcome.Cell = nb.name(at)
		out = nb.without(at)
	} else {
		text, errs := r.cellSource(nb, at)
		if len(errs) > 0 {
			return errs
		}
		nb.ascii = nb.ascii || src.holds(text) != nil // an escape holds every character
		if what.Mode == InsertCell {
			out, r.outcome.Cell = nb.with(at, what.Type, text)
		} else {
			r.outcome.Cell = nb.name(at)
			if out, err = r.replaceCell(nb, at, text); err != nil {
				return Errors{err}
			}
		}
	}
	m := *n
	if !bytes.Equal(out, src.text) {
		if err := r.store(&m, src, out); err != nil {
			return Errors{err}
		}
	}
	r.picture[r.path] = &m
	return nil
}

// cellSource is the text for a cell: checked and cleaned as any new text.
func (r *run) cellSource(nb *notebook, at int) (string, Errors) {
	text := string(r.op.Content)
	if strings.Contains(text, "\x00") {
		return "", fail(ControlCharacter, "the new source holds a NUL (U+0000)")
	}
	if !utf8.ValidString(text) {
		return "", fail(Encoding, "the new source is not UTF-8, which JSON is")
	}
	if errs := r.omissions(nb.sources()); len(errs) > 0 {
		return "", errs
	}
	old := ""
	if r.op.Cell.Mode == ReplaceCell {
		old, _ = nb.decoded(nb.cells[at].source)
	}
	text, removed := invisible.Clean(text, old, false)
	if text == "" && removed != nil {
		return "", fail(OnlyInvisible, "the new source consists of characters that cannot be seen: %s", removed)
	}
	r.noteCleaned(removed)
	counts, _ := invisible.Control(text)
	r.noteControl(counts, nil)
	return text, nil
}

// replaceCell gives a cell another source and, if one is asked for, another
// type.
func (r *run) replaceCell(nb *notebook, at int, text string) ([]byte, *Error) {
	c := nb.cells[at]
	if !nb.isText(c.source) {
		return nil, nb.unfit(c.Start, "the source of the cell %s is neither a string nor a list of strings", Quote(nb.name(at)))
	}
	if old, _ := nb.decoded(c.source); strings.Count(old, "\n") > 0 && strings.Count(old, "\n") == strings.Count(old, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	source := nb.respelt(c, text)
	if r.op.Cell.Type == "" || r.op.Cell.Type == c.kind {
		return nb.splice(c.source.Start, c.source.End, source), nil
	}
	rebuilt, added, removed := nb.retyped(c, r.op.Cell.Type, source)
	msg := fmt.Sprintf("the cell %s was %s and is %s now", nb.name(at), c.kind, r.op.Cell.Type)
	if len(added) > 0 {
		msg += "; added: " + strings.Join(added, ", ")
	}
	if len(removed) > 0 {
		msg += "; removed: " + strings.Join(removed, ", ")
	}
	r.note("cell-type", nil, "%s", msg)
	return nb.splice(c.Start, c.End, rebuilt), nil
}

// A notebook is the text of a notebook of format 4, and where its cells stand.
type notebook struct {
	text  []byte
	root  jsonspan.Value
	list  jsonspan.Value // of the cells
	cells []cell
	ids   bool // its cells have ids
	ascii bool // characters beyond ASCII are written as escapes
}

type cell struct {
	jsonspan.Value
	id     string // empty if it has none
	kind   string // code, markdown or raw
	source jsonspan.Value
}

// openNotebook finds the cells of a notebook, or says why the text is none.
func openNotebook(text []byte) (*notebook, *Error) {
	nb := &notebook{text: text}
	var err error
	// The root holds the list, that the cells, these their sources, which hold lines.
	if nb.root, err = jsonspan.Parse(text, 4); err != nil {
		at := 0
		if e := new(jsonspan.Error); errors.As(err, &e) {
			at = e.Offset
		}
		return nil, nb.unfit(at, "%s", err)
	}
	fields := map[string]jsonspan.Value{}
	if e := nb.fields(nb.root, fields, "nbformat", "nbformat_minor", "cells"); e != nil {
		return nil, e
	}
	if version := nb.raw(fields["nbformat"]); version != "4" {
		if version == "" {
			return nil, nb.unfit(nb.root.Start, "nbformat is missing")
		}
		return nil, nb.unfit(fields["nbformat"].Start, "nbformat is %s", quoted(version))
	}
	if nb.list = fields["cells"]; !strings.HasPrefix(nb.raw(nb.list), "[") {
		return nil, nb.unfit(nb.list.Start, "cells is no list")
	}
	for i, v := range nb.list.Items {
		f := map[string]jsonspan.Value{}
		if e := nb.fields(v, f, "id", "cell_type", "source", "outputs", "execution_count", "attachments"); e != nil {
			return nil, e
		}
		c := cell{Value: v, source: f["source"]}
		c.id, _ = nb.str(f["id"])
		if c.kind, _ = nb.str(f["cell_type"]); c.kind == "" {
			return nil, nb.unfit(v.Start, "the cell at index %d has no cell_type", i)
		}
		nb.cells = append(nb.cells, c)
		nb.ids = nb.ids || c.id != ""
	}
	if minor, err := strconv.Atoi(nb.raw(fields["nbformat_minor"])); err == nil && minor >= 5 && len(nb.cells) == 0 {
		nb.ids = true // as the format requires
	}
	nb.ascii = escapesAll(text)
	return nb, nil
}

// unfit says why the text is no notebook that can be edited.
func (nb *notebook) unfit(at int, format string, args ...any) *Error {
	line := 1 + bytes.Count(nb.text[:at], []byte{'\n'})
	return &Error{Code: Unsupported, Lines: []int{line}, Msg: "the file is no notebook of nbformat 4 that can be edited: " + fmt.Sprintf(format, args...)}
}

// fields finds the values of some keys of an object. Readers disagree about a
// key that stands twice, so that is an error.
func (nb *notebook) fields(v jsonspan.Value, into map[string]jsonspan.Value, keys ...string) *Error {
	if !strings.HasPrefix(nb.raw(v), "{") {
		return nb.unfit(v.Start, "an object is expected, found %s", quoted(nb.raw(v)))
	}
	for _, key := range keys {
		for _, m := range v.Members {
			if m.Key != key {
				continue
			}
			if _, twice := into[key]; twice {
				return nb.unfit(m.Start, "the key %s stands twice in one object", key)
			}
			into[key] = m.Value
		}
	}
	return nil
}

func (nb *notebook) raw(v jsonspan.Value) string { return string(nb.text[v.Start:v.End]) }

// str decodes a string. It reports false if the value is none, or if what is
// decoded is not exactly what stands there.
func (nb *notebook) str(v jsonspan.Value) (string, bool) {
	return jsonspan.String(nb.text[v.Start:v.End])
}

func (nb *notebook) isList(v jsonspan.Value) bool { return v.End > 0 && nb.text[v.Start] == '[' }

// isText reports whether a source is a string or a list of strings.
func (nb *notebook) isText(source jsonspan.Value) bool {
	if !nb.isList(source) {
		return source.End > 0 && nb.text[source.Start] == '"'
	}
	for _, line := range source.Items {
		if nb.text[line.Start] != '"' {
			return false
		}
	}
	return true
}

// decoded is the text of a source, and whether it is exactly that.
func (nb *notebook) decoded(source jsonspan.Value) (string, bool) {
	if !nb.isList(source) {
		return nb.str(source)
	}
	var b strings.Builder
	exact := true
	for _, line := range source.Items {
		s, ok := nb.str(line)
		b.WriteString(s)
		exact = exact && ok
	}
	return b.String(), exact
}

// sources is the text of all cells.
func (nb *notebook) sources() []byte {
	var b bytes.Buffer
	for _, c := range nb.cells {
		s, _ := nb.decoded(c.source)
		b.WriteString(s + "\n")
	}
	return b.Bytes()
}

// name is how a cell is called: by its id, or by its index.
func (nb *notebook) name(at int) string {
	if id := nb.cells[at].id; id != "" {
		return id
	}
	return fmt.Sprintf("cell-%d", at)
}

// cellsNamed is how many cells a message names.
const cellsNamed = 40

// find returns the index of a cell. An id counts before an index.
func (nb *notebook) find(id string) (int, *Error) {
	at, found := -1, 0
	for i, c := range nb.cells {
		if c.id == id && id != "" {
			at = i
			found++
		}
	}
	switch digits, indexed := strings.CutPrefix(id, "cell-"); {
	case found == 1:
		return at, nil
	case found > 1:
		return 0, &Error{Code: Ambiguous, Msg: fmt.Sprintf("%d cells have the id %s", found, quoted(id))}
	case indexed:
		if i, err := strconv.Atoi(digits); err == nil && strconv.Itoa(i) == digits && i >= 0 && i < len(nb.cells) {
			return i, nil
		}
	}
	var names []string
	for i := range nb.cells[:min(len(nb.cells), cellsNamed)] {
		names = append(names, Quote(nb.name(i)))
	}
	fact := "the notebook has no cells"
	if len(names) > 0 {
		fact = "its cells are " + strings.Join(names, ", ")
	}
	if more := len(nb.cells) - len(names); more > 0 {
		fact += fmt.Sprintf(" (+%d more)", more)
	}
	return 0, &Error{Code: NoSuchCell, Msg: "no cell has the id " + quoted(id), Facts: []string{fact}}
}
