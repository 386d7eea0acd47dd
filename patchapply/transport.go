package patchapply

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// A container is the shape in which calls came, and in which they are answered.
type container uint8

const (
	oneItem   container = iota // an item by itself
	itemList                   // a list of items, or a body that holds one
	jsonLines                  // one item a line
)

// A shape is a kind of JSON object that carries calls, or stands beside them.
// Shapes are asked in order. What they find goes into the reader's inbox.
type shape struct {
	what string
	is   func(o *object) bool
	read func(r *reader, o *object)
}

// shapes is a function because reading a body reads what is in it.
func shapes() []shape {
	return []shape{
		{"an apply_patch_call", isV4ACall, readV4AItem},
		{"a Responses item", isResponsesItem, readResponsesItem},
		{"a stream's event", func(o *object) bool { return o.str("type") == "error" || strings.HasPrefix(o.str("type"), "response.") }, readEvent},
		{"a JSON-RPC message", func(o *object) bool { return o.has("jsonrpc") }, readRPC},
		{"a chat completion", func(o *object) bool { return isList(o.first("choices")) }, readChoices},
		{"a Responses body", isResponsesBody, readResponsesBody},
		{"a Gemini reply", func(o *object) bool {
			return isList(o.first("candidates")) || isList(o.first("contents")) || isList(o.first("parts"))
		}, readGemini},
		{"a Gemini part", func(o *object) bool { return o.has("functionCall", "functionResponse") }, readPart},
		{"a hook's input", isHook, readHook},
		{"a message", isMessage, readMessage},
		{"a call", func(o *object) bool { return o.str("name") != "" && o.has(callArgs...) }, readCall},
	}
}

// callArgs are the spellings of a bare call's arguments.
var callArgs = []string{"input", "arguments", "args", "parameters"}

func isList(v any) bool { _, ok := v.([]any); return ok }

