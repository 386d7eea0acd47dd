package hooks

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// A document is a JSON file being edited: what is not touched keeps its bytes.
type document struct {
	root          hujson.Value
	flat          bool
	newline, unit string // as the file has them; both empty: it is on one line
	removed       bool   // something of ours was
}

// look finds out how the file breaks and indents its lines.
func (d *document) look(text []byte) {
	text = bytes.TrimRight(text, "\r\n")
	first, rest, broken := bytes.Cut(text, []byte("\n"))
	if !broken {
		if len(d.root.Value.(*hujson.Object).Members) > 0 {
			d.newline, d.unit = "", ""
		}
		return
	}
	if bytes.HasSuffix(first, []byte("\r")) {
		d.newline = "\r\n"
	}
	for line := range bytes.Lines(rest) {
		if n := len(line) - len(bytes.TrimLeft(line, " \t")); n > 0 && n < len(bytes.TrimRight(line, "\r\n")) {
			d.unit = string(line[:n])
			return
		}
	}
}

// at is the blank before something that stands so deep.
func (d *document) at(depth int) hujson.Extra {
	if d.newline == "" {
		return nil
	}
	return hujson.Extra(d.newline + strings.Repeat(d.unit, depth))
}

// member finds a member that must be of one kind; nil if there is none.
func (d *document) member(of *hujson.Value, name string, kind hujson.Kind) (*hujson.Value, error) {
	var found *hujson.Value
	members := of.Value.(*hujson.Object).Members
	for i := range members {
		if members[i].Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found != nil {
			return nil, cannotMerge("%s is set twice", quoteJSON(name))
		}
		found = &members[i].Value
	}
	if found != nil && found.Value.Kind() != kind {
		return nil, cannotMerge("%s is not of the kind that the agent's documentation shows", quoteJSON(name))
	}
	return found, nil
}

// appendMember adds a member at the end of an object.
func (d *document) appendMember(of *hujson.Value, name string, v hujson.Value, depth int) *hujson.Value {
	o := of.Value.(*hujson.Object)
	if len(o.Members) == 0 && d.newline != "" && !strings.Contains(string(o.AfterExtra), "\n") {
		o.AfterExtra = append(o.AfterExtra, d.at(depth-1)...)
	}
	if d.newline != "" || len(o.Members) > 0 && d.newline == "" {
		v.BeforeExtra = hujson.Extra(" ")
	}
	m := hujson.ObjectMember{Name: hujson.Value{BeforeExtra: d.at(depth), Value: hujson.String(name)}, Value: v}
	if d.newline == "" && len(o.Members) > 0 {
		m.Name.BeforeExtra = o.Members[len(o.Members)-1].Name.BeforeExtra
		v.BeforeExtra = o.Members[len(o.Members)-1].Value.BeforeExtra
		m.Value = v
	}
	m.Name.BeforeExtra = inherit(&o.AfterExtra, m.Name.BeforeExtra)
	o.Members = append(o.Members, m)
	return &o.Members[len(o.Members)-1].Value
}

func (d *document) removeMember(of *hujson.Value, name string) {
	o := of.Value.(*hujson.Object)
	for i := range o.Members {
		if o.Members[i].Name.Value.(hujson.Literal).String() == name {
			left := o.Members[i].Name.BeforeExtra
			if o.Members = append(o.Members[:i:i], o.Members[i+1:]...); i < len(o.Members) {
				bequeath(left, &o.Members[i].Name.BeforeExtra)
			} else {
				bequeath(left, &o.AfterExtra)
			}
			break
		}
	}
}

// inherit gives the comments that stand before a closing bracket to what is put
// there: they tell of what is above them.
func inherit(closing *hujson.Extra, before hujson.Extra) hujson.Extra {
	said := bytes.TrimRight(*closing, " \t\r\n")
	if len(said) == 0 {
		return before
	}
	blank := bytes.Clone((*closing)[len(said):])
	before = append(bytes.Clone(said), before...)
	*closing = blank
	return before
}

// bequeath is the way back: comments before what is removed stay.
func bequeath(left hujson.Extra, next *hujson.Extra) {
	if said := bytes.TrimRight(left, " \t\r\n"); len(said) > 0 {
		*next = append(bytes.Clone(said), *next...)
	}
}

// cut takes an element out of a list.
func cut(list *hujson.Array, i int) {
	left := list.Elements[i].BeforeExtra
	if list.Elements = append(list.Elements[:i:i], list.Elements[i+1:]...); i < len(list.Elements) {
		bequeath(left, &list.Elements[i].BeforeExtra)
	} else {
		bequeath(left, &list.AfterExtra)
	}
}

// A place is where a handler of ours stands.
type place struct {
	list    *hujson.Array // of handlers
	index   int
	group   int // in the event's list; of a flat one the same
	matcher string
	alone   bool // nothing else is in its group
}

func (p *place) handler() []byte { return p.list.Elements[p.index].Pack() }

