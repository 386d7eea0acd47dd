package hooks

import (
	"strings"

	"github.com/chordgit/chordgit/patchapply"
)

// A Verdict is what permission says about a tool.
type Verdict uint8

// The verdicts. Only a denial of every path hides a tool.
const (
	Allow Verdict = iota
	Ask
	Deny
)

// Verdicts are what permission says about the tools that change files; the zero
// value allows all.
type Verdicts struct{ ApplyPatch, Edit, Write, Delete Verdict }

// PatchNative reports whether a model was trained on the apply_patch format: its
// name, lower-cased, after the last slash and before an @, is gpt- and a whole
// number from 5 on, alone or before a dot or hyphen, or codex-auto-review.
func PatchNative(model string) bool {
	name := bareModel(model)
	if name == "codex-auto-review" {
		return true
	}
	rest, ok := strings.CutPrefix(name, "gpt-")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if !ok || digits == 0 || rest[0] == '0' || digits < len(rest) && rest[digits] != '.' && rest[digits] != '-' {
		return false
	}
	return digits > 1 || rest[0] >= '5'
}

// OfferTools decides which tools a model is offered, and how, at an endpoint
// (one of [Endpoints]). Only one of the two editors is ever visible: the one
// that the model prefers, unless it is denied and the other is not. Beside
// apply_patch where it is preferred nothing else is.
func OfferTools(model, endpoint string, c ModelConfig, v Verdicts) patchapply.Offer {
	native := PatchNative(model)
	patch := native
	if c.Enabled != nil {
		patch = *c.Enabled
	}
	offer := patchapply.Offer{Endpoint: endpoint}
	switch {
	case patch && v.ApplyPatch != Deny:
		offer.Tools = []string{"apply_patch"}
	default:
		if v.Edit != Deny {
			offer.Tools = append(offer.Tools, "edit")
		} else if v.ApplyPatch != Deny {
			offer.Tools = append(offer.Tools, "apply_patch")
		}
		if v.Write != Deny {
			offer.Tools = append(offer.Tools, "write")
		}
		if v.Delete != Deny {
			offer.Tools = append(offer.Tools, "delete")
		}
	}
	if endpoint == "responses" { // no other has custom tools
		offer.Custom = native
		if c.Freeform != nil {
			offer.Custom = *c.Freeform
		}
	}
	return offer
}
