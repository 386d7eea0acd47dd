package hooks

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// A HooksConfig is what a layer says of agents' hooks; an empty word says nothing.
type HooksConfig struct {
	OnError string // "deny" or "allow": where nothing can be decided
	Outside string // "scratch", "deny" or "allow": see [Site]
	Shell   string // "deny", "note" or "off": of commands that write, or go around hooks
}

func (c *HooksConfig) schema() section {
	return section{
		"on_error": word(&c.OnError, "deny", "allow"),
		"outside":  userOnly(word(&c.Outside, "scratch", "deny", "allow"), func() bool { return c.Outside == "allow" }),
		"shell":    word(&c.Shell, "deny", "note", "off"),
	}
}

// userOnly is a value of which one that allows counts in the user's file alone.
func userOnly(v value, allows func() bool) value {
	return func(d *decoder, path string, n ast.Node) {
		if v(d, path, n); !d.user && allows() {
			d.errorf(start(n), "%s: allow counts only in the user's file", path)
		}
	}
}

// HooksSettings are the values in force.
type HooksSettings struct {
	HooksConfig
	Report bool // policy.enforce: what is denied stays, and is told
}

// MergeHooks combines layers in the order of [NewPolicy]. The strictest word that
// is said counts; what is milder than the default counts only if the user's file
// says it, or every version of the repository's.
func MergeHooks(layers ...Layer) HooksSettings {
	said := func(get func(*Config) string, words ...string) bool {
		return slices.ContainsFunc(layers, func(l Layer) bool { return l.Config != nil && slices.Contains(words, get(l.Config)) })
	}
	present := slices.DeleteFunc(slices.Clone(layers), func(l Layer) bool { return l.Config == nil })
	lifted := func(get func(*Config) string, words ...string) bool {
		return lifts(present, func(l Layer) string { return l.Name }, func(l Layer) bool { return slices.Contains(words, get(l.Config)) })
	}
	onError := func(c *Config) string { return c.Hooks.OnError }
	outside := func(c *Config) string { return c.Hooks.Outside }
	shell := func(c *Config) string { return c.Hooks.Shell }
	enforce := func(c *Config) string { return c.Policy.Enforce }
	s := HooksSettings{HooksConfig: HooksConfig{OnError: "deny", Outside: "scratch", Shell: "deny"}}
	if !said(onError, "deny") && lifted(onError, "allow") {
		s.OnError = "allow"
	}
	switch {
	case said(outside, "deny"):
		s.Outside = "deny"
	case lifted(outside, "allow"):
		s.Outside = "allow"
	}
	switch {
	case said(shell, "deny"):
	case said(shell, "note") && lifted(shell, "note", "off"):
		s.Shell = "note"
	case lifted(shell, "off"):
		s.Shell = "off"
	}
	s.Report = !said(enforce, "restore") && lifted(enforce, "report")
	return s
}
