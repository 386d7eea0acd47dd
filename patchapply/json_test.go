package patchapply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const oneEdit = "replace f @1\n \"a\" -> \"b\"\n"

func envelopeJSON(s string) string {
	b, err := json.Marshal(short(s))
	if err != nil {
		panic(err)
	}
	return string(b)
}

var (
	patchJSON = envelopeJSON("BP|D m|EP|")
	useEdit   = `{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"f","old_string":"a","new_string":"b"}}`
)

var jsonTests = []parseTest{
	{name: "edit", in: `{"file_path":"f","old_string":"a","new_string":"b"}`, want: oneEdit},
	{name: "edit, camel case", in: `{"filePath":"f","oldString":"a","newString":"b"}`, want: oneEdit},
	{name: "edit, short", in: `{"file_path":"f","old_str":"a","new_str":"b"}`, want: oneEdit},
	{name: "flags", in: `{"path":"f","old":"a","new":"b","replace_all":"true","expected_replacements":"3","oldText":null}`, want: "replace f @1\n \"a\" -> \"b\" all count 3\n"},
	{name: "bad flags", in: `{"path":"f","old":"a","new":"b","replace_all":1,"expected_replacements":0}`, want: "fail bad-arguments 1\nfail bad-arguments 1\n"},
	{name: "line breaks", in: `{"path":"f","old":"a\r\nb\r","new":"c\r\n"}`, want: "replace f @1\n \"a\\nb\\r\" -> \"c\\n\"\n"},
	{name: "path from outside", in: `{"old":"a","new":"b"}`, opt: Options{Path: "f"}, want: oneEdit},
	{name: "no path", in: `{"old":"a","new":"b"}`, want: "fail bad-arguments 1\n"},
	{name: "no old", in: `{"path":"f","new":"b"}`, want: "fail bad-arguments 1\n"},
	{name: "no new", in: `{"path":"f","old":"b"}`, want: "fail bad-arguments 1\n"},
	{name: "no texts", in: "{\n\"path\":\"f\",\"old\":1,\"new\":[]}", want: "fail bad-arguments 1\nfail bad-arguments 1\n"},
	{name: "two paths", in: `{"path":"f","file_path":"g","old":"a","new":"b"}`, want: "fail bad-arguments 1\n"},
	{name: "one path twice", in: `{"path":"f","file_path":"f","old":"a","new":"b"}`, want: oneEdit},
	{name: "ignored", in: `{"path":"f","old":"a","new":"b","instruction":"x","line":3}`, want: oneEdit + "note ignored-field 1\n"},
	{name: "dry run", in: `{"path":"f","old":"a","new":"b","dryRun":true}`, want: "dry run\n" + oneEdit},
	{name: "dry run off", in: `{"path":"f","old":"a","new":"b","dryRun":false}`, want: oneEdit},
	{name: "list", in: `{"path":"f","edits":[{"oldText":"a","newText":"b"},{"old":"c","new":"","replace_all":true}]}`, want: "replace f @1\n \"a\" -> \"b\" batch\n \"c\" -> \"\" all batch\n"},
	{name: "list with paths", in: "{\"edits\":[\n{\"path\":\"f\",\"old\":\"a\",\"new\":\"b\"},\n{\"path\":\"g\",\"old\":\"a\",\"new\":\"b\"},\n{\"path\":\"f\",\"old\":\"c\",\"new\":\"d\"}]}",
		want: "replace f @2\n \"a\" -> \"b\" batch\n \"c\" -> \"d\" batch\nreplace g @3\n \"a\" -> \"b\" batch\n"},
	{name: "list as text", in: `{"path":"f","edits":"[{\"old\":\"a\",\"new\":\"b\"}]"}`, want: "replace f @1\n \"a\" -> \"b\" batch\n"},
	{name: "list cut off", in: `{"path":"f","edits":"[{\"old\":\"a\",\"ne"}`, want: "fail truncated 1\n"},
	{name: "list beside old", in: `{"path":"f","old_string":"x","edits":[{"old":"a","new":"b"}]}`, want: "fail bad-arguments 1\n"},
	{name: "list beside empty old", in: `{"path":"f","old_string":"","new_string":"","replace_all":false,"edits":[{"old":"a","new":"b"}]}`, want: "replace f @1\n \"a\" -> \"b\" batch\n"},
	{name: "empty list", in: `{"path":"f","edits":[]}`, want: "fail bad-arguments 1\n"},
	{name: "item without old", in: `{"path":"f","edits":[{"old":"a","new":"b"},{"new":"b"},3]}`, want: "fail bad-arguments 1\nfail bad-arguments 1\n"},
	{name: "edit format", in: `{"new":"a"}`, opt: Options{Format: "edit", Path: "f"}, want: "fail bad-arguments 1\n"},
	{name: "call format", in: `{"path":"f","old":"a","new":"b"}`, opt: Options{Format: "call"}, want: "fail nothing-recognised 1\n"},
	{name: "call format, text", in: `hello`, opt: Options{Format: "call"}, want: "fail bad-input 1\n"},

	{name: "patch", in: `{"patch":` + patchJSON + `}`, want: "delete m @2\n"},
	{name: "input", in: `{"input":` + patchJSON + `}`, want: "delete m @2\n"},
	{name: "command", in: `{"command":["apply_patch",` + patchJSON + `]}`, want: "delete m @2\nnote argv 0\n"},
	{name: "string", in: patchJSON, want: "delete m @2\n"},
	{name: "argv", in: `["bash","-lc",` + envelopeJSON("cd x && apply_patch <<E|BP|D m|EP|E|ls") + `]`, want: "base x\ndelete m @3\nnote argv 0\nnote heredoc 1\nnote prose 6\n"},
	{name: "argv of another command", in: `["bash","-lc","ls"]`, want: "fail nothing-recognised 0\n"},
	{name: "lines of the patch", in: "\n\n{\"patch\":" + envelopeJSON("BP|A m|x|EP") + `}`, want: "fail bad-input 3\n"},

	{name: "call", in: `{"name":"mcp__fs__edit","arguments":"{\"path\":\"f\",\"old\":\"a\",\"new\":\"b\"}"}`, want: oneEdit},
	{name: "call of apply_patch", in: `{"name":"functions.apply_patch","input":` + patchJSON + `}`, want: "delete m @2\n"},
	{name: "call of apply_patch in a format", in: `{"name":"apply_patch","input":` + patchJSON + `}`, opt: Options{Format: "call"}, want: "delete m @2\n"},
	{name: "call that deletes", in: `{"name":"str_replace","args":{"path":"f","old_str":"a"}}`, want: "replace f @1\n \"a\" -> \"\"\n"},
	{name: "call without a block", in: `{"name":"replace_in_file","input":{"path":"f","diff":"a"}}`, want: "fail nothing-recognised 1\n"},
	{name: "edit_file with a list", in: `{"name":"edit_file","input":{"path":"f","edits":[{"old":"a","new":"b"}]}}`, want: "replace f @1\n \"a\" -> \"b\" in order\n"},
	{name: "call of something else", in: `{"name":"Grep","input":{"path":"f"}}`, want: "fail nothing-recognised 1\n"},
	{name: "arguments that are no object", in: `{"name":"Edit","input":"x"}`, want: "fail bad-arguments 1\n"},
	{name: "arguments cut off", in: `{"name":"Edit","input":"{\"path\":\"f"}`, want: "fail truncated 1\n"},

	{name: "hook", in: `{"hook_event_name":"PreToolUse","cwd":"/x","tool_name":"Edit","tool_input":{"file_path":"f","old_string":"a","new_string":"b"}}`, want: "base /x\n" + oneEdit},
	{name: "hook of a shell", in: `{"tool_name":"Bash","tool_input":{"command":` + envelopeJSON("apply_patch <<'E'|BP|D m|EP|E") + `}}`, want: "delete m @3\nnote heredoc 1\n"},
	{name: "hook of another command", in: `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, want: "fail nothing-recognised 1\n"},
	{name: "hook behind the call", in: `{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{}}`, want: "fail already-answered 1\n"},

	{name: "item", in: useEdit, want: oneEdit + "call t1 Edit\n"},
	{name: "items", in: "[" + useEdit + ",\n" + strings.ReplaceAll(useEdit, "t1", "t2") + "]", want: oneEdit + strings.ReplaceAll(oneEdit, "@1", "@2") + "call t1 Edit\ncall t2 Edit\n"},
	{name: "message", in: `{"role":"assistant","content":[{"type":"text","text":"x"},` + useEdit + `]}`, want: oneEdit + "call t1 Edit\n"},
	{name: "message with a patch in its text", in: `{"role":"assistant","content":[{"type":"text","text":` + patchJSON + `}]}`, want: "delete m @2\n"},
	{name: "message that was cut off", in: `{"role":"assistant","stop_reason":"max_tokens","content":[` + useEdit + `]}`, want: "call t1 Edit\nfail truncated 0\n"},
	{name: "one id twice", in: "[" + useEdit + "," + useEdit + "]", want: "call t1 Edit\ncall t1 Edit\nfail bad-arguments 1\n"},
	{name: "no id", in: strings.Replace(useEdit, `"t1"`, `null`, 1), want: "call  Edit\nfail bad-arguments 1\n"},
	{name: "skipped call", in: "[" + useEdit + `,{"type":"tool_use","id":"t2","name":"Read","input":{}}]`, want: oneEdit + "note skipped-call 1\ncall t1 Edit\n"},
	{name: "skipped calls only", in: `[{"type":"tool_use","id":"t2","name":"Read","input":{}}]`, want: "fail nothing-recognised 1\n"},
	{name: "one unreadable call", in: "[" + useEdit + `,{"type":"tool_use","id":"t2","name":"Write","input":{"path":"f"}}]`, want: "call t1 Edit\ncall t2 Write\nfail bad-arguments 1\n"},
	{name: "answered call", in: `{"type":"assistant","message":{"role":"assistant","content":[` + useEdit + `]}}` + "\n" +
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"}]}}` + "\n" +
		`{"type":"assistant","message":{"role":"assistant","content":[` + strings.ReplaceAll(useEdit, "t1", "t2") + `]}}`,
		want: strings.ReplaceAll(oneEdit, "@1", "@3") + "note answered-call 1\ncall t2 Edit\n"},
	{name: "answered calls only", in: `[` + useEdit + `,{"type":"tool_result","tool_use_id":"t1"}]`, want: "fail already-answered 0\n"},
	{name: "patch and edit in two directories", in: `[` + useEdit + `,{"type":"tool_use","id":"t2","name":"Bash","input":{"command":` + envelopeJSON("cd s && apply_patch <<E|BP|D m|EP|E") + `}}]`,
		want: "call t1 Edit\ncall t2 Bash\nfail bad-input 2\n"},

	{name: "text editor that replaces", in: `{"command":"str_replace","path":"f","old_str":"a","new_str":"b"}`, want: oneEdit + "note ignored-field 1\n"},
	{name: "whole content", in: `{"path":"f","content":"x"}`, want: "write f @1\n \"x\"\n"},
	{name: "lazy edit", in: `{"target_file":"f","code_edit":"x"}`, want: "add f @1\n \"x\"\n"},
	{name: "nothing", in: `{}`, want: "fail nothing-recognised 1\n"},
	{name: "empty JSON list", in: `[]`, want: "fail nothing-recognised 1\n"},
	{name: "number", in: `[1]`, want: "fail nothing-recognised 0\n"},

	{name: "lenient", in: "{\"path\":\"f\",\"old\":\"a\tb\nc\",\"new\":\"\"}", want: "replace f @1\n \"a\\tb\\nc\" -> \"\"\nnote lenient-json 0\n"},
	{name: "escapes", in: `{"path":"f","old":"\"\\\/\b\f\n\r\t\u00e9\ud834\udd1e","new":"$& \\n"}`, want: "replace f @1\n \"\\\"\\\\/\\b\\f\\n\\r\\té𝄞\" -> \"$& \\\\n\"\n"},
	{name: "half a character", in: `{"path":"f","old":"\ud834","new":"b"}`, want: "fail bad-input 1\n"},
	{name: "one key twice", in: "{\"path\":\"f\",\n\"path\":\"g\",\"old\":\"a\",\"new\":\"b\"}", want: "fail bad-arguments 2\n"},
	{name: "one key twice in a call", in: strings.Replace(useEdit, `{"file_path"`, `{"old_string":"x","file_path"`, 1), want: "call t1 Edit\nfail bad-arguments 1\n"},
	{name: "cut off", in: "{\"patch\":\"*** Begin Patch\\n", want: "fail truncated 1\n"},
	{name: "cut off raw", in: "{\"patch\":\"*** Begin Patch\n*** Add", want: "fail truncated 2\n"},
	{name: "cut off string", in: `"*** Begin Patch\n`, want: "fail truncated 1\n"},
	{name: "cut off literal", in: `[tru`, want: "fail truncated 1\n"},
	{name: "bracket that is text", in: "[note] see\n" + short("BP|D m|EP|"), want: "delete m @3\nnote prose 1\n"},
	{name: "quotation that is text", in: "\"Done\" it\n" + short("BP|D m|EP|"), want: "delete m @3\nnote prose 1\n"},
	{name: "nested too deeply", in: strings.Repeat("[", 1000) + strings.Repeat("]", 1000), want: "fail nothing-recognised 0\n"},
}

