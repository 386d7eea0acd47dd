package hooks

import (
	"strings"
)

// clineMark begins the second line of a script of ours.
const clineMark = "# chordgit-plugin "

// clineFiles are the scripts that Cline runs, one for each event. Without the program
// those of a project do nothing, for colleagues who do not have it.
func clineFiles() (files []*AgentFile) {
	for _, event := range []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "TaskComplete", "TaskCancel"} {
		files = append(files, &AgentFile{
			Agent: "cline", Project: ".clinerules/hooks/" + event, User: event, Home: "Documents/Cline/Hooks", guarded: []string{"."}, Executable: true,
			plugin: func(in Installation) []byte {
				guard := ""
				if !in.User && !in.Strict {
					guard = "command -v chordgit >/dev/null 2>&1 || exit 0\n"
				}
				return []byte("#!/bin/sh\n" + clineMark + "1\n" + guard + clineCall + in.command("cline") + "\n")
			},
		})
	}
	return files
}

// clineCall is before the command in such a script.
const clineCall = "exec "

// clineProgram is the program that a script of ours calls, empty if it is none.
func clineProgram(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(line, clineCall); ok {
			return ProgramOf(command)
		}
	}
	return ""
}
