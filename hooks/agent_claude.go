package hooks

// claude is Claude Code's. A refusal is said twice: its exit status alone was
// reported not to block on Windows, the object alone is not read by old versions.
// Its file may be run by Cursor, too, which then reads keys of its own.
func claude() *dialect {
	return &dialect{name: "claude", agent: "claude-code", events: claudeEvents(), context: TurnBegin, reads: true, answer: func(e *Event, a Answer) Response {
		decision := func(word string) []pair {
			return []pair{{"hookSpecificOutput", []pair{{"hookEventName", "PreToolUse"}, {"permissionDecision", word}, {"permissionDecisionReason", a.Text}}}}
		}
		switch {
		case a.Verdict == Deny:
			pairs := decision("deny")
			if e.cursor {
				pairs = append(pairs, cursorDeny(a)...)
			}
			return Response{Stdout: objectOf(pairs...) + "\n", Stderr: line1(a.Text), Exit: 2}
		case a.Verdict == Ask:
			return Response{Stdout: objectOf(decision("ask")...) + "\n"}
		case e.cursor:
			return cursorAllow(e, a)
		}
		return told(a, "UserPromptSubmit")
	}}
}