func TestJSON(t *testing.T) { check(t, jsonTests, func(s string) string { return s }) }

func TestAnswer(t *testing.T) {
	done := []Result{{Text: "Replaced <1> & done"}}
	for in, want := range map[string]string{
		useEdit:             `{"type":"tool_result","tool_use_id":"t1","content":"Replaced <1> & done"}`,
		"[" + useEdit + "]": `[{"type":"tool_result","tool_use_id":"t1","content":"Replaced <1> & done"}]`,
		`{"role":"assistant","content":[` + useEdit + `]}`: `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Replaced <1> & done"}]}`,
	} {
		req, err := Parse([]byte(in), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := req.Answer(done, ""); err != nil || string(got) != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", in, err, got, want)
		}
		if _, err := req.Answer(nil, ""); err == nil {
			t.Errorf("%s: no error for a missing result", in)
		}
	}
	// A refused request is answered, too.
	req, err := Parse([]byte(strings.Replace(useEdit, `"old_string":"a",`, "", 1)), Options{})
	if err == nil {
		t.Fatal("no error")
	}
	got, err := req.Answer([]Result{{Text: "no", Failed: true}}, "")
	if want := `{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}`; err != nil || string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
	if _, err := (&Request{}).Answer([]Result{{}}, ""); err == nil {
		t.Error("a request without calls was answered")
	}
}

