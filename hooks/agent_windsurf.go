package hooks

import "strings"

// windsurf is that of Windsurf. Only an exit status of 2 stops anything.
func windsurf() *dialect {
	return &dialect{name: "windsurf", agent: "windsurf", shape: windsurfShape, answer: byStatusAlone, events: map[string]EventKind{
		"preuserprompt": TurnBegin, "prewritecode": Pre, "preruncommand": Pre, "premcptooluse": Pre,
		"postwritecode": Post, "postruncommand": Post, "postmcptooluse": Post, "postreadcode": Post, "postcascaderesponse": TurnEnd,
	}}
}

// windsurfShape names what it sends as others do: each kind of tool has events of
// its own there.
func windsurfShape(p payload) payload {
	info, _ := asObject(p.first("toolinfo"))
	event := p.str("agentactionname")
	p.set("hookeventname", event)
	p.set("sessionid", p.first("trajectoryid"))
	p.set("turnid", p.first("executionid"))
	p.set("cwd", info.first("cwd"))
	p.set("prompt", info.first("userprompt"))
	p.set("toolinput", p.first("toolinfo"))
	switch key := foldKey(event); {
	case strings.HasSuffix(key, "writecode"):
		p.set("toolname", "write_to_file")
	case strings.HasSuffix(key, "readcode"):
		p.set("toolname", "read_file")
	case strings.HasSuffix(key, "runcommand"):
		p.set("toolname", "run_command")
		p.set("toolinput", map[string]any{"command": info.first("commandline")})
	case strings.HasSuffix(key, "mcptooluse"):
		p.set("toolname", "mcp__"+info.str("mcpservername")+"__"+info.str("mcptoolname"))
		p.set("toolinput", info.first("mcptoolarguments"))
	}
	return p
}
