package patchapply

import (
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// The items and bodies of the Responses API.

func isResponsesItem(o *object) bool {
	t := o.str("type")
	return t == "function_call" || t == "custom_tool_call" || strings.HasSuffix(t, "_call_output")
}

func readResponsesItem(r *reader, o *object) {
	call := Call{ID: o.str("call_id"), Name: o.str("name")}
	switch o.str("type") {
	case "function_call":
		call.Form = FunctionOutput
		r.receive(found{Call: call, args: o.first("arguments"), line: o.line, cut: unfinished(o), read: func(r *reader, args any, line int) bool {
			if r.lowered(call.Name, args, line) {
				return true
			}
			return r.tool(call.Name, args, line)
		}})
	case "custom_tool_call":
		call.Form = CustomOutput
		r.receive(found{Call: call, args: o.first("input"), line: o.line, cut: unfinished(o)})
	default:
		r.answer(o.str("call_id"), "")
	}
}

// unfinished tells why an item or body is not complete, "" if it is.
func unfinished(o *object) string {
	if s := o.str("status"); s == "in_progress" || s == "incomplete" {
		return "the status is " + s
	}
	return ""
}

func isResponsesBody(o *object) bool {
	if o.str("object") == "response" || isList(o.first("output")) {
		return true
	}
	list, ok := o.first("input").([]any)
	return ok && o.str("name") == "" && slices.ContainsFunc(list, func(v any) bool { _, ok := v.(*object); return ok })
}

func readResponsesBody(r *reader, o *object) {
	if r.req.container == oneItem {
		r.req.container = itemList
	}
	defer r.by(o)()
	r.list(o)
	cut := unfinished(o)
	for _, key := range []string{"input", "output"} {
		list, _ := o.first(key).([]any)
		r.nested(list, key, func(item *object) {
			n := len(r.in.calls)
			if s := shapeOf(item); s != nil {
				s.read(r, item)
			}
			for i := range r.in.calls[n:] {
				if f := &r.in.calls[n+i]; cut != "" && key == "output" {
					f.cut = cut
				}
			}
		})
	}
	if cut != "" {
		r.in.cut = cut
	}
}

// readEvent reads an event of a stream. Items that it announces stand once
// more in the response that closes it.
func readEvent(r *reader, o *object) {
	body, _ := o.first("response").(*object)
	switch o.str("type") {
	case "error", "response.failed", "response.incomplete":
		if body != nil {
			readResponsesBody(r, body)
		}
		r.broken("an event of type " + o.str("type") + " ends it")
	case "response.completed":
		if body != nil {
			readResponsesBody(r, body)
		}
	}
}

// broken says of all that came so far that it is not complete.
func (r *reader) broken(why string) {
	r.in.cut = why
	for i := range r.in.calls {
		r.in.calls[i].cut = why
	}
}

// lowered refuses a function call in the place of the custom tool that was
// offered: a gateway has rewritten the tool, and with it maybe the text.
func (r *reader) lowered(name string, args any, line int) bool {
	if bare, _ := toolNamed(name); bare != "apply_patch" || !r.custom() {
		return false
	}
	v, _ := r.decoded(args, line)
	o, ok := v.(*object)
	if !ok || !o.has("input") || o.has("patch") {
		return false
	}
	r.fail(edit.LoweredCustomTool, line, "apply_patch was offered as a custom tool and is called as a function: the gateway does not pass custom tools on; set compat.apply_patch.freeform: false for this provider or model")
	return true
}