// FuzzJSON compares with encoding/json: what one of the two takes, the other
// does, except for what is refused here on purpose.
func FuzzJSON(f *testing.F) {
	for _, tt := range jsonTests {
		f.Add(tt.in)
	}
	f.Add(`[0, -1.5e+3, 01, 1., .5, -, 1e, true, false, null, {"a":{}}, [], ""]`)
	f.Fuzz(func(t *testing.T, in string) {
		if !utf8.ValidString(in) {
			return // such a text never comes so far
		}
		p := &jsonParser{s: in, line: 1, count: true}
		v, ok := p.value(0)
		p.space()
		ok = ok && p.i == len(in)
		if len(p.errs) > 0 || p.lenient || !ok && p.err != nil && strings.Contains(p.err.Msg, "nested") {
			return
		}
		if valid := json.Valid([]byte(in)); ok != valid {
			t.Fatalf("%q: taken %v, valid %v (%v)", in, ok, valid, p.err)
		}
		if s, isString := v.(string); ok && isString {
			var want string
			if err := json.Unmarshal([]byte(in), &want); err != nil || s != want {
				t.Fatalf("%q: %q, want %q (%v)", in, s, want, err)
			}
		}
	})
}

// FuzzParse: no panic; a refusal says why; the same request is read the same.
func FuzzParse(f *testing.F) {
	for _, tt := range readTests {
		f.Add([]byte(short("BP|"+tt.in+"|EP|")), "")
	}
	for _, tt := range wrapTests {
		f.Add([]byte(short(tt.in)), tt.opt.Format)
	}
	for _, tt := range jsonTests {
		f.Add([]byte(tt.in), "")
	}
	for _, tt := range callTests {
		f.Add([]byte(tt.in), tt.opt.Format)
	}
	for _, tt := range blockTests {
		f.Add([]byte(shortBlock(tt.in)), tt.opt.Format)
	}
	for _, tt := range diffTests {
		f.Add([]byte(short(tt.in)), "auto")
	}
	f.Fuzz(func(t *testing.T, in []byte, format string) {
		if _, ok := named(format); !ok {
			return
		}
		opt := Options{Format: format, Path: "p", MemoryDir: "mem"}
		req, err := Parse(in, opt)
		if again, errAgain := Parse(in, opt); render(req, err) != render(again, errAgain) || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Fatalf("%q is read in two ways", in)
		}
		if err == nil {
			if len(req.Ops) == 0 && !slices.ContainsFunc(req.Calls, func(c Call) bool { return c.View != nil || c.Undo != "" }) {
				t.Fatalf("%q: neither an operation nor an error", in)
			}
			for _, op := range req.Ops {
				if op.Path == "" || op.Tool == "" || op.Kind == 0 || req.Format == "" {
					t.Fatalf("%q: %+v", in, op)
				}
				for _, h := range op.Hunks {
					if len(h.Lines) == 0 {
						t.Fatalf("%q: a hunk without lines", in)
					}
				}
			}
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if len(line) < 10 || strings.HasSuffix(line, ".") || strings.Contains(line, "%!") && !bytes.Contains(in, []byte("%!")) {
				t.Fatalf("%q: %q is no message", in, line)
			}
		}
	})
}

