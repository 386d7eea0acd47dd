package hooks

// copilot is that of Copilot CLI, its cloud agent and VS Code, which may also send
// events under the names of Claude Code. Silence lets them ask their user as
// usual: an explicit consent may count as the user's.
func copilot() *dialect {
	events := claudeEvents()
	events["userpromptsubmitted"], events["agentstop"] = TurnBegin, TurnEnd
	return &dialect{name: "copilot", agent: "copilot-cli", events: events, answer: func(_ *Event, a Answer) Response {
		if a.Verdict == Allow {
			return Response{}
		}
		return Response{Stdout: objectOf(pair{"permissionDecision", a.Verdict.String()}, pair{"permissionDecisionReason", a.Text}) + "\n"}
	}}
}
