package hooks

// cline is that of Cline, whose newer versions have other names for events and
// members.
func cline() *dialect {
	return &dialect{name: "cline", agent: "cline", shape: clineShape, events: map[string]EventKind{
		"userpromptsubmit": TurnBegin, "pretooluse": Pre, "posttooluse": Post, "taskcomplete": TurnEnd, "taskcancel": TurnAbort,
		"promptsubmit": TurnBegin, "toolcall": Pre, "toolresult": Post, "agentend": TurnEnd, "agentabort": TurnAbort,
	}, answer: func(_ *Event, a Answer) Response {
		if a.Verdict == Allow {
			return Response{}
		}
		return Response{Stdout: objectOf(pair{"cancel", true}, pair{"errorMessage", a.Text}) + "\n"}
	}}
}

// clineShape takes the call of a tool, and a prompt, out of the member that is named
// after the event.
func clineShape(p payload) payload {
	p.set("sessionid", p.first("taskid", "sessionid"))
	if roots := p.list("workspaceroots"); len(roots) > 0 {
		p.set("cwd", roots[0])
	}
	for _, member := range []string{"pretooluse", "posttooluse", "toolcall", "toolresult", "userpromptsubmit", "promptsubmit"} {
		call, ok := asObject(p.first(member))
		if !ok {
			continue
		}
		p.set("toolname", call.first("toolname", "name"))
		p.set("toolinput", call.first("parameters", "input"))
		p.set("tooluseid", call.first("id", "tooluseid", "callid"))
		p.set("prompt", call.first("prompt"))
	}
	return p
}
