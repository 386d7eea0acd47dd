package patchapply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// A Form is the shape in which one call is answered.
type Form string

// The forms.
const (
	Text             Form = "text" // the report for people
	CallOutput       Form = "apply_patch_call_output"
	CustomOutput     Form = "custom_tool_call_output"
	FunctionOutput   Form = "function_call_output"
	ToolResult       Form = "tool_result"
	Chat             Form = "chat"
	FunctionResponse Form = "functionResponse"
	MCP              Form = "mcp"
)

// Forms are the forms that an answer can be asked for in.
func Forms() []Form {
	return []Form{CallOutput, ToolResult, CustomOutput, FunctionOutput, Chat, FunctionResponse, MCP}
}

// A Result is what one call is told.
type Result struct {
	Text       string
	Failed     bool
	Structured any // the same facts as a value, for forms that carry one
}

// Answered reports whether the request's transport wants an answer of its own.
func (r *Request) Answered() bool {
	return slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Form != Text })
}

// FormOf is the form in which call i is answered, if all calls are to be
// answered in the given one; an empty form is the call's own.
func (r *Request) FormOf(i int, form Form) Form {
	if form == "" && i < len(r.Calls) {
		return r.Calls[i].Form
	}
	return form
}

// Answer renders the results in the shape in which the calls came: an item for
// an item, a list for a list or body, a line for a line, a user's message for
// an assistant's. There is one result for each of the request's Calls, in their
// order, or a single one for a request without calls. An empty form is that of
// each call.
func (r *Request) Answer(results []Result, form Form) ([]byte, error) {
	calls := r.Calls
	if len(calls) == 0 && form != "" {
		calls = []Call{{}}
	}
	if len(results) != len(calls) || len(results) == 0 {
		return nil, fmt.Errorf("%d results for %d calls", len(results), len(calls))
	}
	items := make([]any, 0, len(results))
	alike := func(f Form) bool {
		return !slices.ContainsFunc(calls, func(c Call) bool { return c.fault == nil && cmpForm(form, c.Form) != f })
	}
	for i := range results {
		items = append(items, calls[i].answer(cmpForm(form, calls[i].Form), &results[i]))
	}
	switch {
	case r.messages && alike(ToolResult):
		return encode(struct {
			Role    string `json:"role"`
			Content []any  `json:"content"`
		}{"user", items})
	case r.contents && alike(FunctionResponse):
		return encode(struct {
			Role  string `json:"role"`
			Parts []any  `json:"parts"`
		}{"user", items})
	case r.container == jsonLines:
		var lines [][]byte
		for _, item := range items {
			line, err := encode(item)
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
		return bytes.Join(lines, []byte{'\n'}), nil
	case r.container == oneItem && len(items) == 1 && !r.messages && !r.contents:
		return encode(items[0])
	}
	return encode(items)
}

func cmpForm(asked, own Form) Form {
	if asked != "" {
		return asked
	}
	return own
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// answer is the item that tells the result of one call.
func (c *Call) answer(form Form, res *Result) any {
	switch form {
	case CallOutput:
		status := "completed"
		if res.Failed {
			status = "failed"
		}
		return struct {
			Type   string `json:"type"`
			ID     string `json:"call_id,omitempty"`
			Caller any    `json:"caller,omitempty"`
			Status string `json:"status"`
			Output string `json:"output"`
		}{string(form), c.ID, plain(c.caller), status, res.Text}
	case CustomOutput, FunctionOutput:
		return struct {
			Type   string `json:"type"`
			ID     string `json:"call_id"`
			Output string `json:"output"`
		}{string(form), c.ID, res.Text}
	case ToolResult:
		return struct {
			Type    string `json:"type"`
			ID      string `json:"tool_use_id"`
			IsError bool   `json:"is_error,omitempty"`
			Content string `json:"content"`
		}{string(form), c.ID, res.Failed, res.Text}
	case Chat:
		return struct {
			Role    string `json:"role"`
			ID      string `json:"tool_call_id"`
			Content string `json:"content"`
		}{"tool", c.ID, res.Text}
	case FunctionResponse:
		key := "output"
		if res.Failed {
			key = "error"
		}
		return map[string]any{string(form): struct {
			ID       string            `json:"id,omitempty"`
			Name     string            `json:"name"`
			Response map[string]string `json:"response"`
		}{c.ID, c.Name, map[string]string{key: res.Text}}}
	case MCP:
		return c.rpc(res)
	}
	return res.Text
}

func (c *Call) rpc(res *Result) any {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type result struct {
		Content    []text `json:"content"`
		Structured any    `json:"structuredContent,omitempty"`
		IsError    bool   `json:"isError,omitempty"`
	}
	out := struct {
		Version string  `json:"jsonrpc"`
		ID      any     `json:"id"`
		Result  *result `json:"result,omitempty"`
		Error   *fault  `json:"error,omitempty"`
	}{Version: "2.0", ID: c.id, Error: c.fault}
	if c.id == nil && c.ID != "" {
		out.ID = c.ID
	}
	if c.fault == nil {
		out.Result = &result{[]text{{"text", res.Text}}, res.Structured, res.Failed}
	}
	return out
}

// plain turns a value that was read into one that encoding/json writes.
func plain(v any) any {
	switch v := v.(type) {
	case number:
		return json.RawMessage(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case *object:
		out := map[string]any{}
		for k := range v.fields {
			out[k] = plain(v.fields[k])
		}
		return out
	}
	return v
}
