package hooks

import "strings"

// HookName is the name that a hook of ours has in git's configuration.
func HookName(event string) string { return "chordgit-" + event }

// HookCommand is what git 2.54 and newer run by their configuration instead of
// [HookScript]. They append the hook's arguments, give its input, and run what is in
// the directory of hooks themselves.
func HookCommand(event, bin string, block bool) string {
	return hookSettings(event, bin, block) + scriptChecks + `"$bin" hook "$hook"`
}

// ReadHookCommand tells whose a configured command is, as [ReadHookScript] does.
func ReadHookCommand(event, command string) ScriptState {
	lines := strings.SplitN(command, "\n", 4)
	if len(lines) < 4 || lines[0] != "hook="+event || !strings.HasPrefix(lines[1], "bin=") {
		return ScriptState{Kind: ScriptForeign}
	}
	return readSettings(lines[1], lines[2], func(bin string, block bool) bool {
		return HookCommand(event, bin, block) == command
	})
}

// readSettings reads the lines of the settings. same tells whether they make up the
// whole again.
func readSettings(bin, missing string, same func(bin string, block bool) bool) ScriptState {
	quoted, ok := strings.CutPrefix(bin, "bin=")
	s := ScriptState{Kind: ScriptOurs, Block: missing == "missing=block"}
	s.Bin = strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(quoted, "'"), "'"), `'\''`, "'")
	if !ok || !same(s.Bin, s.Block) {
		s.Kind = ScriptEdited
	}
	return s
}

// hookSettings are the first lines of what git runs.
func hookSettings(event, bin string, block bool) string {
	missing := "warn"
	if block {
		missing = "block"
	}
	return "hook=" + event + "\nbin=" + ShellQuote(bin) + "\nmissing=" + missing + "\n"
}
