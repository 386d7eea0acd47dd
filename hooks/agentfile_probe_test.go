package hooks_test

import (
	"strings"
	"testing"

	"github.com/chordgit/chordgit/hooks"
)

// TestProbe: of each agent the call is one that is refused whatever policy says, and
// an answer in its language is told from all others.
func TestProbe(t *testing.T) {
	for _, f := range hooks.AgentFiles() {
		in := hooks.Installation{User: true, Bin: "/a b/chordgit"}
		p := f.Probe(in, "/r")
		if command := p.Command + strings.Join(p.Args, " "); !strings.Contains(command, "chordgit") || !strings.Contains(command, "hook "+f.Agent) {
			t.Errorf("%s: %+v", f.Agent, p)
		}
		event := ""
		if _, after, ok := strings.Cut(p.Command, "--event "); ok {
			event = after
		}
		e, err := hooks.ReadEvent(f.Agent, event, p.Input)
		if err != nil || e.Kind != hooks.Pre {
			t.Errorf("%s: %+v, %v", f.Agent, e, err)
			continue
		}
		found, _, err := e.Judge(hooks.NewPolicy(hooks.Site{Roots: []string{"/r"}}), hooks.HooksSettings{}, nil)
		if err != nil || len(found) == 0 || found[0].Class != hooks.ClassGit {
			t.Errorf("%s: %v, %v", f.Agent, found, err)
		}
		refusal := e.Respond(hooks.Answer{Verdict: hooks.Deny, Text: "chordgit: denied: whatever"})
		if !p.Refuses(refusal) {
			t.Errorf("%s: %+v is none", f.Agent, refusal)
		}
		other := refusal
		other.Exit = 1
		louder := refusal
		louder.Stdout += "and more"
		for name, res := range map[string]hooks.Response{
			"allowed": e.Respond(hooks.Answer{}), "asks": e.Respond(hooks.Answer{Verdict: hooks.Ask, Text: "x"}), "nothing": {}, "no text": {Exit: 2},
			"not found": {Stderr: "sh: chordgit: not found", Exit: 127}, "another status": other, "output": louder,
		} {
			if asksIsDenied := name == "asks" && !e.Asks(); p.Refuses(res) != asksIsDenied {
				t.Errorf("%s: %s, %+v", f.Agent, name, res)
			}
		}
	}
}

// TestAgentSettings: which files are watched, and which no agent may write.
func TestAgentSettings(t *testing.T) {
	moved := env(map[string]string{"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x"})
	for _, c := range []struct {
		agent, root, home string
		settings, never   string
	}{
		{"claude", "/r", "/h", "/r/.claude/settings.json /r/.claude/settings.local.json /c/settings.json", "/c/hooks /c/settings.json /c/settings.local.json /h/.claude/hooks /h/.claude/settings.json /h/.claude/settings.local.json"},
		{"codex", "/r", "", "/r/.codex/hooks.json /x/hooks.json /r/.codex/config.toml /x/config.toml", "/x /x/config.toml /x/hooks.json"},
		{"gemini", "", "/h", "/h/.gemini/settings.json", "/h/.gemini/settings.json"},
		{"gemini", "", "", "", ""},
	} {
		f := hooks.FilesOf(c.agent)[0]
		if got := strings.Join(f.Settings(c.root, c.home, moved), " "); got != c.settings {
			t.Errorf("%s: settings %s", c.agent, got)
		}
		if got := strings.Join(f.Never(c.home, moved), " "); got != c.never {
			t.Errorf("%s: never %s", c.agent, got)
		}
	}
}

// FuzzProbe: whatever a file or a program says, what counts for a refusal is one in
// the agent's language, and a program has an absolute path.
func FuzzProbe(f *testing.F) {
	f.Add([]byte(`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"'/a b/chordgit' hook claude"}]}]}}`), "chordgit: denied", 2)
	f.Add([]byte("// chordgit-plugin 1\nconst BIN = \"/a/chordgit\"\n"), "", 0)
	f.Add([]byte("#!/bin/sh\n# chordgit-plugin 1\nexec '/a b/chordgit' hook cline\n"), "", 0)
	f.Add([]byte(`{"cancel":true,"errorMessage":"x"}`), "", 0)
	f.Add([]byte(`{"permission":"deny","user_message":"x","agent_message":"x"}`), "", 0)
	f.Add([]byte(`{"permissionDecision":"deny","permissionDecisionReason":"x"}`), "", 0)
	f.Add([]byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}`), "x", 2)
	f.Fuzz(func(t *testing.T, text []byte, stderr string, exit int) {
		for _, file := range hooks.AgentFiles() {
			if bin := file.Program(text); bin != "" && !strings.HasPrefix(bin, "/") {
				t.Errorf("%s: program %q", file.Agent, bin)
			}
			p := file.Probe(hooks.Installation{}, "/r")
			if !p.Refuses(hooks.Response{Stdout: string(text), Stderr: stderr, Exit: exit}) {
				continue
			}
			said := strings.Contains(string(text), "deny") || strings.Contains(string(text), "cancel") || strings.Contains(string(text), `\u`) // escapes of the same letters
			if exit != 2 && (exit != 0 || !said) || exit == 2 && strings.TrimSpace(stderr) == "" {
				t.Errorf("%s takes exit %d, %q, %q for a refusal", file.Agent, exit, text, stderr)
			}
		}
	})
}
