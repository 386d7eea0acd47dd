package hooks

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/chordgit/chordgit/patchapply"
)

// An EventKind says what happens to an agent.
type EventKind string

// The kinds of event.
const (
	NoEvent      EventKind = "none" // nothing of interest
	SessionStart EventKind = "session_start"
	TurnBegin    EventKind = "turn_begin" // the user's prompt was sent
	Pre          EventKind = "pre"        // a tool is about to run
	Post         EventKind = "post"       // it has run
	TurnEnd      EventKind = "turn_end"   // the agent stops
	TurnAbort    EventKind = "turn_abort" // it breaks off
	SessionEnd   EventKind = "session_end"
)

// An Event is what an agent's hook was told.
type Event struct {
	Agent   string // who, as turns name it: claude-code
	Kind    EventKind
	Name    string // the agent's name for the event
	Session string // its ids; empty where it has none
	Turn    string
	Dir     string // the agent's directory, with slashes; empty: not said
	Windows bool   // it is one of Windows
	Prompt  string

	Tool     patchapply.ToolKind
	Called   string // the tool's name
	Call     string // the id of the call
	MCP      bool   // the tool is an MCP server's
	Subagent bool   // a subagent's event, in the session of its parent
	// Background says that something that the agent started still runs, or may.
	Background bool

	input   any // the tool's arguments
	fields  payload
	odd     bool // some names may not be as they were sent
	dialect *dialect
	cursor  bool // Cursor runs another agent's hook
}

// Writes reports whether policy has to be asked about the tool.
func (e *Event) Writes() bool {
	switch e.Tool {
	case patchapply.KindNone, patchapply.KindRead:
		return false
	case patchapply.KindWrite:
		// By its name alone an unknown tool of a server does not write.
		return !e.MCP || len(e.names()) > 0 || e.known()
	}
	return true
}

// known reports whether the kind of a tool is known by its whole name.
func (e *Event) known() bool {
	name := e.Called[strings.LastIndexAny(e.Called, "_:")+1:]
	kind, _ := patchapply.KindOf(name)
	return kind != patchapply.KindNone
}

// Agents are the names under which hooks can be called for an agent.
func Agents() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.name)
	}
	return names
}

// ReadEvent reads what the agent of a name, one of [Agents], sends to its hook.
// The event is that of the input or, where that names none, the given one.
//
// An error says that the input cannot be read. The event comes with it, of kind
// Pre if there are signs that a tool was about to run: then nobody can say what it
// would do. Of an unknown agent there is no event.
func ReadEvent(agent, event string, data []byte) (*Event, error) {
	i := slices.IndexFunc(dialects(), func(d *dialect) bool { return d.name == agent })
	if i < 0 {
		return nil, errPayload
	}
	d := dialects()[i]
	e := &Event{Agent: d.agent, Kind: NoEvent, dialect: d}
	p, text, err := readPayload(data)
	if err != nil {
		e.guess(event, text)
		return e, err
	}
	e.fields, e.odd = p, odd(text)
	e.read(event)
	return e, nil
}

func (e *Event) read(event string) {
	p := e.fields
	if e.dialect.shape != nil {
		p = e.dialect.shape(p)
	}
	e.cursor = e.dialect.name != "cursor" && p.str("cursorversion") != ""
	e.Name = cmp.Or(p.str("hookeventname", "eventname", "hookname", "event", "type"), event)
	e.Kind = e.dialect.kind(e.Name)
	sessions, turns := []string{"sessionid", "session", "threadid", "conversationid"}, []string{"promptid", "turnid", "turn", "generationid"}
	if e.cursor || e.dialect.name == "cursor" {
		// The ids of one event are the same whichever of Cursor's files ran the hook.
		slices.Reverse(sessions)
		slices.Reverse(turns)
	}
	e.Session, e.Turn = p.str(sessions...), p.str(turns...)
	e.directory()
	e.Prompt = p.str("prompt")
	e.Subagent = p.str("agentid") != ""
	e.Background = len(p.list("backgroundtasks")) > 0
	if a := p.str("agent"); a != "" && e.dialect.name == "generic" {
		e.Agent = a
	}
	if e.Kind == TurnEnd && slices.Contains([]string{"aborted", "error"}, p.str("status")) {
		e.Kind = TurnAbort
	}
	if e.Kind != Pre && e.Kind != Post {
		return
	}
	e.Called, e.Call = p.str("toolname", "tool"), p.str("tooluseid", "callid", "toolcallid", "call")
	e.input = p.first("toolinput", "toolargs", "args", "input")
	if e.dialect.name == "generic" {
		e.input = map[string]any{}
		e.generic()
	}
	e.Tool, e.MCP = patchapply.KindOf(e.Called)
	if o, ok := asObject(e.input); ok && e.Tool == patchapply.KindEdit && o.str("command") == "view" {
		e.Tool = patchapply.KindRead
	}
}

// directory finds where the agent is.
func (e *Event) directory() {
	e.Dir = e.fields.str("cwd", "directory", "projectroot")
	if roots := e.fields.list("workspaceroots"); e.Dir == "" && len(roots) > 0 {
		e.Dir, _ = roots[0].(string)
	}
	// Cursor writes drives as /c:/x.
	if rest, ok := strings.CutPrefix(e.Dir, "/"); ok && hasDrive(rest) {
		e.Dir = rest
	}
	e.Windows = hasDrive(e.Dir) || strings.HasPrefix(e.Dir, `\\`)
	e.Dir = e.slashed(e.Dir)
}

func hasDrive(name string) bool {
	return len(name) > 1 && name[1] == ':' && name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z'
}

// slashed is a name as policy reads it.
func (e *Event) slashed(name string) string {
	if e.Windows {
		name = strings.ReplaceAll(name, `\`, "/")
		if rest, ok := strings.CutPrefix(name, "/"); ok && hasDrive(rest) {
			name = rest
		}
	}
	if e.odd {
		name = strings.ReplaceAll(name, "\uFFFD", "\xFF") // which is refused
	}
	return name
}

var eventInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:hook_event_name|hookEventName|event|agent_action_name|hookName|point)"\s*:\s*"(\w+)"`)
})

// guess looks for the kind of an event in text that cannot be read.
func (e *Event) guess(event string, text []byte) {
	e.Name = event
	if m := eventInText().FindSubmatch(text); m != nil {
		e.Name = string(m[1])
	}
	e.cursor = e.dialect.name != "cursor" && strings.Contains(string(text), `"cursor_version"`)
	if e.Kind = e.dialect.kind(e.Name); e.Kind == NoEvent && e.Name == "" &&
		(strings.Contains(string(text), `"tool_name"`) || strings.Contains(string(text), `"toolName"`) || strings.Contains(string(text), `"tool_info"`)) {
		e.Kind = Pre
	}
}

// Calls reports whether the agent tells its hooks about calls of tools: otherwise that
// none was told proves nothing.
func (e *Event) Calls() bool { return e.dialect.tells(Pre) }

// Begins reports whether the agent tells its hooks about prompts: otherwise the first
// tool of a turn begins it.
func (e *Event) Begins() bool { return e.dialect.tells(TurnBegin) }

// Reads reports whether the agent tells its hooks about files that it reads, too.
func (e *Event) Reads() bool { return e.dialect.reads }
