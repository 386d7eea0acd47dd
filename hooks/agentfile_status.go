package hooks

import (
	"encoding/json"
	"path/filepath"
	"regexp"
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

// Program is the one absolute path under which the file's entries call chordgit,
// empty if there is none, or there are several.
func (f *AgentFile) Program(text []byte) (bin string) {
	if f.Executable {
		bin = clineProgram(text)
	} else if f.plugin != nil {
		if m := pluginBin.FindSubmatch(text); m != nil {
			_ = json.Unmarshal(m[1], &bin) // what is no text names no program
		}
	} else {
		_, _, commands, _ := f.Installed(text, Installation{})
		for i, c := range commands {
			if at := ProgramOf(c); i == 0 || at == bin {
				bin = at
			} else {
				return ""
			}
		}
	}
	if !filepath.IsAbs(bin) {
		return ""
	}
	return bin
}

var pluginBin = regexp.MustCompile(`(?m)^const BIN = (".*")$`)

// CallsUs reports whether a text mentions a call of chordgit as a hook.
func CallsUs(text []byte) bool { return ownCommand.Match(text) || isPlugin(text) }

// Disabled reports whether the agent's file switches all hooks off.
func (f *AgentFile) Disabled(text []byte) bool {
	var s struct {
		DisableAllHooks bool `json:"disableAllHooks"`
	}
	return f.plugin == nil && json.Unmarshal(standard(text), &s) == nil && s.DisableAllHooks
}
