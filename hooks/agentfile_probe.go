package hooks

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// A Probe is a call of an agent's hook that every policy refuses: it finds out
// whether what is installed works. Such a call opens no turn and is not logged.
type Probe struct {
	Command string   // for the shell, as the agent's file has it; empty: Args are run without one
	Args    []string // a program and its arguments
	Input   []byte   // for its standard input

	refusal Response
}

// probes are what agents send before a file is written: %s is its path as JSON.
var probes = map[string]struct{ event, input string }{
	"claude":   {"PreToolUse", `"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":%s,"content":""}`},
	"codex":    {"PreToolUse", `"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":%s,"content":""}`},
	"gemini":   {"BeforeTool", `"hook_event_name":"BeforeTool","tool_name":"write_file","tool_input":{"file_path":%s,"content":""}`},
	"cursor":   {"preToolUse", `"hook_event_name":"preToolUse","tool_name":"Write","tool_input":{"file_path":%s,"content":""}`},
	"opencode": {"pre_tool", `"hook_event_name":"pre_tool","tool_name":"write","tool_input":{"filePath":%s,"content":""}`},
	"windsurf": {"pre_write_code", `"agent_action_name":"pre_write_code","tool_info":{"file_path":%s,"edits":[]}`},
	"cline":    {"PreToolUse", `"hookName":"PreToolUse","preToolUse":{"toolName":"write_to_file","parameters":{"path":%s,"content":""}}`},
	"qwen":     {"PreToolUse", `"hook_event_name":"PreToolUse","tool_name":"write_file","tool_input":{"file_path":%s,"content":""}`},
	"droid":    {"PreToolUse", `"hook_event_name":"PreToolUse","tool_name":"Create","tool_input":{"file_path":%s,"content":""}`},
	"copilot":  {"preToolUse", `"toolName":"create","toolArgs":{"path":%s,"file_text":""}`},
}

// Probe is the call that an installation makes before a file in the git directory
// of the worktree dir is written; dir is absolute, with slashes.
func (f *AgentFile) Probe(in Installation, dir string) Probe {
	form := probes[f.Agent]
	input := `{"session_id":"chordgit-doctor","cwd":` + jsonText(dir) + "," + strings.Replace(form.input, "%s", jsonText(path.Join(dir, ".git/chordgit-doctor")), 1) + "}"
	p := Probe{Input: []byte(input)}
	if e, err := ReadEvent(f.Agent, form.event, p.Input); err == nil {
		p.refusal = e.Respond(Answer{Verdict: Deny, Text: probeText})
	}
	if f.plugin != nil {
		bin := "chordgit"
		if in.User {
			bin = in.Bin
		}
		p.Args = []string{bin, "hook", f.Agent}
		return p
	}
	groups := f.groups(in)
	i := slices.IndexFunc(groups, func(g group) bool { return g.event == form.event })
	for _, member := range groups[i].handler {
		if member[0] == "command" {
			_ = json.Unmarshal([]byte(member[1]), &p.Command) // a text of our own
		}
	}
	return p
}

const probeText = "R"

// Refuses reports whether the agent takes an answer for a refusal.
func (p *Probe) Refuses(res Response) bool {
	want := p.refusal
	if res.Exit != want.Exit || want.Stderr != "" && strings.TrimSpace(res.Stderr) == "" {
		return false // a status without text does not stop everybody
	}
	if want.Stdout == "" {
		return strings.TrimSpace(res.Stdout) == "" // what is not understood is dropped, and the tool runs
	}
	var expected, got any
	return json.Unmarshal([]byte(want.Stdout), &expected) == nil && json.Unmarshal([]byte(res.Stdout), &got) == nil && sameAnswer(expected, got)
}

// sameAnswer compares answers but for the reason that they give.
func sameAnswer(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		for key := range want {
			ok = ok && sameAnswer(want[key], object[key])
		}
		return ok && len(object) == len(want)
	case string:
		text, ok := got.(string)
		return ok && (text == want || want == probeText && text != "")
	}
	return want == got
}
