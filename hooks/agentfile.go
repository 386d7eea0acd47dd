package hooks

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// An Installation says how an agent is to call chordgit.
type Installation struct {
	User   bool   // in the user's own file, for all repositories
	Bin    string // the program's absolute path, which the user's own files name
	Strict bool   // agents that can refuse where the program is missing shall
}

// An AgentFile is where an agent has its hooks, and what chordgit puts there.
type AgentFile struct {
	Agent string
	// Project is the file in a worktree, Local a file of the same kind that is not
	// committed (empty: there is none), User the file below the user's directory
	// for the agent: what the variable Env names, or Home below the home.
	Project, Local, User, Env, Home string
	// After is what the user must still do, in one line; empty: nothing.
	After string
	// OwnDir says that the user's hooks run in the directory of their file.
	OwnDir bool
	// Executable says that the agent runs the file itself.
	Executable bool

	// beside is another file in the directory of each that may name hooks, too.
	beside string
	// guarded are below the user's directory for the agent: what tells it what to run,
	// beside the file of its hooks.
	guarded  []string
	trusted  string // the name of the user's file that says which hooks may run
	groups   func(in Installation) []group
	head     []string // members that a new file begins with: key, JSON
	flat     bool     // an event has handlers, not groups of them
	comments bool     // the agent reads comments and trailing commas
	plugin   func(in Installation) []byte
}

// A group is what an event calls for the tools that a matcher names.
type group struct {
	event, matcher string
	handler        [][2]string // keys and JSON values, in order
}

// AgentFiles are the files of the agents whose hooks can be installed. Those of one
// agent stand together.
func AgentFiles() []*AgentFile {
	return append([]*AgentFile{claudeFile(), codexFile(), geminiFile(), cursorFile(), opencodeFile(), copilotFile(),
		windsurfFile(), qwenFile(), droidFile()}, clineFiles()...)
}

// FilesOf are those of an agent, none if it is not known.
func FilesOf(agent string) []*AgentFile {
	return slices.DeleteFunc(AgentFiles(), func(f *AgentFile) bool { return f.Agent != agent })
}

// Path is the file, given the worktree's root and the user's home, with slashes;
// getenv tells where the agent keeps the user's files if not below the home.
func (f *AgentFile) Path(user, local bool, root, home string, getenv func(string) string) string {
	switch {
	case user:
		dir := ""
		if f.Env != "" {
			dir = getenv(f.Env)
		}
		return path.Join(cmp.Or(dir, path.Join(home, f.Home)), f.User)
	case local:
		return path.Join(root, f.Local)
	}
	return path.Join(root, f.Project)
}

// Settings are the files of the agent that may name hooks, of a worktree and of the
// user, absolute with slashes: those of the worktree are left out where root is empty,
// the user's where they cannot be found.
func (f *AgentFile) Settings(root, home string, getenv func(string) string) (names []string) {
	if root != "" {
		names = append(names, f.Path(false, false, root, home, getenv))
		if f.Local != "" {
			names = append(names, f.Path(false, true, root, home, getenv))
		}
	}
	if home != "" || f.Env != "" && getenv(f.Env) != "" {
		names = append(names, f.Path(true, false, root, home, getenv))
	}
	if f.beside != "" {
		for _, name := range slices.Clone(names) {
			names = append(names, path.Join(path.Dir(name), f.beside))
		}
	}
	return names
}

