package hooks

import "strings"

// Compat is what one place of the configuration says about apply_patch: the top
// of a file, a provider, or a model of a provider. Nil says nothing.
type Compat struct {
	ApplyPatch struct {
		Enabled  *bool // offer apply_patch, whatever the model; or never
		Freeform *bool // as a custom tool, whatever the model; or as a function
	}
}

// A Provider is a host of models.
type Provider struct {
	Type   string // the endpoint that it has, one of [Endpoints]; empty: not said
	Compat Compat
	Models map[string]*Model
}

// A Model is what is said of one model of a provider.
type Model struct{ Compat Compat }

// Endpoints are the request forms for which tools can be defined: OpenAI's
// Responses and chat completions, Anthropic's messages, Gemini, and a server's
// list in the model context protocol.
func Endpoints() []string { return []string{"responses", "chat", "messages", "gemini", "mcp"} }

func (c *Compat) schema() section {
	return section{"apply_patch": section{
		"enabled":  boolean(&c.ApplyPatch.Enabled),
		"freeform": boolean(&c.ApplyPatch.Freeform),
	}.decode}
}

func (p *Provider) schema() section {
	return section{
		"type":   word(&p.Type, Endpoints()...),
		"compat": p.Compat.schema().decode,
		"models": named(&p.Models, (*Model).schema),
	}
}

func (m *Model) schema() section { return section{"compat": m.Compat.schema().decode} }

// A ModelConfig is what layers of configuration come to for one model.
type ModelConfig struct {
	Type     string // the provider's endpoint, empty if no layer names one
	Enabled  *bool  // compat.apply_patch.enabled
	Freeform *bool  // compat.apply_patch.freeform
}

// MergeModel combines layers, the nearest first, for a model of a provider,
// either of which may be empty. What is said of the model comes before what is
// said of the provider, and that before what stands at the top; among equals
// the nearest layer counts. A model is found under the name that is given, or
// under one that differs only in case, a path before it or an @ behind it. A nil
// layer says nothing.
func MergeModel(provider, model string, layers ...*Config) (m ModelConfig) {
	say := func(c *Compat) {
		if m.Enabled == nil {
			m.Enabled = c.ApplyPatch.Enabled
		}
		if m.Freeform == nil {
			m.Freeform = c.ApplyPatch.Freeform
		}
	}
	var providers []*Provider
	for _, c := range layers {
		if c != nil && c.Providers[provider] != nil {
			providers = append(providers, c.Providers[provider])
		}
	}
	for _, p := range providers {
		if own := p.model(model); own != nil {
			say(&own.Compat)
		}
	}
	for _, p := range providers {
		say(&p.Compat)
		if m.Type == "" {
			m.Type = p.Type
		}
	}
	for _, c := range layers {
		if c != nil {
			say(&c.Compat)
		}
	}
	return m
}

// model finds what is said of a model; of several names that fit, the first in
// the order of bytes counts.
func (p *Provider) model(name string) *Model {
	if m := p.Models[name]; m != nil || name == "" {
		return m
	}
	best := ""
	for key := range p.Models {
		if bareModel(key) == bareModel(name) && (best == "" || key < best) {
			best = key
		}
	}
	return p.Models[best]
}

// bareModel is the name of a model as it is compared: openai/GPT-5.5@eu is
// gpt-5.5.
func bareModel(name string) string {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	name, _, _ = strings.Cut(name, "@")
	return name
}
