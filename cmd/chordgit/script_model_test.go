//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// A fakeModel is a model that agents' own programs talk to, in place of one that
// thinks: first it writes a file by a tool, then it runs a command, then it is done.
type fakeModel struct {
	file, command string

	mu    sync.Mutex
	heard []string // what it was sent
}

// cmdModel serves such a model: `model FILE COMMAND` sets $MODEL to its address;
// `model heard TEXT` asserts that an agent sent it a text.
func cmdModel(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: model FILE COMMAND, or model heard TEXT")
	}
	if args[0] == "heard" {
		m := ts.Value(modelKey{}).(*modelSlot).model
		m.mu.Lock()
		defer m.mu.Unlock()
		if strings.Contains(strings.Join(m.heard, "\n"), args[1]) == neg {
			ts.Fatalf("of %d requests, about %q: %s", len(m.heard), args[1], strings.Join(m.heard, "\n"))
		}
		return
	}
	m := &fakeModel{file: ts.MkAbs(args[0]), command: args[1]}
	server := httptest.NewServer(m)
	ts.Defer(server.Close)
	ts.Setenv("MODEL", server.URL)
	ts.Value(modelKey{}).(*modelSlot).model = m
}

// A modelSlot is where a script keeps its model.
type (
	modelKey  struct{}
	modelSlot struct{ model *fakeModel }
)

func (m *fakeModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.heard = append(m.heard, string(body))
	m.mu.Unlock()
	var req struct {
		Stream bool
		Tools  []json.RawMessage
	}
	_ = json.Unmarshal(body, &req) // other requests have no body
	results := func(word string) int {
		if len(req.Tools) == 0 {
			return 2 // a title, or the like: no tool is asked for
		}
		return strings.Count(string(body), word)
	}
	var events []string
	switch {
	case strings.HasSuffix(r.URL.Path, "/v1/messages"):
		if events = m.anthropic(results(`"type":"tool_result"`)); !req.Stream {
			fmt.Fprint(w, `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`)
			return
		}
	case strings.HasSuffix(r.URL.Path, "/responses"):
		events = m.openai(results(`"type":"function_call_output"`))
	case strings.Contains(r.URL.Path, "enerateContent"):
		events = m.google(results(`"functionResponse"`))
	default:
		fmt.Fprint(w, "{}")
		return
	}
	if len(events) == 1 && !strings.Contains(r.URL.Path, "stream") {
		fmt.Fprint(w, events[0])
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		var named struct{ Type string }
		if json.Unmarshal([]byte(e), &named) == nil && named.Type != "" {
			fmt.Fprintf(w, "event: %s\n", named.Type)
		}
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
}

func quoted(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and maps of texts
	}
	return string(raw)
}

// anthropic answers as the Messages API does, after so many results of tools.
func (m *fakeModel) anthropic(results int) []string {
	block, delta, stop := `{"type":"text","text":""}`, `{"type":"text_delta","text":"done"}`, "end_turn"
	use := func(name string, input map[string]string) {
		stop = "tool_use"
		block = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":%q,"input":{}}`, results, name)
		delta = `{"type":"input_json_delta","partial_json":` + quoted(quoted(input)) + `}`
	}
	switch results {
	case 0:
		use("Write", map[string]string{"file_path": m.file, "content": "x"})
	case 1:
		use("Bash", map[string]string{"command": m.command, "description": "run it"})
	}
	return []string{
		`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":` + block + `}`,
		`{"type":"content_block_delta","index":0,"delta":` + delta + `}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"` + stop + `","stop_sequence":null},"usage":{"output_tokens":1}}`,
		`{"type":"message_stop"}`,
	}
}

// openai answers as the Responses API does. Codex offers tools for patches to models
// that it knows only, so that the file is written by a command that names it.
func (m *fakeModel) openai(results int) []string {
	item := `{"type":"message","id":"msg","role":"assistant","content":[{"type":"output_text","text":"done"}]}`
	if results < 2 {
		command := []string{"echo x > '" + m.file + "'", m.command}[results]
		item = fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"exec_command","arguments":%s}`, results, results, quoted(quoted(map[string]string{"cmd": command})))
	}
	return []string{
		`{"type":"response.created","response":{"id":"r"}}`,
		`{"type":"response.output_item.done","output_index":0,"item":` + item + `}`,
		`{"type":"response.completed","response":{"id":"r","usage":{"input_tokens":1,"input_tokens_details":null,"output_tokens":1,"output_tokens_details":null,"total_tokens":2}}}`,
	}
}

// google answers as the Gemini API does.
func (m *fakeModel) google(results int) []string {
	part := `{"text":"done"}`
	switch results {
	case 0:
		part = `{"functionCall":{"name":"write_file","args":` + quoted(map[string]string{"file_path": m.file, "content": "x"}) + `}}`
	case 1:
		part = `{"functionCall":{"name":"run_shell_command","args":` + quoted(map[string]string{"command": m.command}) + `}}`
	}
	return []string{`{"candidates":[{"content":{"role":"model","parts":[` + part + `]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`}
}
