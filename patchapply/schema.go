package patchapply

import (
	"bytes"
	"encoding/json"
	"slices"
)

// A schema is the part of JSON Schema that describes arguments.
type schema struct {
	Type        string     `json:"type"`
	Description string     `json:"description,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	Additional  *bool      `json:"additionalProperties,omitempty"`
}

// properties are arguments in the order in which a model shall give them.
type properties []property

type property struct {
	name   string
	schema *schema
}

// MarshalJSON writes an object whose keys are in the order of p.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	sep := "{"
	for _, arg := range p {
		name, err := json.Marshal(arg.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(arg.schema)
		if err != nil {
			return nil, err
		}
		b.WriteString(sep)
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
		sep = ","
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// closed is the schema of an object that has these arguments and no other.
func closed(required []string, args ...property) *schema {
	return &schema{Type: "object", Properties: args, Required: required, Additional: new(bool)}
}

// arguments is the schema of a tool's arguments.
func arguments(tool string) *schema {
	text := func(name, description string) property {
		return property{name, &schema{Type: "string", Description: description}}
	}
	path := text("path", "The file, relative to the root of the worktree.")
	switch tool {
	case "apply_patch":
		return closed([]string{"patch"}, text("patch", "The whole patch, from *** Begin Patch to *** End Patch."))
	case "edit":
		one := []property{
			text("old_string", "The text to replace, exactly as it stands in the file."),
			text("new_string", "The text to put in its place."),
			{"replace_all", &schema{Type: "boolean", Description: "Replace every place of old_string. Without it there must be exactly one."}},
		}
		list := property{"edits", &schema{Type: "array", Items: closed([]string{"old_string", "new_string"}, one...),
			Description: "Several replacements, in place of old_string and new_string. Each is looked up in the text that the file has before the call."}}
		return closed([]string{"path"}, slices.Concat([]property{path}, one, []property{list})...)
	case "write":
		return closed([]string{"path", "content"}, path, text("content", "The whole content of the file."))
	}
	return closed([]string{"path"}, path) // delete
}
