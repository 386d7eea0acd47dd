package hooks

// chord is Chord's. It tells of no prompt: the first tool of a turn begins it.
func chord() *dialect {
	return &dialect{name: "chord", agent: "chord", shape: chordShape, events: map[string]EventKind{
		"ontoolcall": Pre, "ontoolbatchcomplete": Post, "onidle": TurnEnd, "onsessionend": SessionEnd,
	}, answer: func(_ *Event, a Answer) Response {
		if a.Verdict == Allow {
			return Response{}
		}
		return Response{Stdout: objectOf(pair{"action", "block"}, pair{"message", a.Text}) + "\n"}
	}}
}

func chordShape(p payload) payload {
	p.set("hookeventname", p.first("point"))
	data, _ := asObject(p.first("data"))
	p.set("toolname", data.first("toolname"))
	p.set("toolinput", data.first("args"))
	p.set("tooluseid", data.first("callid", "toolcallid"))
	return p
}
