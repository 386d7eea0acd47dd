package patchapply

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// offers are all sets of tools that can be visible, at every endpoint.
func offers() (all []Offer) {
	for _, endpoint := range []string{"responses", "chat", "messages", "gemini", "mcp"} {
		for _, tools := range [][]string{{"apply_patch"}, {"edit", "write", "delete"}, {"apply_patch", "write", "delete"}, {"edit"}, {"write", "delete"}, {"edit", "write"}, {}} {
			for _, custom := range []bool{false, true} {
				all = append(all, Offer{Tools: tools, Endpoint: endpoint, Custom: custom})
			}
		}
	}
	return all
}

var toolName = regexp.MustCompile(`\b(apply_patch|edit|write|delete)\b`)

// TestDescriptions: what a model reads names no tool that it does not see, and
// does not invite it to be inexact.
func TestDescriptions(t *testing.T) {
	tolerance := regexp.MustCompile(`(?i)toler|fuzz|lenien|approximat|similar|forgiv`)
	for _, o := range offers() {
		data, err := o.Definitions()
		if err != nil {
			t.Fatal(err)
		}
		text := o.Instructions() + "\n"
		for _, d := range data {
			text += string(d) + "\n"
		}
		for _, name := range toolName.FindAllString(text, -1) {
			if !slices.Contains(o.Tools, name) {
				t.Errorf("%+v: names the hidden %s:\n%s", o, name, text)
			}
		}
		if m := tolerance.FindString(text); m != "" {
			t.Errorf("%+v: speaks of %q", o, m)
		}
		if raw := o.Custom && o.Endpoint == "responses" && slices.Contains(o.Tools, "apply_patch"); strings.Contains(text, "not wrapped in JSON") != raw {
			t.Errorf("%+v: whether the patch is wrapped in JSON: %s", o, text)
		}
		for _, name := range o.Tools {
			if !strings.Contains(o.Instructions(), name) {
				t.Errorf("%+v: the instructions do not name %s", o, name)
			}
		}
		for _, phrase := range []string{"sed", "language's own tool", "linters"} {
			if !strings.Contains(o.Instructions(), phrase) {
				t.Errorf("%+v: the instructions lack %q", o, phrase)
			}
		}
	}
	for _, name := range []string{"apply_patch", "edit"} {
		for _, phrase := range []string{"relative to the root of the worktree", "Nothing has to be read first", "occurs once, two to four lines", "READ_RESULT", "line numbers", "small changes"} {
			if d := (Offer{}).describe(name); !strings.Contains(d, phrase) {
				t.Errorf("%s lacks %q", name, phrase)
			}
		}
	}
}

// TestShapes: each endpoint's wrapping holds the name, the description and the
// schema of every tool.
func TestShapes(t *testing.T) {
	const responses = `{"type":"function","name":"delete","description":"D","strict":false,"parameters":S}`
	for endpoint, want := range map[string]string{
		"responses": responses,
		"chat":      `{"type":"function","function":{"name":"delete","description":"D","parameters":S}}`,
		"messages":  `{"name":"delete","description":"D","input_schema":S}`,
		"gemini":    `{"functionDeclarations":[{"name":"delete","description":"D","parametersJsonSchema":S}]}`,
		"mcp":       `{"name":"delete","description":"D","inputSchema":S}`,
	} {
		o := Offer{Tools: []string{"delete"}, Endpoint: endpoint, Custom: true, Builtin: true}
		data, err := o.Definitions()
		if err != nil || len(data) != 1 {
			t.Fatalf("%s: %q, %v", endpoint, data, err)
		}
		schema, err := json.Marshal(arguments("delete"))
		if err != nil {
			t.Fatal(err)
		}
		want = strings.NewReplacer(`"D"`, fmt.Sprintf("%q", o.describe("delete")), ":S", ":"+string(schema)).Replace(want)
		if string(data[0]) != want {
			t.Errorf("%s: %s, want %s", endpoint, data[0], want)
		}
	}
	patch := Offer{Tools: []string{"apply_patch"}, Endpoint: "responses", Custom: true, Builtin: true}
	if data, err := patch.Definitions(); err != nil || len(data) != 1 || string(data[0]) != `{"type":"apply_patch"}` {
		t.Errorf("the built-in tool is %s, %v", data, err)
	}
}

// TestCallsOfSchemas: what a model may send by a tool's schema is read, and asks
// for what the tool is for.
func TestCallsOfSchemas(t *testing.T) {
	used := map[string]bool{}
	for _, tt := range []struct{ tool, args string }{
		{"apply_patch", `{"patch":"*** Begin Patch\n*** Delete File: a\n*** End Patch\n"}`},
		{"edit", `{"path":"a","old_string":"x","new_string":"y"}`},
		{"edit", `{"path":"a","old_string":"x","new_string":"","replace_all":true}`},
		{"edit", `{"path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"z","new_string":"","replace_all":false}]}`},
		{"write", `{"path":"a","content":"x\n"}`},
		{"delete", `{"path":"a"}`},
	} {
		var args any
		if err := json.Unmarshal([]byte(tt.args), &args); err != nil {
			t.Fatal(err)
		}
		if wrong := arguments(tt.tool).check(tt.tool, args, used); wrong != "" {
			t.Errorf("%s: %s: %s", tt.tool, tt.args, wrong)
		}
		name, known := toolNamed(tt.tool)
		if known == nil {
			t.Fatalf("%s is no tool that is known", name)
		}
		if known.read == nil {
			t.Logf("calls of %s are not read yet", name)
			continue
		}
		req, err := Parse(fmt.Appendf(nil, `{"name":%q,"input":%s}`, tt.tool, tt.args), Options{})
		if err != nil || len(req.Ops) != 1 || req.Ops[0].Path != "a" || len(req.Notes) > 0 {
			t.Errorf("%s: %s: %+v, %v", tt.tool, tt.args, req, err)
		}
	}
	for _, tool := range []string{"apply_patch", "edit", "write", "delete"} {
		for _, p := range arguments(tool).Properties {
			if !used[tool+"."+p.name] {
				t.Errorf("no call gives %s of %s", p.name, tool)
			}
		}
	}
}

// check says how a value breaks the schema, and marks the properties that it
// uses.
func (s *schema) check(at string, v any, used map[string]bool) string {
	used[at] = true
	kind := map[string]string{"string": "string", "bool": "boolean", "[]interface {}": "array", "map[string]interface {}": "object"}[fmt.Sprintf("%T", v)]
	if kind != s.Type {
		return fmt.Sprintf("%s is %T, want %s", at, v, s.Type)
	}
	if list, ok := v.([]any); ok {
		for _, item := range list {
			if wrong := s.Items.check(at+"[]", item, used); wrong != "" {
				return wrong
			}
		}
	}
	o, _ := v.(map[string]any)
	for _, name := range s.Required {
		if o[name] == nil {
			return at + " lacks " + name
		}
	}
	for name, value := range o {
		i := slices.IndexFunc(s.Properties, func(p property) bool { return p.name == name })
		if i < 0 {
			return fmt.Sprintf("%s has no %s", at, name)
		}
		if wrong := s.Properties[i].schema.check(at+"."+name, value, used); wrong != "" {
			return wrong
		}
	}
	return ""
}
