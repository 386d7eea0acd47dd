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
	oneItem  container = iota // a tool_use item by itself
	itemList                  // a list of items
	message                   // an assistant's message, or several
)

// A shape is a kind of JSON object. Shapes are asked in order.
type shape struct {
	what string
	is   func(o *object) bool
	read func(r *reader, o *object) // nil: recognised, but not read
}

var shapes = []shape{
	{"an apply_patch_call", func(o *object) bool { return o.str("type") == "apply_patch_call" || o.has("operation", "operations") }, nil},
	{"a function_call", func(o *object) bool { return o.str("type") == "function_call" }, nil},
	{"a custom_tool_call", func(o *object) bool { return o.str("type") == "custom_tool_call" }, nil},
	{"a chat completion", func(o *object) bool { return o.has("choices", "tool_calls") }, nil},
	{"a response body", func(o *object) bool { return o.str("object") == "response" || isList(o.first("output")) }, nil},
	{"a Gemini reply", func(o *object) bool { return o.has("candidates", "functionCall", "parts") }, nil},
	{"a JSON-RPC request", func(o *object) bool { return o.has("jsonrpc") }, nil},
	{"a hook's input with tool_info", func(o *object) bool { return o.has("tool_info") }, nil},
	{"a hook's input with preToolUse", func(o *object) bool { return o.has("preToolUse") }, nil},
	{"a message", isMessage, func(r *reader, o *object) { r.messages([]any{o}) }},
	{"a hook's input", func(o *object) bool { return o.has("tool_name", "toolName") }, readHook},
	{"a call", func(o *object) bool { return o.str("name") != "" && o.has(callArgs...) }, readCall},
	{"a text-editor command", isEditorCommand, nil},
}

// callArgs are the spellings of a bare call's arguments.
var callArgs = []string{"input", "arguments", "args", "parameters"}

func isList(v any) bool { _, ok := v.([]any); return ok }

func shapeOf(o *object) *shape {
	i := slices.IndexFunc(shapes, func(s shape) bool { return s.is(o) })
	if i < 0 {
		return nil
	}
	return &shapes[i]
}

// isEditorCommand: with both texts given the arguments say all, whatever the
// tool.
func isEditorCommand(o *object) bool {
	c := o.str("command")
	return slices.Contains([]string{"view", "create", "str_replace", "insert", "delete", "rename", "undo_edit"}, c) &&
		!(c == "str_replace" && o.has(oldKeys...) && o.has(newKeys...))
}

// values reads JSON values: one, or one a line.
func (r *reader) values(values []any) {
	v := values[0]
	switch list, ok := v.([]any); {
	case len(values) > 1:
		r.list(values)
		return
	case ok && r.argv(list):
		return
	case ok && len(list) > 0:
		r.list(list)
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
		r.object(v)
	default:
		r.fail(edit.NothingRecognised, 1, "the JSON is of unknown shape")
	}
}

// list reads a list of messages or items.
func (r *reader) list(values []any) {
	for i, v := range values {
		o, ok := v.(*object)
		if !ok {
			r.fail(edit.NothingRecognised, 0, "item %d of the JSON is no object", i+1)
			return
		}
		if s := shapeOf(o); s != nil && s.read == nil {
			r.fail(edit.Unsupported, o.line, "%s is not read", s.what)
			return
		}
	}
	if !slices.ContainsFunc(values, func(v any) bool { return isMessage(v.(*object)) }) {
		r.fail(edit.NothingRecognised, values[0].(*object).line, "the JSON is a list of unknown shape: no item of it is a tool_use or a message")
		return
	}
	r.req.container = itemList
	r.messages(values)
}

// object reads one object: a message, a call, or bare arguments.
func (r *reader) object(o *object) {
	only := ""
	if r.only != nil {
		only = r.only.name
	}
	s := shapeOf(o)
	patch, isText := o.first(patchKeys...).(string)
	switch {
	case s != nil && s.read == nil:
		r.fail(edit.Unsupported, o.line, "%s is not read", s.what)
	case s != nil:
		s.read(r, o)
	case only == "call":
		r.fail(edit.NothingRecognised, o.line, "the JSON holds no tool call")
	case only == "edit":
		readEdit(r, "", o, o.line)
	case only == "notebook", o.has("notebook_path"):
		readNotebook(r, "", o, o.line)
	case only == "lazy":
		r.lazy(o, "")
	case isList(o.first(patchKeys...)), isText && (strings.Contains(patch, "*** ") || !o.has(oldKeys...) && !o.has(listKeys...)):
		readPatch(r, "", o, o.line)
	case o.has(listKeys...), o.has(oldKeys...), o.has(newKeys...) && o.has(pathKeys...):
		readEdit(r, "", o, o.line)
	case o.has(contentKeys...) && o.has(pathKeys...):
		r.fail(edit.Unsupported, o.line, "the content of a whole file is not read")
	case o.has(diffKeys...) && o.has(pathKeys...):
		readBlockCall(r, "", o, o.line)
	case o.has(lazyKeys...):
		r.lazy(o, "")
	default:
		r.fail(edit.NothingRecognised, o.line, "the JSON is of unknown shape: neither a patch (patch), nor an edit (file_path, old_string, new_string), nor a call")
	}
}

