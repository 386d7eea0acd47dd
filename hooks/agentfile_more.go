package hooks

func windsurfFile() *AgentFile {
	return &AgentFile{
		Agent: "windsurf", Project: ".windsurf/hooks.json", User: "hooks.json", Home: ".codeium/windsurf", guarded: []string{"hooks.json"}, flat: true,
		groups: func(in Installation) (all []group) {
			for _, event := range []string{"pre_user_prompt", "pre_write_code", "pre_run_command", "pre_mcp_tool_use",
				"post_write_code", "post_run_command", "post_mcp_tool_use", "post_cascade_response"} {
				all = append(all, group{event, "", [][2]string{{"command", quoteJSON(in.command("windsurf"))}, {"show_output", "true"}}})
			}
			return all
		},
	}
}

func qwenFile() *AgentFile {
	return &AgentFile{
		Agent: "qwen", Project: ".qwen/settings.json", User: "settings.json", Home: ".qwen", guarded: []string{"settings.json"},
		comments: true, // as Gemini CLI, of which it was made
		groups: func(in Installation) []group {
			return claudeShaped(in, "qwen", "write_file|edit|run_shell_command", "000") // it counts milliseconds
		},
	}
}

func droidFile() *AgentFile {
	return &AgentFile{
		Agent: "droid", Project: ".factory/hooks.json", User: "hooks.json", Home: ".factory", guarded: []string{"hooks.json", "hooks", "settings.json"},
		After: "droid runs a hook that is new or was changed only once you reviewed it: start droid and enter /hooks",
		groups: func(in Installation) []group {
			return claudeShaped(in, "droid", "Create|Edit|ApplyPatch|Execute", "")
		},
	}
}

// claudeShaped are the groups of an agent with Claude Code's events. thousand follows
// the seconds of a timeout.
func claudeShaped(in Installation, agent, tools, thousand string) []group {
	handler := func(seconds string) [][2]string {
		return [][2]string{{"type", `"command"`}, {"command", quoteJSON(in.command(agent))}, {"timeout", seconds + thousand}}
	}
	const mcp = "mcp__.*"
	return []group{
		{"UserPromptSubmit", "", handler("30")},
		{"PreToolUse", tools, handler("10")}, {"PreToolUse", mcp, handler("10")},
		{"PostToolUse", tools, handler("10")}, {"PostToolUse", mcp, handler("10")},
		{"Stop", "", handler("120")}, {"SessionEnd", "", handler("60")},
	}
}
