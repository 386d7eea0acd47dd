package patchapply

import (
	"github.com/chordgit/chordgit/edit"
)

// Messages: Anthropic's, with a list of items, and those of chat completions,
// with tool_calls.

// isMessage reports whether o is a message, a transcript's line that holds one,
// or an item of one.
func isMessage(o *object) bool {
	if t := o.str("type"); t == "tool_use" || t == "tool_result" {
		return true
	}
	if m, ok := o.first("message").(*object); ok {
		o = m
	}
	_, text := o.first("content").(string)
	return o.str("role") != "" && (isList(o.first("content")) || text || isList(o.first("tool_calls"))) || isList(o.first("tool_calls"))
}

func readMessage(r *reader, o *object) {
	if m, ok := o.first("message").(*object); ok {
		o = m
	}
	defer r.by(o)()
	cut := unfinished(o)
	if o.str("stop_reason") == "max_tokens" {
		cut = "its stop reason is max_tokens"
	}
	if o.has("stop_reason") || isList(o.first("content")) && !o.has("tool_calls") && o.str("role") != "tool" {
		r.req.messages = true
	}
	switch {
	case !o.has("role") && !o.has("tool_calls"):
		readItem(r, o, "")
	case o.str("role") == "tool":
		r.answer(o.str("tool_call_id"), "")
	case isList(o.first("tool_calls")):
		readChat(r, o, cut)
	default:
		text := ""
		list, ok := o.first("content").([]any)
		if s, isText := o.first("content").(string); isText {
			text = s
		} else if ok {
			r.nested(list, "the message's content", func(part *object) {
				switch part.str("type") {
				case "text", "output_text":
					text += part.str("text") + "\n"
				default:
					readItem(r, part, cut)
				}
			})
		}
		r.said(o.str("role"), text, cut)
	}
}

// said keeps the text of the last reply.
func (r *reader) said(role, text, cut string) {
	if role == "assistant" || role == "model" {
		r.in.reply, r.in.text, r.in.cut = true, text, cut
	} else if !r.in.reply {
		r.in.reply, r.in.text, r.in.cut = true, "", cut
	}
}

// readItem reads an item of a message's content.
func readItem(r *reader, o *object, cut string) {
	switch o.str("type") {
	case "tool_use":
		r.receive(found{Call: Call{ID: o.str("id"), Name: o.str("name"), Form: ToolResult}, args: o.first("input"), line: o.line, cut: cut})
	case "tool_result":
		r.answer(o.str("tool_use_id"), "")
	}
}

// readChoices reads the body of a chat completion.
func readChoices(r *reader, o *object) {
	r.req.container = itemList
	list := o.first("choices").([]any)
	if len(list) != 1 {
		r.fail(edit.BadArguments, o.line, "the completion has %d choices: one is read", len(list))
	}
	r.nested(list, "choices", func(c *object) {
		m, ok := c.first("message").(*object)
		if !ok {
			r.fail(edit.BadArguments, c.line, "a choice has no message")
			return
		}
		cut := ""
		if reason := c.str("finish_reason"); reason == "length" {
			cut = "its finish_reason is length"
		}
		if !m.has("role") { // some gateways leave it off
			m.fields["role"] = "assistant"
		}
		readChat(r, m, cut)
	})
}

// readChat reads a message of a chat completion.
func readChat(r *reader, o *object, cut string) {
	if r.req.container == oneItem {
		r.req.container = itemList
	}
	list, _ := o.first("tool_calls").([]any)
	r.nested(list, "tool_calls", func(c *object) {
		f := found{Call: Call{ID: c.str("id"), Form: Chat}, line: c.line, cut: cut}
		if fn, ok := c.first("function").(*object); ok {
			f.Name, f.args = fn.str("name"), fn.first("arguments")
		} else if fn, ok := c.first("custom").(*object); ok {
			f.Name, f.args = fn.str("name"), fn.first("input")
		} else {
			r.fail(edit.BadArguments, c.line, "the call %s has no function", quote(f.ID))
			return
		}
		r.receive(f)
	})
	if len(list) == 0 {
		text := o.str("content")
		if parts, ok := o.first("content").([]any); ok {
			r.nested(parts, "content", func(p *object) { text += p.str("text") + "\n" })
		}
		r.said(o.str("role"), text, cut)
	}
}
