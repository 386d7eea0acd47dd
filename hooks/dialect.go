package hooks

import (
	"maps"
	"slices"
	"sync"
)

// A dialect is how one agent speaks with its hooks.
type dialect struct {
	name   string // of chordgit hook NAME
	agent  string // in turns
	events map[string]EventKind
	shape  func(payload) payload // names the members of its own as others do; nil: none
	answer func(*Event, Answer) Response
	// context says when the agent takes text for its model: at TurnBegin or Post;
	// empty: never.
	context EventKind
	reads   bool // its hooks are told what it reads, too
}

// kind tells an event by its name, whatever its spelling.
func (d *dialect) kind(name string) EventKind {
	if k, ok := d.events[foldKey(name)]; ok {
		return k
	}
	return NoEvent
}

// tells reports whether there is an event of a kind.
func (d *dialect) tells(kind EventKind) bool {
	return slices.Contains(slices.Collect(maps.Values(d.events)), kind)
}

// dialects are those that are spoken. Each has a file of its own.
var dialects = sync.OnceValue(func() []*dialect {
	return []*dialect{claude(), codex(), codexNotify(), gemini(), cursor(), opencode(), generic(), copilot(),
		windsurf(), cline(), qwen(), droid(), chord()}
})

// claudeEvents are the events of Claude Code, whose names several agents took
// over. The end of a subagent ends nothing.
func claudeEvents() map[string]EventKind {
	return map[string]EventKind{
		"sessionstart": SessionStart, "userpromptsubmit": TurnBegin, "pretooluse": Pre, "posttooluse": Post,
		"posttoolusefailure": Post, "stop": TurnEnd, "stopfailure": TurnAbort, "sessionend": SessionEnd,
	}
}
