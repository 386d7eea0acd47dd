package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/tailscale/hujson"
)

// CannotMerge is the code of a configuration file that is not changed, because it
// could not be without losing something.
const CannotMerge edit.Code = "cannot-merge"

func quoteJSON(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // "&" is no danger in a settings file, and hard to read escaped
	_ = enc.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

// Install puts our entries into the text of the agent's file, nil if there is
// none, and returns the new text. What of ours stood there is brought up to
// date in its place, the rest is appended; no other byte changes. An error of code
// [CannotMerge] means that the file is not of the form that this is possible in.
func (f *AgentFile) Install(old []byte, in Installation) ([]byte, error) {
	if f.plugin != nil {
		if old != nil && !isPlugin(old) {
			return nil, cannotMerge("somebody else's file has the plugin's name")
		}
		return f.plugin(in), nil
	}
	if len(bytes.TrimSpace(old)) == 0 {
		return f.fresh(in), nil
	}
	d, err := f.parse(old)
	if err != nil {
		return nil, err
	}
	want := map[string][]group{}
	var events []string
	for _, g := range f.groups(in) {
		if want[g.event] == nil {
			events = append(events, g.event)
		}
		want[g.event] = append(want[g.event], g)
	}
	all, err := d.member(&d.root, "hooks", '{')
	if err != nil {
		return nil, err
	}
	if all == nil {
		all = d.appendMember(&d.root, "hooks", hujson.Value{Value: &hujson.Object{}}, 1)
	}
	for _, m := range all.Value.(*hujson.Object).Members {
		if name := m.Name.Value.(hujson.Literal).String(); want[name] == nil {
			events = append(events, name) // ours may stand there from an older version
		}
	}
	for _, event := range events {
		list, err := d.member(all, event, '[')
		switch {
		case err != nil:
			if want[event] == nil {
				continue // somebody else's business
			}
			return nil, err
		case list == nil:
			list = d.appendMember(all, event, hujson.Value{Value: &hujson.Array{}}, 2)
		}
		if err := d.settle(list, want[event]); err != nil {
			return nil, err
		}
		if want[event] == nil && len(list.Value.(*hujson.Array).Elements) == 0 && d.removed {
			d.removeMember(all, event)
		}
		d.removed = false
	}
	return d.root.Pack(), nil
}

// Uninstall takes our entries out of the text, and what they leave empty. Nil:
// nothing else was in it.
func (f *AgentFile) Uninstall(old []byte) ([]byte, error) {
	if f.plugin != nil {
		if !isPlugin(old) {
			return old, nil
		}
		return nil, nil
	}
	if len(bytes.TrimSpace(old)) == 0 {
		return old, nil
	}
	d, err := f.parse(old)
	if err != nil {
		return nil, err
	}
	all, err := d.member(&d.root, "hooks", '{')
	if all == nil || err != nil {
		return old, err
	}
	found := false
	for _, m := range slices.Clone(all.Value.(*hujson.Object).Members) {
		event := m.Name.Value.(hujson.Literal).String()
		list, err := d.member(all, event, '[')
		if err != nil {
			continue // not ours
		}
		d.removed = false
		if err := d.settle(list, nil); err != nil {
			return nil, err
		}
		if found = found || d.removed; d.removed && len(list.Value.(*hujson.Array).Elements) == 0 {
			d.removeMember(all, event)
		}
	}
	if !found {
		return old, nil
	}
	if len(all.Value.(*hujson.Object).Members) == 0 {
		d.removeMember(&d.root, "hooks")
	}
	if rest := d.root.Value.(*hujson.Object).Members; len(rest) == 0 || f.onlyHead(rest) {
		return nil, nil
	}
	return d.root.Pack(), nil
}

// onlyHead reports whether members are what a new file begins with.
func (f *AgentFile) onlyHead(rest []hujson.ObjectMember) bool {
	return len(rest) == 1 && len(f.head) == 2 && rest[0].Name.Value.(hujson.Literal).String() == f.head[0] && string(rest[0].Value.Value.(hujson.Literal)) == f.head[1]
}

// Snippet is what a new file would hold.
func (f *AgentFile) Snippet(in Installation) []byte {
	if f.plugin != nil {
		return f.plugin(in)
	}
	return f.fresh(in)
}

func (f *AgentFile) fresh(in Installation) []byte {
	text := "{\n}\n"
	if len(f.head) > 0 {
		text = fmt.Sprintf("{\n  %s: %s\n}\n", quoteJSON(f.head[0]), f.head[1])
	}
	made, err := f.Install([]byte(text), in)
	if err != nil {
		panic(err) // a text of our own
	}
	return made
}

// Installed tells how many of our entries the file has, how many it should have,
// and the commands that it calls.
func (f *AgentFile) Installed(old []byte, in Installation) (have, want int, commands []string, err error) {
	if f.plugin != nil {
		switch {
		case old == nil:
			return 0, 1, nil, nil
		case !isPlugin(old):
			return 0, 1, nil, cannotMerge("somebody else's file has the plugin's name")
		case bytes.Equal(old, f.plugin(in)):
			return 1, 1, nil, nil
		}
		return 0, 1, []string{"plugin"}, nil
	}
	groups := f.groups(in)
	if len(bytes.TrimSpace(old)) == 0 {
		return 0, len(groups), nil, nil
	}
	d, err := f.parse(old)
	if err != nil {
		return 0, len(groups), nil, err
	}
	all, err := d.member(&d.root, "hooks", '{')
	if all == nil || err != nil {
		return 0, len(groups), nil, err
	}
	for _, m := range all.Value.(*hujson.Object).Members {
		list, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for _, at := range d.own(list) {
			var h struct{ Command string }
			_ = json.Unmarshal(standard(at.handler()), &h)
			commands = append(commands, h.Command)
			for _, g := range groups {
				if g.event == m.Name.Value.(hujson.Literal).String() && at.matcher == g.matcher && sameJSON(at.handler(), g.json()) {
					have++
				}
			}
		}
	}
	return have, len(groups), commands, nil
}

func cannotMerge(format string, args ...any) error {
	return &edit.Error{Code: CannotMerge, Msg: fmt.Sprintf(format, args...)}
}

// parse reads the file, and finds out how it is written.
func (f *AgentFile) parse(old []byte) (*document, error) {
	if bytes.HasPrefix(old, []byte("\xef\xbb\xbf")) {
		return nil, cannotMerge("the file begins with a byte order mark")
	}
	root, err := hujson.Parse(old)
	if err != nil {
		return nil, cannotMerge("the file is no JSON: %v", err)
	}
	if !f.comments && !root.IsStandard() {
		return nil, cannotMerge("the file has comments or trailing commas, which not every version of the agent reads")
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, cannotMerge("the file is no JSON object")
	}
	d := &document{root: root, flat: f.flat, newline: "\n", unit: "  "}
	d.look(old)
	return d, nil
}
