package hooks

import "strings"

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

// ByHand is what must be added by hand to the configuration of an agent whose files
// are not changed; empty: there is no such agent of this name.
func ByHand(agent string) string {
	if agent != "chord" {
		return ""
	}
	var b strings.Builder
	b.WriteString("hooks:\n")
	for _, h := range []struct{ event, seconds string }{{"on_tool_call", "10"}, {"on_tool_batch_complete", "10"}, {"on_idle", "120"}, {"on_session_end", "60"}} {
		b.WriteString("  " + h.event + ":\n    - {name: chordgit, command: [chordgit, hook, chord], timeout: " + h.seconds + "}\n")
	}
	return b.String()
}
