package patchapply

import (
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// What the model that made a call was offered.

// ours are the tools that an [Offer] can hold. Agents have tools of their own
// beside them, which are none of its business.
var ours = []string{"apply_patch", "edit", "write", "delete"}

// by takes the model from a body or a message, and returns what ends that.
func (r *reader) by(o *object) func() {
	before := r.model
	if name := o.str("model"); name != "" {
		r.model = name
	}
	return func() { r.model = before }
}

// list keeps which tools a body says that it offered.
func (r *reader) list(o *object) {
	tools, _ := o.first("tools").([]any)
	for _, v := range tools {
		t, ok := v.(*object)
		if !ok || t.str("name") == "" {
			continue
		}
		if r.in.listed == nil {
			r.in.listed = map[string]string{}
		}
		name, _ := toolNamed(t.str("name"))
		if r.in.listed[name] != "custom" {
			r.in.listed[name] = t.str("type")
		}
	}
}

// offer is what the model of the call that is being read was offered, nil if
// that is not known.
func (r *reader) offer() *Offer {
	if r.opt.Offers == nil {
		return nil
	}
	return r.opt.Offers(r.model)
}

// custom reports whether apply_patch was offered as a custom tool.
func (r *reader) custom() bool {
	if r.opt.Offered == "custom" {
		return true
	}
	if kind, ok := r.in.listed["apply_patch"]; ok {
		return kind == "custom"
	}
	o := r.offer()
	return o != nil && o.Endpoint == "responses" && o.Custom && slices.Contains(o.Tools, "apply_patch")
}

// hidden refuses a call of a tool of ours that the model was not offered.
func (r *reader) hidden(f *found) bool {
	name, _ := toolNamed(f.Name)
	if _, ok := r.in.listed[name]; ok || f.Form == CallOutput || !slices.Contains(ours, name) {
		return false
	}
	o := r.offer()
	if o == nil || slices.Contains(o.Tools, name) {
		return false
	}
	instead := strings.Join(o.Tools, ", ")
	if instead == "" {
		instead = "no tool that changes files"
	}
	r.fail(edit.BadArguments, f.line, "the tool %s is not offered to this model: it has %s", quote(name), instead)
	return true
}
