package hooks

// opencode is that of opencode's plugin, which throws what stands on standard
// error where the exit status is 2.
func opencode() *dialect {
	return &dialect{name: "opencode", agent: "opencode", events: map[string]EventKind{
		"turnbegin": TurnBegin, "pretool": Pre, "posttool": Post, "turnend": TurnEnd, "turnabort": TurnAbort, "sessionend": SessionEnd,
	}, answer: byStatusAlone}
}
