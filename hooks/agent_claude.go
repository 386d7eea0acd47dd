package hooks

// claude is Claude Code's. A refusal is said twice: its exit status alone was
// reported not to block on Windows, the object alone is not read by old versions.
// Its file may be run by Cursor, too, which then reads keys of its own.
func claude() *dialect {
	return &dialect{name: "claude", agent: "claude-code", events: claudeEvents(), context: TurnBegin, reads: true, answer: func(e *Event, a Answer) Response {
		switch {
		case a.Verdict == Deny:
			pairs := claudeDecision("deny", a)
			if e.cursor {
				pairs = append(pairs, cursorDeny(a)...)
			}
			return Response{Stdout: objectOf(pairs...) + "\n", Stderr: line1(a.Text), Exit: 2}
		case a.Verdict == Ask:
			return Response{Stdout: objectOf(claudeDecision("ask", a)...) + "\n"}
		case e.cursor:
			return cursorAllow(e, a)
		}
		return told(a, "UserPromptSubmit")
	}}
}

// claudeDecision is the object by which a tool is refused, or its user asked.
func claudeDecision(word string, a Answer) []pair {
	return []pair{{"hookSpecificOutput", []pair{{"hookEventName", "PreToolUse"}, {"permissionDecision", word}, {"permissionDecisionReason", a.Text}}}}
}
