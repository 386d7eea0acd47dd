package patchapply

import "encoding/json"

// An Offer says which tools a model is offered, and in which shape.
type Offer struct {
	Tools    []string // of apply_patch, edit, write and delete, in this order
	Endpoint string   // responses, chat, messages, gemini or mcp
	// Custom offers apply_patch as a custom tool whose input is the patch itself,
	// held to [Grammar]; Builtin as the tool that the endpoint brings along. Both
	// count at the Responses endpoint only, Builtin before Custom; without them
	// apply_patch is a function.
	Custom, Builtin bool
}

// Definitions returns what stands under tools in a request to the endpoint, or
// in a server's answer to tools/list: one JSON object a tool, except that Gemini
// takes all functions in one.
func (o Offer) Definitions() ([]json.RawMessage, error) {
	definitions := []json.RawMessage{}
	for _, d := range o.definitions() {
		data, err := json.Marshal(d)
		if err != nil {
			return nil, err
		}
		definitions = append(definitions, data)
	}
	return definitions, nil
}

// A definition is one tool as the endpoint wants it named, which says what of it
// is set.
type definition struct {
	Type        string        `json:"type,omitempty"`
	Name        string        `json:"name,omitempty"`
	Description string        `json:"description,omitempty"`
	Format      *inputFormat  `json:"format,omitempty"`               // a custom tool
	Strict      *bool         `json:"strict,omitempty"`               // Responses
	Parameters  *schema       `json:"parameters,omitempty"`           // Responses, chat
	JSONSchema  *schema       `json:"parametersJsonSchema,omitempty"` // Gemini
	InputSchema *schema       `json:"input_schema,omitempty"`         // messages
	ToolSchema  *schema       `json:"inputSchema,omitempty"`          // MCP
	Function    *definition   `json:"function,omitempty"`             // chat
	Functions   []*definition `json:"functionDeclarations,omitempty"` // Gemini
}

// An inputFormat is what the input of a custom tool is held to.
type inputFormat struct {
	Type       string `json:"type"`
	Syntax     string `json:"syntax"`
	Definition string `json:"definition"`
}

func (o Offer) definitions() (all []*definition) {
	var declared []*definition
	for _, name := range o.Tools {
		patch := name == "apply_patch" && o.Endpoint == "responses"
		switch {
		case patch && o.Builtin:
			all = append(all, &definition{Type: name})
		case patch && o.Custom:
			all = append(all, &definition{Type: "custom", Name: name, Description: o.describe(name),
				Format: &inputFormat{Type: "grammar", Syntax: "lark", Definition: Grammar}})
		case o.Endpoint == "gemini":
			declared = append(declared, o.function(name))
		default:
			all = append(all, o.function(name))
		}
	}
	if declared != nil {
		all = append(all, &definition{Functions: declared})
	}
	return all
}

// function is a tool in the endpoint's wrapping of functions.
func (o Offer) function(name string) *definition {
	d := &definition{Name: name, Description: o.describe(name)}
	args := arguments(name)
	switch o.Endpoint {
	case "responses":
		// Strict, the default there, would mean that every property is required.
		d.Type, d.Parameters, d.Strict = "function", args, new(bool)
	case "messages":
		d.InputSchema = args
	case "gemini":
		d.JSONSchema = args // its parameters know no additionalProperties
	case "mcp":
		d.ToolSchema = args
	default:
		d.Parameters = args
		return &definition{Type: "function", Function: d}
	}
	return d
}
