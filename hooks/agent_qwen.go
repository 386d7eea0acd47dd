package hooks

import "strings"

// qwen is that of Qwen Code, which speaks as Claude Code but for its answers. It also
// tells of a prompt where the results of tools go back to the model.
func qwen() *dialect {
	return &dialect{name: "qwen", agent: "qwen-code", events: claudeEvents(), context: TurnBegin, answer: byStatus("UserPromptSubmit"), shape: func(p payload) payload {
		if foldKey(p.str("hookeventname")) == "userpromptsubmit" && strings.TrimSpace(p.str("prompt")) == "" {
			p.set("hookeventname", "none")
		}
		return p
	}}
}

// droid is that of Factory's droid, which asks its user as Claude Code does.
func droid() *dialect {
	return &dialect{name: "droid", agent: "droid", events: claudeEvents(), context: TurnBegin, answer: func(e *Event, a Answer) Response {
		if a.Verdict == Ask {
			return Response{Stdout: objectOf(claudeDecision("ask", a)...) + "\n"}
		}
		return byStatus("UserPromptSubmit")(e, a)
	}}
}
