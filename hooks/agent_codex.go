package hooks

// codex is Codex's. An answer with a key that it does not know is dropped, and the
// tool runs; so is one that asks.
func codex() *dialect {
	events := claudeEvents()
	events["interrupt"] = TurnAbort
	return &dialect{name: "codex", agent: "codex", events: events, context: TurnBegin, answer: byStatus("UserPromptSubmit")}
}

// codexNotify is the program that Codex runs when a turn is complete, for versions
// without hooks. Its output is not read.
func codexNotify() *dialect {
	return &dialect{name: "codex-notify", agent: "codex", events: map[string]EventKind{"agentturncomplete": TurnEnd}, answer: func(*Event, Answer) Response {
		return Response{}
	}}
}

// gemini is Gemini CLI's.
func gemini() *dialect {
	return &dialect{name: "gemini", agent: "gemini-cli", context: TurnBegin, reads: true, answer: byStatus("BeforeAgent"), events: map[string]EventKind{
		"sessionstart": SessionStart, "beforeagent": TurnBegin, "beforetool": Pre, "aftertool": Post, "afteragent": TurnEnd, "sessionend": SessionEnd,
	}}
}

// byStatusAlone answers by exit status and text. Nothing else is read.
func byStatusAlone(_ *Event, a Answer) Response {
	if a.Verdict != Allow {
		return refusal(a)
	}
	return Response{}
}

// byStatus answers by exit status and text, and tells notes by an object. begin is
// the name of the event that begins a turn.
func byStatus(begin string) func(*Event, Answer) Response {
	return func(_ *Event, a Answer) Response {
		if a.Verdict != Allow {
			return refusal(a)
		}
		return told(a, begin)
	}
}
