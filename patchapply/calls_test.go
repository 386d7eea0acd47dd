package patchapply

import (
	"strings"
	"testing"
)

const (
	editArgs = `{"file_path":"f","old_string":"a","new_string":"b"}`
	op       = `{"type":"update_file","path":"f","diff":"@@\n-a\n+b"}`
	oneV4A   = "update f @1\n @@1 -a| +b|\n"
	v4aItem  = `{"type":"apply_patch_call","call_id":"c1","operation":` + op + `}`
)

// callTests are the transports, and the arguments that their tools have.
var callTests = []parseTest{
	{name: "item of V4A", in: v4aItem, want: oneV4A + "call c1 apply_patch\n"},
	{name: "operation", in: op, want: oneV4A},
	{name: "operations under one id", in: `{"call_id":"c1","operations":[` + op + `,{"type":"delete_file","path":"g"}]}`, want: oneV4A + "delete g @1\ncall c1 apply_patch\n"},
	{name: "operation and operations", in: `{"operation":` + op + `,"operations":[]}`, want: "fail bad-arguments 1\nfail nothing-recognised 0\n"},
	{name: "no operations", in: `{"operations":[]}`, want: "fail nothing-recognised 1\nfail nothing-recognised 0\n"},
	{name: "operation that is no object", in: `{"type":"apply_patch_call","call_id":"c1","operation":7}`, want: "call c1 apply_patch\nfail bad-arguments 1\n"},
	{name: "path of an operation", in: `{"type":"update_file","path":["f"],"diff":"@@\n-a\n+b"}`, want: "fail bad-arguments 1\n"},
	{name: "lists in lists", in: `{"operations":[[[` + op + `]]]}`, want: "fail bad-arguments 1\n"},
	{name: "V4A in a fence of its own", in: "```diff\n@@\n-a\n+b\n```", opt: Options{Format: "v4a", Path: "f"}, want: "fail bad-input 1\n"},
	{name: "stream", in: `{"type":"response.output_item.done","item":` + v4aItem + `}` + "\n" + `{"type":"response.completed","response":{"status":"completed","output":[` + v4aItem + `]}}`,
		want: strings.ReplaceAll(oneV4A, "@1\n", "@2\n") + "call c1 apply_patch\n"},
	{name: "stream that failed", in: v4aItem + "\n" + `{"type":"response.failed"}`, want: "call c1 apply_patch\nfail truncated 0\n"},
	{name: "body without calls", in: `{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + patchJSON + `}]}]}`, want: "delete m @2\n"},
	{name: "body without anything", in: `{"object":"response","output":[]}`, want: "fail nothing-recognised 0\n"},
	{name: "body with an item that is none", in: `{"object":"response","output":[3,` + v4aItem + `]}`, want: "call c1 apply_patch\nfail bad-arguments 0\n"},
	{name: "message of the API", in: `{"id":"m","type":"message","role":"assistant","stop_reason":"tool_use","content":[` + useEdit + `]}`, want: oneEdit + "call t1 Edit\n"},
	{name: "chat message", in: `{"role":"assistant","tool_calls":[{"id":"k","type":"function","function":{"name":"edit","arguments":` + envelopeJSON(editArgs) + `}}]}`, want: oneEdit + "call k edit\n"},
	{name: "chat call without function", in: `{"role":"assistant","tool_calls":[{"id":"k"}]}`, want: "fail bad-arguments 1\nfail nothing-recognised 0\n"},
	{name: "Gemini content", in: `{"role":"model","parts":[{"functionCall":{"name":"replace","args":` + editArgs + `}}]}`, want: oneEdit + "call  replace\n"},
	{name: "newer Cline", in: `{"hookName":"tool_call","tool_call":{"name":"edit","input":` + editArgs + `}}`, want: oneEdit},
	{name: "Windsurf's command", in: `{"agent_action_name":"pre_run_command","tool_info":{"command_line":"ls","cwd":"/x"}}`, want: "fail nothing-recognised 1\n"},
	{name: "Windsurf's MCP tool", in: `{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_tool_name":"edit","mcp_tool_arguments":` + editArgs + `}}`, want: oneEdit},
	{name: "two dry runs", in: `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"f","content":"x","dryRun":"true"}}}]`, want: "dry run\nwrite f @1\n \"x\"\ncall 1 write_file\n"},
	{name: "undo beside a change", in: "[" + useEdit + `,{"type":"tool_use","id":"t2","name":"str_replace_editor","input":{"command":"undo_edit","path":"f"}}]`, want: "call t1 Edit\nundo f\ncall t2 str_replace_editor\nfail unsupported 0\n"},
	{name: "memory format", in: `{"command":"create","path":"/memories/a","file_text":"x"}`, opt: Options{Format: "memory", MemoryDir: "mem"}, want: "add mem/a @1\n \"x\"\n"},
	{name: "memory by a backslash", in: `{"command":"delete","path":"/memories/..\\a"}`, opt: Options{Format: "memory", MemoryDir: "mem"}, want: "fail bad-path 1\n"},
	{name: "view without range", in: `{"command":"view","path":"f"}`, want: "view f 0 0\n"},
	{name: "view with a bad range", in: `{"command":"view","path":"f","view_range":[1]}`, want: "view f 0 0\nfail bad-arguments 1\n"},
	{name: "write format", in: `{"path":"f","content":"x"}`, opt: Options{Format: "write"}, want: "write f @1\n \"x\"\n"},
	{name: "write of an object", in: `{"name":"Write","input":{"path":"f","content":{"a":1}}}`, want: "fail bad-arguments 1\n"},
	{name: "delete without path", in: `{"name":"Delete","input":{}}`, want: "fail bad-arguments 1\n"},
	{name: "delete of a list and a path", in: `{"name":"Delete","input":{"path":"a","paths":["b"]}}`, want: "fail bad-arguments 1\n"},
	{name: "delete of a list of numbers", in: `{"name":"Delete","input":{"paths":[1]}}`, want: "fail bad-arguments 1\n"},
	{name: "editor with old text and line", in: `{"name":"editor","input":{"path":"f","old_text":"a","new_text":"b","insert_line":1}}`, want: "fail bad-arguments 1\n"},
	{name: "number that is none", in: `{"command":"insert","path":"f","insert_line":1.5,"new_str":"x"}`, want: "fail bad-arguments 1\n"},
	{name: "one key twice, told to its call", in: `[` + useEdit + `,{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"f","file_path":"g","old_string":"a","new_string":"b"}}]`,
		want: "call t1 Edit\ncall t2 Edit\nfail bad-arguments 1\n"},
}

func TestCalls(t *testing.T) { check(t, callTests, func(s string) string { return s }) }

// A failure names its call, by index and in words.
func TestCallOfFailure(t *testing.T) {
	req, err := Parse([]byte(callTests[len(callTests)-1].in), Options{})
	errs, ok := err.(interface{ Unwrap() []error })
	if req == nil || !ok || len(errs.Unwrap()) != 1 {
		t.Fatalf("%v", err)
	}
	if msg := err.Error(); !strings.Contains(msg, `call "t2": `) || !strings.Contains(msg, `"file_path"`) {
		t.Error(msg)
	}
}

// TestExplain: whoever asks is told how a request is read.
func TestExplain(t *testing.T) {
	var lines []string
	if _, err := Parse([]byte("["+useEdit+"]"), Options{Explain: func(l string) { lines = append(lines, l) }}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(lines, "\n"), "the request is a list in JSON (items: 1)\ncall \"t1\" of \"Edit\" is read as edit, and answered as tool_result"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