func shapeOf(o *object) *shape {
	all := shapes()
	i := slices.IndexFunc(all, func(s shape) bool { return s.is(o) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// An inbox is what was found in the transport, before any of it is read.
type inbox struct {
	calls    []found
	answered map[string]bool // calls that the same input answers, by id
	unnamed  map[string]int  // answers without an id, by tool

	reply bool   // there is a reply, and this is the text of the last one
	text  string //
	cut   string // why that reply is not complete, empty if it is

	listed   map[string]string // the types of the tools that a body lists, by name
	past     int               // events that come after their call
	pastLine int               // where the last of them begins
}

// A found is a call as the transport has it.
type found struct {
	Call
	args  any
	line  int
	cut   string // why the reply that holds it is not complete
	model string // who made it, empty if that is not said
	// read reads the arguments where the name does not say how.
	read func(r *reader, args any, line int) bool
}

// values reads JSON values: one, or one a line.
func (r *reader) values(values []any) {
	v := values[0]
	switch list, ok := v.([]any); {
	case len(values) > 1:
		r.req.container = jsonLines
		r.items(values)
		return
	case ok && r.argv(list):
		return
	case ok && len(list) > 0:
		r.req.container = itemList
		r.items(list)
		return
	case ok:
		r.fail(edit.NothingRecognised, 1, "an empty list holds no operation")
		return
	}
	v, _ = r.decoded(v, 1)
	switch v := v.(type) {
	case string:
		r.text(v)
	case *object:
		if s := shapeOf(v); s != nil {
			r.explain("the request is %s in JSON", s.what)
			s.read(r, v)
			r.calls()
			return
		}
		r.explain("the request is the arguments of a tool in JSON")
		r.arguments(v)
	default:
		r.fail(edit.NothingRecognised, 1, "the JSON is of unknown shape")
	}
}

// items reads what stands in a list or on several lines. A line may hold a
// list itself.
func (r *reader) items(values []any) {
	r.explain("the request is a list in JSON (items: %d)", len(values))
	known := 0
	for i, v := range values {
		list := []any{v}
		if l, ok := v.([]any); ok && r.req.container == jsonLines {
			list = l
		}
		for _, v := range list {
			o, ok := v.(*object)
			if !ok {
				r.fail(edit.NothingRecognised, 0, "item %d of the JSON is no object", i+1)
				return
			}
			if s := shapeOf(o); s != nil {
				s.read(r, o)
				known++
			} else if o.str("type") == "" {
				r.fail(edit.NothingRecognised, o.line, "item %d of the JSON is of unknown shape", i+1)
				return
			}
		}
	}
	if known == 0 {
		r.fail(edit.NothingRecognised, 0, "the JSON is a list of unknown shape: no item of it is a call or a message")
		return
	}
	r.calls()
}

// nested reads the items of a body or a message.
func (r *reader) nested(list []any, where string, read func(o *object)) {
	for i, v := range list {
		if o, ok := v.(*object); ok {
			read(o)
		} else {
			r.fail(edit.BadArguments, 0, "item %d of %s is no object", i+1, where)
		}
	}
}

// receive puts a call into the inbox; what it cannot be read without is told
// with it.
func (r *reader) receive(f found) {
	f.model = r.model
	r.in.calls = append(r.in.calls, f)
}

// answer keeps that a call is answered already. Without an id the calls of a
// tool are answered in their order.
func (r *reader) answer(id, name string) {
	switch {
	case id != "":
		if r.in.answered == nil {
			r.in.answered = map[string]bool{}
		}
		r.in.answered[id] = true
	case name != "":
		if r.in.unnamed == nil {
			r.in.unnamed = map[string]int{}
		}
		r.in.unnamed[name]++
	}
}

// done reports whether the input answers a call itself.
func (in *inbox) done(f *found) bool {
	if f.ID == "" && f.Form == FunctionResponse && in.unnamed[f.Name] > 0 {
		in.unnamed[f.Name]--
		return true
	}
	return f.ID != "" && in.answered[f.ID]
}

// calls reads the calls in the inbox, or, where there are none, the text of the
// last reply.
func (r *reader) calls() {
	in := &r.in
	switch {
	case len(in.calls) > 0:
	case in.past > 0:
		r.fail(edit.AlreadyAnswered, in.pastLine, "%d calls are done already: what is told here comes after them", in.past)
		return
	case in.reply:
		if in.cut != "" {
			r.fail(edit.Truncated, 0, "the reply was cut off: %s", in.cut)
		}
		r.text(in.text)
		return
	default:
		if in.cut != "" {
			r.fail(edit.Truncated, 0, "the reply was cut off: %s", in.cut)
			return
		}
		r.fail(edit.NothingRecognised, 0, "the JSON holds no tool call")
		return
	}
	seen := map[string]bool{}
	done, cut, several := 0, "", len(in.calls) > 1
	for i := range in.calls {
		f := &in.calls[i]
		if in.done(f) {
			r.note("answered-call", f.line, "the call %s is answered already and was left out", f.label())
			done++
			continue
		}
		r.call, r.calling = len(r.req.Calls), true
		if several {
			r.prefix = "call " + f.label() + ": "
		}
		r.req.Calls = append(r.req.Calls, f.Call)
		read := f.read
		if read == nil {
			read = func(r *reader, args any, line int) bool { return r.tool(f.Name, args, line) }
		}
		r.repeated(f.args)
		r.model = f.model
		took := f.fault != nil || r.hidden(f) || read(r, f.args, f.line)
		r.calling, r.prefix = false, ""
		if !took {
			r.req.Calls = r.req.Calls[:r.call]
			r.note("skipped-call", f.line, "the call of %s changes no file as far as is known and was left out", quote(f.Name))
			continue
		}
		c := &r.req.Calls[r.call]
		which := "the call of " + quote(f.Name)
		if f.ID != "" {
			which = "call " + quote(f.ID) + " of " + quote(f.Name)
		}
		r.explain("%s is read as %s, and answered as %s", which, c.Format, c.Form)
		if f.cut != "" {
			cut = f.cut
		}
		switch {
		case f.fault != nil || f.Form == Text || f.Form == FunctionResponse && f.ID == "":
		case f.ID == "":
			r.calling = true
			r.fail(edit.BadArguments, f.line, "%s: the call has no id", f.Name)
			r.calling = false
		case seen[f.ID]:
			r.fail(edit.BadArguments, f.line, "%s: two calls have the id %s", f.Name, quote(f.ID))
		}
		seen[f.ID] = true
	}
	r.call = 0
	r.concludeCalls(done, cut)
}

// concludeCalls judges the calls together.
func (r *reader) concludeCalls(done int, cut string) {
	changing := 0
	for i := range r.req.Calls {
		if c := &r.req.Calls[i]; c.View == nil && c.fault == nil {
			changing++
		}
	}
	undo := slices.ContainsFunc(r.req.Calls, func(c Call) bool { return c.Undo != "" })
	switch {
	case cut != "":
		r.fail(edit.Truncated, 0, "the reply was cut off: %s", cut)
	case r.dry > 0 && r.dry < changing:
		r.fail(edit.BadArguments, 0, "some calls ask for a dry run, others do not: send them apart")
	case undo && changing > 1:
		r.fail(edit.Unsupported, 0, "undo_edit is a change of its own: send it without other calls that change files")
	case len(r.req.Calls) > 0 && slices.ContainsFunc(r.req.Calls, func(c Call) bool { return c.fault == nil }):
	case len(r.req.Calls) > 0:
		r.fail(edit.NothingRecognised, 0, "no call of the request is a tools/call that can be read")
	case done > 0:
		r.fail(edit.AlreadyAnswered, 0, "%d calls are answered already: nothing is left to do", done)
	default:
		line := 0
		if len(r.in.calls) == 1 {
			line = r.in.calls[0].line
		}
		r.fail(edit.NothingRecognised, line, "no call of the request changes a file as far as is known")
	}
}

// label names a call in messages.
func (c *Call) label() string {
	if c.ID == "" {
		return "of " + quote(c.Name)
	}
	return quote(c.ID)
}

// readCall reads a call that comes alone and is answered by text.
func readCall(r *reader, o *object) {
	r.receive(found{Call: Call{ID: o.str("id", "call_id"), Name: o.str("name"), Form: Text}, args: o.first(callArgs...), line: o.line})
}

// arguments reads the arguments of a tool that came without its name: the
// caller has named it by the format, or the keys tell which it is.
func (r *reader) arguments(o *object) {
	if r.only != nil && r.only.bare != nil {
		r.only.bare(r, o, o.line)
		return
	}
	patch, isText := o.first(patchKeys...).(string)
	switch {
	case r.only != nil && r.only.name == "call":
		r.fail(edit.NothingRecognised, o.line, "the JSON holds no tool call")
	case isEditorCommand(o):
		readEditor(r, "", o, o.line)
	case o.has("notebook_path"):
		readNotebook(r, "", o, o.line)
	case isList(o.first(patchKeys...)), isText && (strings.Contains(patch, "*** ") || !o.has(oldKeys...) && !o.has(listKeys...)):
		readPatch(r, "", o, o.line)
	case o.has(listKeys...), o.has(oldKeys...), o.has(newKeys...) && o.has(pathKeys...):
		readEdit(r, "", o, o.line)
	case o.has(contentKeys...) && o.has(pathKeys...):
		readWrite(r, "", o, o.line)
	case o.has(diffKeys...) && o.has(pathKeys...):
		readBlockCall(r, "", o, o.line)
	case o.has(lazyKeys...):
		r.lazy(o, "")
	default:
		r.fail(edit.NothingRecognised, o.line, "the JSON is of unknown shape: neither a patch (patch), nor an edit (file_path, old_string, new_string), nor a call")
	}
}

// explain tells whoever asked how the request is read.
func (r *reader) explain(format string, args ...any) {
	if r.opt.Explain != nil {
		r.opt.Explain(fmt.Sprintf(format, args...))
	}
}
