package hooks

import "github.com/chordgit/chordgit/patchapply"

// generic is for agents of one's own: events and members have the names by which
// they are spoken of here.
func generic() *dialect {
	return &dialect{name: "generic", agent: "agent", events: map[string]EventKind{
		"sessionstart": SessionStart, "turnbegin": TurnBegin, "preedit": Pre, "preshell": Pre, "post": Post,
		"turnend": TurnEnd, "turnabort": TurnAbort, "sessionend": SessionEnd,
	}, answer: func(e *Event, a Answer) Response {
		res := Response{Exit: map[Verdict]int{Deny: 2, Ask: 3}[a.Verdict]}
		text := a.Text
		if a.Verdict == Allow {
			text = a.Note
		}
		if !a.JSON {
			res.Stderr = line1(text)
			return res
		}
		findings := []map[string]any{}
		for i := range a.Findings {
			f := &a.Findings[i]
			findings = append(findings, map[string]any{"verdict": f.Verdict.String(), "class": f.Class, "op": f.Op, "path": f.Path, "message": f.Message()})
		}
		res.Stdout = objectOf(pair{"decision", a.Verdict.String()}, pair{"reason", text}, pair{"findings", findings}) + "\n"
		return res
	}}
}

// generic finds the tool of such an event: it may go unsaid.
func (e *Event) generic() {
	if e.Called != "" {
		return
	}
	switch {
	case e.fields.str("command") != "":
		e.Called = string(patchapply.KindShell)
	case e.fields.str("patch") != "":
		e.Called = string(patchapply.KindPatch)
	case foldKey(e.Name) == "preedit":
		e.Called = string(patchapply.KindWrite)
	}
}
