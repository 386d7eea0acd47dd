package hooks

import (
	"encoding/json"
	"slices"
	"strings"
)

// An Answer is what a hook has to say.
type Answer struct {
	Verdict  Verdict   // of a Pre event; others are never refused
	Text     string    // why, where the verdict is not Allow
	Findings []Finding // on which it rests
	Note     string    // for the user
	Context  string    // for the model, once; see [Event.TakesContext]
	JSON     bool      // what asks understands an object (generic)
}

// A Response is an Answer in an agent's language.
type Response struct {
	Stdout, Stderr string
	Exit           int
}

// TakesContext reports whether the answer to the event can bring text to the
// model.
func (e *Event) TakesContext() bool { return e.dialect.context == e.Kind }

// KeepsContext reports whether the agent has an event that can.
func (e *Event) KeepsContext() bool { return e.dialect.context != "" }

// Asks reports whether the agent puts a question to its user where a hook wants
// it; others are refused.
func (e *Event) Asks() bool {
	return !e.cursor && slices.Contains([]string{"claude", "copilot", "generic", "droid"}, e.dialect.name)
}

// Respond says an answer in the language of the event's agent. An event other
// than Pre always succeeds: a refusal would eat the user's prompt, or make the
// agent go on.
func (e *Event) Respond(a Answer) Response {
	if e.Kind != Pre {
		a.Verdict, a.Text = Allow, ""
	}
	if a.Verdict == Ask && !e.Asks() {
		a.Verdict = Deny
	}
	if e.Kind != e.dialect.context {
		a.Context = ""
	}
	return e.dialect.answer(e, a)
}

// pair is a member of a JSON object whose members stand in order.
type pair struct {
	key   string
	value any // string, bool, []pair, or what json can encode
}

// objectOf writes an object in one line.
func objectOf(pairs ...pair) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(jsonText(p.key) + ":")
		if inner, ok := p.value.([]pair); ok {
			b.WriteString(objectOf(inner...))
		} else {
			b.WriteString(jsonText(p.value))
		}
	}
	return b.String() + "}"
}

func jsonText(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "null" // no value that is passed fails
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// refusal is an answer by exit status and text: 2 needs text, without it some
// agents go on.
func refusal(a Answer) Response { return Response{Stderr: line1(a.Text), Exit: 2} }

// line1 ends a text with a line break.
func line1(text string) string {
	if text == "" {
		return ""
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// told is an object of a note to the user and a text for the model; empty if there
// is neither. event is the name of the event in the answer.
func told(a Answer, event string) Response {
	var pairs []pair
	if a.Note != "" {
		pairs = append(pairs, pair{"systemMessage", a.Note})
	}
	if a.Context != "" {
		pairs = append(pairs, pair{"hookSpecificOutput", []pair{{"hookEventName", event}, {"additionalContext", a.Context}}})
	}
	if pairs == nil {
		return Response{}
	}
	return Response{Stdout: objectOf(pairs...) + "\n"}
}
