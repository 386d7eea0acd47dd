package patchapply

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Result is what one call is told.
type Result struct {
	Text   string
	Failed bool
}

type toolResult struct {
	Type    string `json:"type"`
	ID      string `json:"tool_use_id"`
	IsError bool   `json:"is_error,omitempty"`
	Content string `json:"content"`
}

// Answer renders the results in the shape in which the calls came: an item for
// an item, a list for a list, a user's message for an assistant's. There is one
// result for each of the request's Calls, in their order.
func (r *Request) Answer(results []Result) ([]byte, error) {
	if len(results) != len(r.Calls) || len(results) == 0 {
		return nil, fmt.Errorf("%d results for %d calls", len(results), len(r.Calls))
	}
	items := make([]toolResult, len(results))
	for i, res := range results {
		items[i] = toolResult{Type: "tool_result", ID: r.Calls[i].ID, IsError: res.Failed, Content: res.Text}
	}
	var v any = items
	switch r.container {
	case oneItem:
		v = items[0]
	case message:
		v = struct {
			Role    string       `json:"role"`
			Content []toolResult `json:"content"`
		}{"user", items}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
