package hooks

// cursor is Cursor's. Where it is told to fail closed, it takes an empty answer for
// a failure, so that everything gets one.
func cursor() *dialect {
	return &dialect{name: "cursor", agent: "cursor", context: Post, reads: true, events: map[string]EventKind{
		"sessionstart": SessionStart, "beforesubmitprompt": TurnBegin, "pretooluse": Pre, "posttooluse": Post,
		"posttoolusefailure": Post, "stop": TurnEnd, "sessionend": SessionEnd,
	}, answer: func(e *Event, a Answer) Response {
		if a.Verdict != Allow {
			return Response{Stdout: objectOf(cursorDeny(a)...) + "\n"}
		}
		return cursorAllow(e, a)
	}}
}

func cursorDeny(a Answer) []pair {
	return []pair{{"permission", "deny"}, {"user_message", a.Text}, {"agent_message", a.Text}}
}

func cursorAllow(e *Event, a Answer) Response {
	var pairs []pair
	switch {
	case e.Kind == Pre:
		pairs = []pair{{"permission", "allow"}}
	case e.Kind == TurnBegin:
		pairs = []pair{{"continue", true}}
	case a.Context != "":
		pairs = []pair{{"additional_context", a.Context}}
	}
	return Response{Stdout: objectOf(pairs...) + "\n"}
}