// Some hundred kilobytes of equal lines take milliseconds, whatever they are:
// work that grew by the square would show here as minutes.
func TestLinear(t *testing.T) {
	for _, set := range []struct{ heads, units []string }{
		{[]string{"", "BP\nU m\n@@\n-a\n", "BP\nA m\n+a\n"},
			[]string{"\n", "BP\n", "```\n", " ```\n  ```\n", "<<A\n", "U m\n", "BP\nU m\n-a\n\n", "x\n", "*** Upd\n",
				"[", `{"a":`, "@@\n", "BP\nA m\n\n", "  BP\n  x\n", "  \n", "\\ No newline at end of file\n", "+*** End Patch\n", "cd x\n<<A\n",
				`{"type":"tool_use","id":"1","name":"Edit","input":{"path":"f","old":"a","new":"b"}}` + "\n", `{"functionCall":{"name":"Edit","args":{"a":1,"a":2}}}` + "\n",
				`{"type":"apply_patch_call","call_id":"c","operation":{"type":"update_file","path":"f","diff":"@@\n-a\n+b"}}` + "\n", `"\"`}},
		{[]string{"", "f\n```\n", "f\n<<<<<<< SEARCH\n", "<edits>\n", "<apply_diff><args><file>"},
			[]string{"\n", "```\n", "<<<<<<< SEARCH\n", "<<<<< SEARCH\n<<<<<< SEARCH\n", "--- SEARCH\n", "<<<<<<< HEAD\n", "=======\n",
				"f\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n", "f\n```\n```\n", "<<<<<<< SEARCH\n>>>>>> REPLACE\n", "<source>\n",
				"<update>\n", "<update></update>\n", "<edits><old_text>", "<![CDATA[", "a.b\n```sh\n```\n"}},
	} {
		for _, unit := range set.units {
			for _, head := range set.heads {
				_, _ = Parse([]byte(short(head+strings.Repeat(unit, 200_000/len(unit)))), Options{})
			}
		}
	}
}