// readHook reads what an agent's hook gets before a tool runs.
func readHook(r *reader, o *object) {
	if event := o.str("hook_event_name", "hookEventName"); strings.HasPrefix(strings.ToLower(event), "post") {
		r.fail(edit.AlreadyAnswered, o.line, "the event %s comes after its 1 call: it is done", quote(event))
		return
	}
	r.single(o.str("tool_name", "toolName"), o.first("tool_input", "toolInput", "toolArgs"), o.line)
}

func readCall(r *reader, o *object) { r.single(o.str("name"), o.first(callArgs...), o.line) }

// single reads a call that comes alone and is answered by text.
func (r *reader) single(name string, args any, line int) {
	if !r.tool(name, args, line) {
		r.fail(edit.NothingRecognised, line, "the call of %s changes no file as far as is known", quote(name))
	}
}

// isMessage reports whether o is a message with a list of items or a text, a
// transcript's line that holds one, or an item.
func isMessage(o *object) bool {
	if t := o.str("type"); t == "tool_use" || t == "tool_result" {
		return true
	}
	if m, ok := o.first("message").(*object); ok {
		o = m
	}
	_, text := o.first("content").(string)
	return o.str("role") != "" && (isList(o.first("content")) || text)
}

// An item is one part of a message.
type item struct {
	*object
	cut bool // the message was cut off
}

// messages reads messages and items: their calls, or, where there are none, the
// text of the last one.
func (r *reader) messages(values []any) {
	var items []item
	answered := map[string]bool{}
	text, cut := "", false
	for _, v := range values {
		o := v.(*object)
		if m, ok := o.first("message").(*object); ok {
			o = m
		}
		if !o.has("role") {
			items = append(items, item{o, false})
			continue
		}
		r.req.container = message
		text, cut = "", o.str("stop_reason") == "max_tokens"
		list, ok := o.first("content").([]any)
		if !ok {
			list = []any{&object{line: o.line, fields: map[string]any{"type": "text", "text": o.first("content")}}}
		}
		for _, v := range list {
			part, ok := v.(*object)
			if !ok {
				r.fail(edit.BadArguments, o.line, "an item of the message's content is no object")
				continue
			}
			if o.str("role") == "assistant" && part.str("type") == "text" {
				text += part.str("text") + "\n"
			}
			items = append(items, item{part, cut})
		}
	}
	calls := 0
	for _, it := range items {
		switch it.str("type") {
		case "tool_result":
			answered[it.str("tool_use_id")] = true
		case "tool_use":
			calls++
		}
	}
	if calls > 0 {
		r.calls(items, answered, calls > 1)
		return
	}
	if cut {
		r.fail(edit.Truncated, 0, "the reply was cut off: its stop reason is max_tokens")
	}
	r.text(text)
}

// calls reads the calls among the items, several or one.
func (r *reader) calls(items []item, answered map[string]bool, several bool) {
	seen := map[string]bool{}
	done, cut := 0, false
	for _, it := range items {
		if it.str("type") != "tool_use" {
			continue
		}
		id, name := it.str("id"), it.str("name")
		if id != "" && answered[id] {
			r.note("answered-call", it.line, "the call %s is answered already and was left out", quote(id))
			done++
			continue
		}
		r.call = len(r.req.Calls)
		if several {
			r.prefix = fmt.Sprintf("call %s: ", quote(id))
		}
		if !r.tool(name, it.first("input"), it.line) {
			r.note("skipped-call", it.line, "the call of %s changes no file as far as is known and was left out", quote(name))
			continue
		}
		r.req.Calls = append(r.req.Calls, Call{ID: id, Name: name})
		cut = cut || it.cut
		switch {
		case id == "":
			r.fail(edit.BadArguments, it.line, "%s: the call has no id", name)
		case seen[id]:
			r.fail(edit.BadArguments, it.line, "%s: two calls have the id %s", name, quote(id))
		}
		seen[id] = true
	}
	r.prefix = ""
	switch {
	case cut:
		r.fail(edit.Truncated, 0, "the reply was cut off: its stop reason is max_tokens")
	case len(r.req.Calls) > 0:
	case done > 0:
		r.fail(edit.AlreadyAnswered, 0, "%d calls are answered already: nothing is left to do", done)
	default:
		r.fail(edit.NothingRecognised, 0, "no call of the message changes a file as far as is known")
	}
}