// own finds our handlers in the list of an event, in order.
func (d *document) own(list *hujson.Array) (found []place) {
	for i := range list.Elements {
		handlers, matcher := list, ""
		if !d.flat {
			g, ok := list.Elements[i].Value.(*hujson.Object)
			if !ok {
				continue
			}
			if handlers, matcher = handlersOf(g); handlers == nil {
				continue
			}
		}
		for j := range handlers.Elements {
			if d.flat && j != i {
				continue
			}
			var h struct{ Command, Matcher string }
			if json.Unmarshal(standard(handlers.Elements[j].Pack()), &h) != nil || !ownCommand.MatchString(h.Command) {
				continue
			}
			if d.flat {
				matcher = h.Matcher
			}
			found = append(found, place{handlers, j, i, matcher, d.flat || len(handlers.Elements) == 1})
		}
	}
	return found
}

// handlersOf reads a group: its handlers, nil if it has none, and its matcher.
func handlersOf(g *hujson.Object) (handlers *hujson.Array, matcher string) {
	for i := range g.Members {
		switch name := g.Members[i].Name.Value.(hujson.Literal).String(); v := g.Members[i].Value.Value.(type) {
		case *hujson.Array:
			if name == "hooks" {
				handlers = v
			}
		case hujson.Literal:
			if name == "matcher" && v.Kind() == '"' {
				matcher = v.String()
			}
		}
	}
	return handlers, matcher
}

// settle makes the list of an event hold what is wanted of ours, each once.
func (d *document) settle(of *hujson.Value, want []group) error {
	list := of.Value.(*hujson.Array)
	missing := append([]group(nil), want...)
	var stale []place
	for _, at := range d.own(list) {
		i := 0
		for i < len(missing) && missing[i].matcher != at.matcher {
			i++
		}
		if i == len(missing) {
			stale = append(stale, at)
			continue
		}
		if !sameJSON(at.handler(), missing[i].json()) {
			d.replace(&at.list.Elements[at.index], missing[i].handlerValue(d, d.depth()))
		}
		missing = append(missing[:i:i], missing[i+1:]...)
	}
	// What is ours and for other tools than it should be becomes what is missing,
	// where it stands.
	for len(stale) > 0 && len(missing) > 0 && stale[0].alone {
		d.replace(&list.Elements[stale[0].group], missing[0].value(d))
		stale, missing = stale[1:], missing[1:]
	}
	for i := len(stale) - 1; i >= 0; i-- { // from the end on: places before it stay
		at := stale[i]
		d.removed = true
		if cut(at.list, at.index); !d.flat && len(at.list.Elements) == 0 {
			cut(list, at.group)
		}
	}
	for _, g := range missing {
		d.append(list, g.value(d), 3)
	}
	return nil
}

// depth is how deep a handler stands.
func (d *document) depth() int {
	if d.flat {
		return 3
	}
	return 5
}

// replace puts a value into the place of another.
func (d *document) replace(old *hujson.Value, v hujson.Value) { old.Value = v.Value }

// append adds an element at the end of a list.
func (d *document) append(list *hujson.Array, v hujson.Value, depth int) {
	switch n := len(list.Elements); {
	case d.newline != "":
		v.BeforeExtra = d.at(depth)
		if n == 0 && !strings.Contains(string(list.AfterExtra), "\n") {
			list.AfterExtra = append(list.AfterExtra, d.at(depth-1)...)
		}
	case n > 0:
		v.BeforeExtra = list.Elements[n-1].BeforeExtra
	}
	v.BeforeExtra = inherit(&list.AfterExtra, v.BeforeExtra)
	list.Elements = append(list.Elements, v)
}

// json is the handler.
func (g *group) json() []byte {
	v := g.handlerValue(&document{}, 0)
	return v.Pack()
}

// value is the group as an element of an event's list, or its handler where there
// are no groups.
func (g *group) value(d *document) hujson.Value {
	if d.flat {
		return g.handlerValue(d, 3)
	}
	v := hujson.Value{Value: &hujson.Object{}}
	if g.matcher != "" {
		d.appendMember(&v, "matcher", hujson.Value{Value: hujson.String(g.matcher)}, 4)
	}
	handlers := &hujson.Array{}
	d.append(handlers, g.handlerValue(d, 5), 5)
	d.appendMember(&v, "hooks", hujson.Value{Value: handlers}, 4)
	return v
}

func (g *group) handlerValue(d *document, depth int) hujson.Value {
	v := hujson.Value{Value: &hujson.Object{}}
	for _, m := range g.handler {
		d.appendMember(&v, m[0], hujson.Value{Value: hujson.Literal(m[1])}, depth+1)
	}
	return v
}

// standard is JSON without comments.
func standard(text []byte) []byte {
	plain, err := hujson.Standardize(text)
	if err != nil {
		return text
	}
	return plain
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(standard(a), &x) == nil && json.Unmarshal(standard(b), &y) == nil && reflect.DeepEqual(x, y)
}
