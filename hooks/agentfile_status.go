package hooks

import (
	"encoding/json"
	"strings"
)

// ProgramOf is the program that a command of ours runs, without its quotes.
func ProgramOf(command string) string {
	if i := strings.LastIndex(command, "; "); i >= 0 {
		command = command[i+2:]
	}
	i := strings.LastIndex(command, " hook ")
	if i < 0 {
		return ""
	}
	bin := strings.TrimSpace(command[:i])
	if quoted, ok := strings.CutPrefix(bin, "'"); ok {
		return strings.ReplaceAll(strings.TrimSuffix(quoted, "'"), `'\''`, "'")
	}
	return strings.Trim(bin, `"`)
}

// CallsUs reports whether a text mentions a call of chordgit as a hook.
func CallsUs(text []byte) bool { return ownCommand.Match(text) || isPlugin(text) }

// Disabled reports whether the agent's file switches all hooks off.
func (f *AgentFile) Disabled(text []byte) bool {
	var s struct {
		DisableAllHooks bool `json:"disableAllHooks"`
	}
	return f.plugin == nil && json.Unmarshal(standard(text), &s) == nil && s.DisableAllHooks
}