// Never are the files and directories of the user that tell the agent what to run,
// which no agent may write whatever the settings say.
func (f *AgentFile) Never(home string, getenv func(string) string) []string {
	names := f.Settings("", home, getenv)
	for _, rel := range f.guarded {
		// Whatever the environment of this call says, the usual place counts, too.
		for _, get := range []func(string) string{getenv, func(string) string { return "" }} {
			at := *f
			at.User, at.beside = rel, ""
			names = append(names, at.Settings("", home, get)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Command is what the agent runs.
func (in Installation) command(agent string) string {
	bin := "chordgit"
	if in.User {
		if bin = in.Bin; strings.Trim(bin, safe) != "" {
			bin = ShellQuote(bin)
		}
	}
	return bin + " hook " + agent
}

// safe are the characters that no shell takes for its own.
const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-"

// ownCommand recognises a command that calls chordgit for an agent, under
// whatever path.
var ownCommand = regexp.MustCompile(`(?:^|[\s"'/\\;])chordgit(?:\.exe)?["']?\s+hook\s+[a-z]`)

func claudeFile() *AgentFile {
	return &AgentFile{
		Agent: "claude", Project: ".claude/settings.json", Local: ".claude/settings.local.json", User: "settings.json", Env: "CLAUDE_CONFIG_DIR", Home: ".claude",
		guarded: []string{"settings.json", "settings.local.json", "hooks"},
		After:   "Claude Code runs hooks of a project only in a folder that it was told to trust",
		groups: func(in Installation) []group {
			handler := func(seconds string) [][2]string {
				return [][2]string{{"type", `"command"`}, {"command", quoteJSON(in.command("claude"))}, {"timeout", seconds}}
			}
			const tools, mcp = "Edit|MultiEdit|Write|NotebookEdit|Bash|PowerShell", "mcp__.*"
			return []group{
				{"UserPromptSubmit", "", handler("30")},
				{"PreToolUse", tools, handler("10")}, {"PreToolUse", mcp, handler("10")},
				{"PostToolUse", tools + "|Read", handler("10")}, {"PostToolUse", mcp, handler("10")},
				{"Stop", "", handler("120")}, {"StopFailure", "", handler("120")}, {"SessionEnd", "", handler("60")},
			}
		},
	}
}

func codexFile() *AgentFile {
	return &AgentFile{
		Agent: "codex", Project: ".codex/hooks.json", User: "hooks.json", Env: "CODEX_HOME", Home: ".codex", beside: "config.toml", trusted: "config.toml", guarded: []string{"."},
		After: "Codex runs a hook only once you trusted it: start codex and enter /hooks",
		groups: func(in Installation) []group {
			handler := func(seconds string) [][2]string {
				return [][2]string{{"type", `"command"`}, {"command", quoteJSON(in.command("codex"))}, {"timeout", seconds}}
			}
			return []group{
				{"UserPromptSubmit", "", handler("30")},
				{"PreToolUse", "apply_patch|Bash", handler("10")}, {"PreToolUse", "mcp__.*", handler("10")},
				{"PostToolUse", "apply_patch|Bash", handler("10")}, {"PostToolUse", "mcp__.*", handler("10")},
				{"Stop", "", handler("120")}, {"SessionEnd", "", handler("3")}, // the most it allows
			}
		},
	}
}

func geminiFile() *AgentFile {
	return &AgentFile{
		Agent: "gemini", Project: ".gemini/settings.json", User: "settings.json", Home: ".gemini", guarded: []string{"settings.json"},
		comments: true, // it strips them before it parses
		After:    "Gemini CLI warns of hooks that are new in a project, and runs none in a folder that it does not trust",
		groups: func(in Installation) []group {
			handler := func(milliseconds string) [][2]string {
				return [][2]string{{"name", `"chordgit"`}, {"type", `"command"`}, {"command", quoteJSON(in.command("gemini"))}, {"timeout", milliseconds}}
			}
			const tools = "write_file|replace|run_shell_command|mcp_.*"
			return []group{
				{"BeforeAgent", "", handler("30000")}, {"BeforeTool", tools, handler("10000")},
				{"AfterTool", tools + "|read_file|read_many_files", handler("10000")},
				{"AfterAgent", "", handler("120000")}, {"SessionEnd", "", handler("60000")},
			}
		},
	}
}

func cursorFile() *AgentFile {
	return &AgentFile{
		Agent: "cursor", Project: ".cursor/hooks.json", User: "hooks.json", Home: ".cursor", OwnDir: true, guarded: []string{"hooks.json", "hooks", "mcp.json"}, flat: true, head: []string{"version", "1"},
		After: "Cursor runs hooks of a project only in a workspace that it was told to trust",
		groups: func(in Installation) []group {
			handler := func(seconds, matcher string, closed bool) [][2]string {
				h := [][2]string{{"command", quoteJSON(in.command("cursor"))}, {"timeout", seconds}}
				if matcher != "" {
					h = append(h, [2]string{"matcher", quoteJSON(matcher)})
				}
				if closed { // never for colleagues who do not have the program
					h = append(h, [2]string{"failClosed", "true"})
				}
				return h
			}
			const tools = "Write|StrReplace|Edit|ApplyPatch|Delete|Shell|MCP"
			return []group{
				{"beforeSubmitPrompt", "", handler("30", "", false)},
				{"preToolUse", tools, handler("10", tools, in.User || in.Strict)},
				{"postToolUse", tools + "|Read", handler("10", tools+"|Read", false)},
				{"stop", "", handler("120", "", false)}, {"sessionEnd", "", handler("30", "", false)},
			}
		},
	}
}

func copilotFile() *AgentFile {
	return &AgentFile{
		Agent: "copilot", Project: ".github/hooks/chordgit.json", User: "hooks/chordgit.json", Env: "COPILOT_HOME", Home: ".copilot", guarded: []string{"hooks"}, flat: true, head: []string{"version", "1"},
		groups: func(in Installation) (all []group) {
			for _, event := range []string{"userPromptSubmitted", "preToolUse", "postToolUse", "agentStop", "sessionEnd"} {
				command := in.command("copilot") + " --event " + event
				if !in.User && !in.Strict { // it takes any failure for a refusal
					command = "command -v chordgit >/dev/null 2>&1 || exit 0; " + command
				}
				all = append(all, group{event, "", [][2]string{{"type", `"command"`}, {"command", quoteJSON(command)}, {"timeoutSec", "30"}}})
			}
			return all
		},
	}
}
