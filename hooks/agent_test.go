package hooks_test

import (
	"fmt"
	"testing"

	"github.com/chordgit/chordgit/hooks"
)

func env(vars map[string]string) func(string) string {
	return func(key string) string { return vars[key] }
}

func TestAgentFromEnv(t *testing.T) {
	for _, tt := range []struct {
		name     string
		vars     map[string]string
		terminal bool
		want     string
	}{
		{"nobody", nil, false, ""},
		{"the specific marker wins", map[string]string{"AMP_CURRENT_THREAD_ID": "T-1", "CLAUDECODE": "1"}, false, "amp"},
		{"Qwen Code is no Gemini", map[string]string{"GEMINI_CLI": "1", "QWEN_CODE": "1"}, false, "qwen-code"},
		{"the value is the name", map[string]string{"AGENT": "goose"}, true, "goose"},
		{"false is no name", map[string]string{"AI_AGENT": "False", "AGENT": "0"}, true, ""},
		{"weak marker without a terminal", map[string]string{"CLAUDECODE": "1"}, false, "claude-code"},
		{"weak marker in a person's terminal", map[string]string{"CLAUDECODE": "1", "CURSOR_TRACE_ID": "x"}, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := hooks.AgentFromEnv(env(tt.vars), tt.terminal); got != tt.want {
				t.Errorf("agent %q, want %q", got, tt.want)
			}
		})
	}
}

func ExampleAgentFromEnv() {
	vars := map[string]string{"CODEX_THREAD_ID": "0199"}
	fmt.Println(hooks.AgentFromEnv(func(key string) string { return vars[key] }, true))
	// Output: codex
}
