package patchapply

import "strings"

// The inputs of agents' hooks before a tool runs. They are answered by text.

// isHook: the members by which the agents' hooks name a tool.
func isHook(o *object) bool {
	if data, ok := o.first("data").(*object); ok && data.has("tool_name") {
		return true
	}
	return o.has("tool_name", "toolName", "tool_info", "preToolUse", "postToolUse", "tool_call") || o.has("tool_result") && o.has("hookName")
}

func readHook(r *reader, o *object) {
	event := strings.ToLower(o.str("hook_event_name", "hookEventName", "hookName", "agent_action_name", "point"))
	if strings.HasPrefix(event, "post") || strings.HasPrefix(event, "after") || event == "on_tool_batch_complete" || event == "tool_result" ||
		o.has("postToolUse", "tool_response", "toolResponse", "tool_result", "toolResult", "tool_output") {
		r.in.past, r.in.pastLine = r.in.past+1, o.line
		return
	}
	dir := o.str("cwd", "project_root")
	if roots, ok := o.first("workspaceRoots").([]any); ok && dir == "" && len(roots) > 0 {
		dir, _ = roots[0].(string)
	}
	name, args := hookCall(o)
	r.receive(found{Call: Call{Name: name, Form: Text}, args: args, line: o.line, read: func(r *reader, args any, line int) bool {
		r.cwd = dir
		defer func() { r.cwd = "" }()
		return r.tool(name, args, line)
	}})
}

// hookCall finds the tool and its arguments.
func hookCall(o *object) (name string, args any) {
	for _, key := range []string{"data", "preToolUse", "tool_call"} {
		if inner, ok := o.first(key).(*object); ok {
			return inner.str("tool_name", "toolName", "name"), inner.first("args", "parameters", "input", "tool_input")
		}
	}
	info, ok := o.first("tool_info").(*object)
	switch {
	case !ok:
		return o.str("tool_name", "toolName"), o.first("tool_input", "toolInput", "toolArgs")
	case info.has("mcp_tool_name"):
		return info.str("mcp_tool_name"), info.first("mcp_tool_arguments")
	case info.has("command_line"):
		return "Bash", &object{line: info.line, fields: map[string]any{"command": info.first("command_line")}}
	}
	return "edit", info
}
