package hooks_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/chordgit/chordgit/hooks"
)

// An eventCase is a paragraph of testdata/events.txt: what an agent sends, and what
// it is told.
type eventCase struct{ name, agent, event, input, exit, stdout, stderr string }

// eventCases reads paragraphs of the form
//
//	# what it shows
//	agent [event]: input
//	exit 2
//	stdout: …   (R stands for the refusal)
//	stderr: …   (R must be there and hold the text)
func eventCases(t testing.TB) (cases []eventCase) {
	data, err := os.ReadFile("testdata/events.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		var c eventCase
		for line := range strings.Lines(part) {
			line = strings.TrimSuffix(line, "\n")
			key, rest, _ := strings.Cut(line, ": ")
			switch {
			case strings.HasPrefix(line, "# "):
				c.name = line[2:]
			case strings.HasPrefix(line, "exit "):
				c.exit = line[5:]
			case key == "stdout":
				c.stdout = rest
			case key == "stderr":
				c.stderr = rest
			default:
				c.agent, c.event, _ = strings.Cut(key, " ")
				c.input = rest
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// policyOfCases is that of /r: secret/** is denied, go.mod asks.
func policyOfCases(t testing.TB, windows bool) (*hooks.Policy, hooks.HooksSettings) {
	config, err := hooks.DecodeConfig("HEAD:.chordgit.yaml", []byte("policy:\n  deny: [\"secret/**\"]\n  ask: [\"go.mod\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	layer := hooks.Layer{Name: "HEAD", Place: "HEAD:.chordgit.yaml", Config: config}
	root := "/r"
	if windows {
		root = "C:/r"
	}
	site := hooks.Site{Roots: []string{root}, Base: root, Outside: "scratch", Scratch: []string{"/tmp"}}
	return hooks.NewPolicy(site, layer), hooks.MergeHooks(layer)
}

func TestEvents(t *testing.T) {
	for _, c := range eventCases(t) {
		e, err := hooks.ReadEvent(c.agent, c.event, []byte(c.input))
		if e == nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var a hooks.Answer
		if e.Kind == hooks.Pre {
			policy, settings := policyOfCases(t, e.Windows)
			if err == nil {
				a.Findings, _, err = e.Judge(policy, settings, nil)
			}
			a.Verdict, a.Text = hooks.Strictest(a.Findings), hooks.Refusal(a.Findings)
			if err != nil && a.Verdict != hooks.Deny {
				a.Verdict, a.Text = hooks.Deny, hooks.UndecidedText(err)
			}
		}
		res := e.Respond(a)
		refusal, _ := json.Marshal(a.Text)
		want := strings.ReplaceAll(c.stdout, `"R"`, string(refusal))
		if want != "" {
			want += "\n"
		}
		if got := map[int]string{0: "0", 2: "2", 3: "3"}[res.Exit]; got != c.exit {
			t.Errorf("%s: exit %s, want %s", c.name, got, c.exit)
		}
		if res.Stdout != want {
			t.Errorf("%s: stdout\n %s want\n %s", c.name, res.Stdout, want)
		}
		switch {
		case c.stderr == "" && res.Stderr != "":
			t.Errorf("%s: stderr %s", c.name, res.Stderr)
		case c.stderr != "" && (res.Stderr != a.Text+"\n" || !strings.Contains(res.Stderr, c.stderr) || !strings.HasPrefix(res.Stderr, "chordgit: ")):
			t.Errorf("%s: stderr\n %s wants %s", c.name, res.Stderr, c.stderr)
		case strings.Contains(c.stdout, `"R"`) && a.Text == "":
			t.Errorf("%s: no refusal", c.name)
		}
	}
}

// TestEventUTF16 reads what Cursor sends on Windows, and where its hook runs for
// the user.
func TestEventUTF16(t *testing.T) {
	text := `{"hook_event_name":"preToolUse","conversation_id":"s","generation_id":"g","workspace_roots":["/r"],"tool_name":"ApplyPatch","tool_input":"*** Begin Patch\n*** Add File: secret/k\n+x\n*** End Patch"}`
	data := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(text)) {
		data = append(data, byte(u), byte(u>>8))
	}
	swapped := []byte{}
	for i := 0; i < len(data); i += 2 {
		swapped = append(swapped, data[i+1], data[i])
	}
	for _, data := range [][]byte{data, data[2:], swapped, swapped[2:], []byte("\xEF\xBB\xBF" + text)} {
		e, err := hooks.ReadEvent("cursor", "", data)
		if err != nil || e.Session != "s" || e.Turn != "g" || e.Dir != "/r" {
			t.Fatalf("%+v, %v", e, err)
		}
		policy, settings := policyOfCases(t, false)
		found, _, err := e.Judge(policy, settings, nil)
		if err != nil || hooks.Strictest(found) != hooks.Deny {
			t.Errorf("%v, %v", found, err)
		}
	}
}

// TestEventIDs reads the ids of one event that two of Cursor's files run.
func TestEventIDs(t *testing.T) {
	input := []byte(`{"hook_event_name":"PreToolUse","cursor_version":"2.4","conversation_id":"c","generation_id":"g","session_id":"s","prompt_id":"p","tool_use_id":"t","tool_name":"Write"}`)
	a, err1 := hooks.ReadEvent("claude", "", input)
	b, err2 := hooks.ReadEvent("cursor", "", input)
	if err1 != nil || err2 != nil || a.Session != "c" || a.Session != b.Session || a.Turn != b.Turn || a.Call != "t" || b.Call != "t" {
		t.Errorf("%+v, %+v, %v, %v", a, b, err1, err2)
	}
}

// TestEventBytes judges a name that is not UTF-8.
func TestEventBytes(t *testing.T) {
	for _, name := range []string{"a\xFFb", `a\ud800b`} {
		e, err := hooks.ReadEvent("claude", "", []byte(`{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/r/`+name+`"}}`))
		if err != nil {
			t.Fatal(err)
		}
		policy, settings := policyOfCases(t, false)
		found, _, err := e.Judge(policy, settings, nil)
		if err != nil || len(found) == 0 || found[0].Class != hooks.ClassPath {
			t.Errorf("%q: %v, %v", name, found, err)
		}
	}
}

func TestNotes(t *testing.T) {
	for _, c := range []struct{ agent, event, note, context, want string }{
		{"claude", "Stop", "n", "", `{"systemMessage":"n"}`},
		{"claude", "Stop", "n", "c", `{"systemMessage":"n"}`}, // it would go on
		{"claude", "UserPromptSubmit", "", "c", `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}`},
		{"codex", "Stop", "<n>", "", `{"systemMessage":"<n>"}`},
		{"gemini", "BeforeAgent", "", "c", `{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"c"}}`},
		{"cursor", "stop", "n", "", `{}`},
		{"cursor", "beforeSubmitPrompt", "", "c", `{"continue":true}`},
		{"cursor", "postToolUse", "", "c", `{"additional_context":"c"}`},
		{"opencode", "turn_end", "n", "", ``},
		{"copilot", "agentStop", "n", "c", ``},
		{"codex-notify", "agent-turn-complete", "n", "c", ``},
		{"windsurf", "post_cascade_response", "n", "c", ``},
		{"windsurf", "pre_user_prompt", "n", "c", ``},
		{"cline", "TaskComplete", "n", "c", ``},
		{"cline", "prompt_submit", "n", "c", ``},
		{"chord", "on_idle", "n", "c", ``},
		{"qwen", "Stop", "n", "c", `{"systemMessage":"n"}`},
		{"droid", "UserPromptSubmit", "", "c", `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}`},
	} {
		e, err := hooks.ReadEvent(c.agent, c.event, []byte("{}"))
		if err != nil || e.Kind == hooks.NoEvent {
			t.Fatal(c, err)
		}
		res := e.Respond(hooks.Answer{Verdict: hooks.Deny, Text: "R", Note: c.note, Context: c.context})
		if strings.TrimSuffix(res.Stdout, "\n") != c.want || res.Exit != 0 || res.Stderr != "" {
			t.Errorf("%s %s: %+v, want %s", c.agent, c.event, res, c.want)
		}
	}
}

func FuzzEvent(f *testing.F) {
	for _, c := range eventCases(f) {
		f.Add(c.agent, c.event, []byte(c.input))
	}
	f.Add("cursor", "", []byte("\xFF\xFE{\x00}\x00"))
	f.Fuzz(func(t *testing.T, agent, event string, input []byte) {
		e, err := hooks.ReadEvent(agent, event, input)
		if e == nil {
			if err == nil {
				t.Error("neither event nor error")
			}
			return
		}
		policy, settings := policyOfCases(t, e.Windows)
		var found []hooks.Finding
		if err == nil {
			found, _, _ = e.Judge(policy, settings, nil)
		}
		text := hooks.Refusal(found)
		if len(text) > 8000 {
			t.Errorf("%d bytes", len(text))
		}
		for _, v := range []hooks.Verdict{hooks.Allow, hooks.Ask, hooks.Deny} {
			a := hooks.Answer{Verdict: v, Text: text, Note: "n", Context: "c"}
			if a.Text == "" {
				a.Text = "chordgit: denied"
			}
			res := e.Respond(a)
			out := strings.TrimSuffix(res.Stdout, "\n")
			if out != "" && (!json.Valid([]byte(out)) || strings.Contains(out, "\n")) {
				t.Errorf("no object: %s", out)
			}
			refuses := res.Exit != 0
			for _, word := range []string{`"deny"`, `"ask"`, `{"cancel":true`, `{"action":"block"`} {
				refuses = refuses || strings.Contains(out, word)
			}
			if refuses != (e.Kind == hooks.Pre && v != hooks.Allow) {
				t.Errorf("%s %s: verdict %v is %+v", agent, e.Kind, v, res)
			}
		}
	})
}
