package patchapply

import "github.com/chordgit/chordgit/edit"

// The replies and contents of Gemini's API.

func readGemini(r *reader, o *object) {
	if list, ok := o.first("candidates").([]any); ok {
		r.req.contents = true
		if len(list) != 1 {
			r.fail(edit.BadArguments, o.line, "the reply has %d candidates: one is read", len(list))
		}
		r.nested(list, "candidates", func(c *object) {
			cut := ""
			if c.str("finishReason", "finish_reason") == "MAX_TOKENS" {
				cut = "its finishReason is MAX_TOKENS"
			}
			if body, ok := c.first("content").(*object); ok {
				readContent(r, body, cut)
			} else if cut != "" {
				r.in.cut = cut
			}
		})
		return
	}
	if list, ok := o.first("contents").([]any); ok {
		r.nested(list, "contents", func(c *object) { readContent(r, c, "") })
		return
	}
	readContent(r, o, "")
}

func readContent(r *reader, o *object, cut string) {
	r.req.contents = true
	list, _ := o.first("parts").([]any)
	text := ""
	r.nested(list, "parts", func(p *object) {
		text += p.str("text")
		r.part(p, cut)
	})
	role := o.str("role")
	if role == "" {
		role = "model"
	}
	r.said(role, text, cut)
}

func readPart(r *reader, o *object) { r.part(o, "") }

func (r *reader) part(o *object, cut string) {
	if c, ok := o.first("functionCall").(*object); ok {
		r.receive(found{Call: Call{ID: c.str("id"), Name: c.str("name"), Form: FunctionResponse}, args: c.first("args"), line: c.line, cut: cut})
	}
	if c, ok := o.first("functionResponse").(*object); ok {
		r.answer(c.str("id"), c.str("name"))
	}
}
