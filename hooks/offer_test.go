package hooks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/hooks"
)

func TestPatchNative(t *testing.T) {
	for _, model := range strings.Fields("gpt-5 gpt-5-mini gpt-5-nano gpt-5-codex gpt-5.3-codex gpt-5.5 gpt-6-astra gpt-10 openai/GPT-5.5@eu codex-auto-review a/b/gpt-5@x@y") {
		if !hooks.PatchNative(model) {
			t.Errorf("%s is not", model)
		}
	}
	for _, model := range append(strings.Fields("gpt-3.5-turbo gpt-4 gpt-4o gpt-4.1 gpt-oss-120b gpt-5x o1 o3 o4-mini codex-mini claude-opus-4-5 qwen3-coder glm-4.6 deepseek-chat "+
		"gemini-3-pro MiniMax-M2 gpt- gpt gpt-05 gpt-5/other my-gpt-5 gpt-5_1 codex-auto-review-2 gpt-٥"), "", "gpt-5 ") {
		if hooks.PatchNative(model) {
			t.Errorf("%s is", model)
		}
	}
}

// TestOfferTools is the table of visible tools, for all verdicts.
func TestOfferTools(t *testing.T) {
	native, other := "gpt-5.5", "claude-opus-4-5"
	for _, tt := range []struct {
		name          string
		v             hooks.Verdicts
		native, other string // what each sees
	}{
		{"all is allowed", hooks.Verdicts{}, "apply_patch", "edit write delete"},
		{"asking hides nothing", hooks.Verdicts{ApplyPatch: hooks.Ask, Edit: hooks.Ask, Write: hooks.Ask, Delete: hooks.Ask}, "apply_patch", "edit write delete"},
		{"edit: allow, apply_patch: deny", hooks.Verdicts{ApplyPatch: hooks.Deny}, "edit write delete", "edit write delete"},
		{"apply_patch: allow, edit: deny", hooks.Verdicts{Edit: hooks.Deny}, "apply_patch", "apply_patch write delete"},
		{"*: deny, apply_patch: allow", hooks.Verdicts{Write: hooks.Deny, Delete: hooks.Deny}, "apply_patch", "edit"},
		{"*: allow, apply_patch: deny", hooks.Verdicts{ApplyPatch: hooks.Deny, Edit: hooks.Deny}, "write delete", "write delete"},
		{"write is denied, and edit", hooks.Verdicts{Edit: hooks.Deny, Write: hooks.Deny}, "apply_patch", "apply_patch delete"},
		{"*: deny", hooks.Verdicts{ApplyPatch: hooks.Deny, Edit: hooks.Deny, Write: hooks.Deny, Delete: hooks.Deny}, "", ""},
	} {
		for model, want := range map[string]string{native: tt.native, other: tt.other} {
			if got := strings.Join(hooks.OfferTools(model, "chat", hooks.ModelConfig{}, tt.v).Tools, " "); got != want {
				t.Errorf("%s: %s sees %q, want %q", tt.name, model, got, want)
			}
		}
		// What the configuration says of apply_patch comes before the name.
		for enabled, want := range map[bool]string{true: tt.native, false: tt.other} {
			for _, model := range []string{native, other} {
				if got := strings.Join(hooks.OfferTools(model, "chat", hooks.ModelConfig{Enabled: &enabled}, tt.v).Tools, " "); got != want {
					t.Errorf("%s, enabled %v: %s sees %q, want %q", tt.name, enabled, model, got, want)
				}
			}
		}
	}
}

// TestOfferShape: configurations and what they come to for a model of relay.
func TestOfferShape(t *testing.T) {
	const override = `
providers:
  relay:
    type: responses
    compat: {apply_patch: {enabled: true, freeform: false}}
    models:
      gpt-5.5:
        compat: {apply_patch: {freeform: true}}
`
	for _, tt := range []struct{ name, config, model, endpoint, want string }{
		{"a native name", "", "gpt-5.5", "responses", "custom apply_patch"},
		{"no custom tools elsewhere", "", "gpt-5.5", "chat", "function apply_patch"},
		{"freeform has no effect elsewhere", "compat: {apply_patch: {freeform: true}}", "gpt-5.5", "chat", "function apply_patch"},
		{"enabled for Claude", "compat: {apply_patch: {enabled: true}}", "claude-opus-4-5", "responses", "function apply_patch"},
		{"freeform for Claude", "compat: {apply_patch: {enabled: true, freeform: true}}", "claude-opus-4-5", "responses", "custom apply_patch"},
		{"disabled for a native name", "compat: {apply_patch: {enabled: false}}", "gpt-5.5", "responses", "custom edit write delete"},
		{"the model comes first", override, "gpt-5.5", "", "custom apply_patch"},
		{"in any spelling", override, "openai/GPT-5.5@eu", "", "custom apply_patch"},
		{"then the provider", override, "gpt-5-mini", "", "function apply_patch"},
		{"for any model", override, "claude-opus-4-5", "", "function apply_patch"},
		{"one model only", "providers: {relay: {type: responses, models: {gpt-5.5: {compat: {apply_patch: {freeform: false}}}}}}", "gpt-5.5", "", "function apply_patch"},
		{"and not another", "providers: {relay: {type: responses, models: {gpt-5.5: {compat: {apply_patch: {freeform: false}}}}}}", "gpt-5-mini", "", "custom apply_patch"},
		{"another provider", "providers: {other: {type: chat, compat: {apply_patch: {freeform: false}}}}", "gpt-5-mini", "responses", "custom apply_patch"},
		{"key by key", "compat: {apply_patch: {enabled: true}}\nproviders: {relay: {type: responses, compat: {apply_patch: {freeform: true}}}}", "o3", "", "custom apply_patch"},
	} {
		c, err := hooks.DecodeConfig("P", []byte(tt.config))
		if err != nil {
			t.Fatal(err)
		}
		m := hooks.MergeModel("relay", tt.model, nil, c)
		endpoint := tt.endpoint
		if endpoint == "" {
			endpoint = m.Type
		}
		offer := hooks.OfferTools(tt.model, endpoint, m, hooks.Verdicts{})
		got := "function "
		if offer.Custom {
			got = "custom "
		}
		if got += strings.Join(offer.Tools, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestMergeModelLayers: the nearest layer counts among equals, but what is said
// of the model comes before what is said of all.
func TestMergeModelLayers(t *testing.T) {
	decode := func(text string) *hooks.Config {
		c, err := hooks.DecodeConfig("P", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	near := decode("compat: {apply_patch: {enabled: false}}\nproviders: {p: {compat: {apply_patch: {freeform: true}}}}")
	far := decode("providers: {p: {type: gemini, compat: {apply_patch: {freeform: false}}, models: {m: {compat: {apply_patch: {enabled: true}}}}}}")
	m := hooks.MergeModel("p", "m", near, far)
	if m.Type != "gemini" || m.Enabled == nil || !*m.Enabled || m.Freeform == nil || !*m.Freeform {
		t.Errorf("got %+v", m)
	}
	if m := hooks.MergeModel("", "m", near, far); m.Type != "" || m.Enabled == nil || *m.Enabled || m.Freeform != nil {
		t.Errorf("without a provider: %+v", m)
	}
	if !slices.Contains(hooks.Endpoints(), m.Type) {
		t.Errorf("%s is no endpoint", m.Type)
	}
}
