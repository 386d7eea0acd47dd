// Package hooks decides what is allowed and speaks with agents about it.
//
// It decodes the configuration, judges operations by it ([Policy]), decides which
// tools a model is offered, and recognises the agent that runs a command. It opens
// no file and knows no repository: who asks tells it what exists.
package hooks

import "strings"

// markers are the variables by which agents mark what they start, specific
// before general: Amp also sets CLAUDECODE, Qwen Code GEMINI_CLI.
var markers = []struct{ variable, agent string }{
	{"AMP_CURRENT_THREAD_ID", "amp"},
	{"CLAUDE_CODE_CHILD_SESSION", "claude-code"},
	{"CODEX_THREAD_ID", "codex"},
	{"CODEX_SANDBOX", "codex"},
	{"CODEX_CI", "codex"},
	{"QWEN_CODE", "qwen-code"},
	{"GEMINI_CLI", "gemini-cli"},
	{"CURSOR_AGENT", "cursor"},
	{"OPENCODE", "opencode"},
	{"COPILOT_CLI", "copilot-cli"},
	{"CLINE_ACTIVE", "cline"},
	{"AUGMENT_AGENT", "augment"},
}

// AgentFromEnv names the agent in whose environment a command runs, empty if
// there is none. getenv is os.Getenv or a stand-in; terminal says whether the
// command has a controlling terminal, where the markers that an IDE gives to
// its user's terminals too do not count.
func AgentFromEnv(getenv func(string) string, terminal bool) string {
	for _, m := range markers {
		if getenv(m.variable) != "" {
			return m.agent
		}
	}
	for _, variable := range []string{"AI_AGENT", "AGENT"} {
		if v := getenv(variable); v != "" && v != "0" && !strings.EqualFold(v, "false") {
			return v
		}
	}
	if terminal {
		return ""
	}
	if getenv("CLAUDECODE") != "" {
		return "claude-code"
	}
	if getenv("CURSOR_TRACE_ID") != "" {
		return "cursor"
	}
	return ""
}
