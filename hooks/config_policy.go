package hooks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chordgit/chordgit/hooks/internal/glob"
	"github.com/goccy/go-yaml/ast"
)

const (
	maxRules  = 1000 // of a file
	maxReason = 200  // characters
)

// A PolicyConfig is what one file says below policy. The rules beside the four
// narrower tables bind every operation; a move is bound by Move at both ends,
// by Delete at its source and by Create at its target.
type PolicyConfig struct {
	Rules
	Create, Write, Delete, Move Rules
	Unprotect                   []Rule
	Submodules                  string // "deny" or "allow", empty: not said
	Scope                       string // whose commits are judged: "agents" or "all", empty: not said
	Enforce                     string // "restore" or "report", empty: not said
}

// Rules are lists of globs. A path that no glob of a present Allow matches is
// denied; nil says nothing.
type Rules struct{ Deny, Allow, Ask []Rule }

// A Rule is a glob of a list, with its place in the file.
type Rule struct {
	Glob         string
	Reason       string // shown in refusals, empty if none is given
	Line, Column int

	glob glob.Glob
}

// ToolRules are what permission says of one tool.
type ToolRules struct {
	Default *ToolRule  // where no glob matches; nil: not said
	Globs   []ToolRule // the strictest that match count
	Line    int
}

// A ToolRule is a verdict for the paths that a glob matches.
type ToolRule struct {
	Rule
	Verdict Verdict
}

func (c *PolicyConfig) schema() section {
	s := c.Rules.schema()
	s["create"] = c.Create.schema().decode
	s["write"] = c.Write.schema().decode
	s["delete"] = c.Delete.schema().decode
	s["move"] = c.Move.schema().decode
	s["unprotect"] = unprotect(&c.Unprotect)
	s["submodules"] = word(&c.Submodules, "deny", "allow")
	s["scope"] = word(&c.Scope, "agents", "all")
	s["enforce"] = word(&c.Enforce, "restore", "report")
	return s
}

func (r *Rules) schema() section {
	return section{"deny": rules(&r.Deny), "allow": allowing(&r.Allow), "ask": rules(&r.Ask)}
}

// rules accepts a list of globs, each alone or with a reason.
func rules(dst *[]Rule) value {
	return func(d *decoder, path string, n ast.Node) {
		eachItem(d, path, n, func(item ast.Node) {
			var r Rule
			if _, ok := item.(ast.MapNode); !ok {
				r, ok = d.rule(path, item)
				if ok {
					*dst = append(*dst, r)
				}
				return
			}
			var reason string
			given, ok := false, false
			section{
				"glob": func(d *decoder, _ string, n ast.Node) {
					given = true
					r, ok = d.rule(path, n)
				},
				"reason": line(&reason),
			}.decode(d, path, item)
			if !given {
				d.errorf(start(item), "%s: a rule needs a glob", path)
			}
			if r.Reason = reason; ok {
				*dst = append(*dst, r)
			}
		})
	}
}

// allowing is rules for a list that closes everything else.
func allowing(dst *[]Rule) value {
	return func(d *decoder, path string, n ast.Node) {
		if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) == 0 {
			d.errorf(start(n), `%s is empty: remove the key to allow everything, or deny "**"`, path)
			return
		}
		rules(dst)(d, path, n)
	}
}

// unprotect accepts globs that name what is no longer protected.
func unprotect(dst *[]Rule) value {
	return func(d *decoder, path string, n ast.Node) {
		eachItem(d, path, n, func(item ast.Node) {
			r, ok := d.rule(path, item)
			if !ok {
				return
			}
			at := start(item)
			if r.glob.Wild() {
				d.errorf(at, "%s %s: name what you unprotect", path, quote(r.Glob))
				return
			}
			for _, name := range r.glob.Literals() {
				switch {
				case inGitDir(name):
					d.errorf(at, "%s %s: .git cannot be unprotected", path, quote(r.Glob))
					return
				case !d.user && isPolicyFile(name):
					d.errorf(at, "%s %s: counts only in the user's file", path, quote(r.Glob))
					return
				}
			}
			*dst = append(*dst, r)
		})
	}
}

// eachItem goes through a list.
func eachItem(d *decoder, path string, n ast.Node, visit func(ast.Node)) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		d.want(n, path, "a list of globs", kind(n))
		return
	}
	for _, item := range s.Values {
		visit(item)
	}
}

// rule reads a glob.
func (d *decoder) rule(path string, n ast.Node) (Rule, bool) {
	s, ok := text(n)
	if !ok || n.Type() == ast.NullType {
		d.want(n, path, "a glob", kind(n))
		return Rule{}, false
	}
	return d.glob(path, n, s)
}

// glob checks the text of a glob that stands at n.
func (d *decoder) glob(path string, n ast.Node, s string) (Rule, bool) {
	at := start(n)
	if d.rules++; d.rules > maxRules {
		if d.rules == maxRules+1 {
			d.errorf(at, "the file has more than %d rules", maxRules)
		}
		return Rule{}, false
	}
	g, err := glob.Parse(s)
	if err != nil {
		d.errorf(at, "%s %v", path, err)
		return Rule{}, false
	}
	return Rule{Glob: s, Line: at.Line, Column: at.Column, glob: g}, true
}

// line accepts a text of one line.
func line(dst *string) value {
	return func(d *decoder, path string, n ast.Node) {
		s, ok := n.(*ast.StringNode)
		if !ok || strings.ContainsFunc(s.Value, unicode.IsControl) || utf8.RuneCountInString(s.Value) > maxReason {
			d.want(n, path, "one line of at most 200 characters", "")
			return
		}
		*dst = s.Value
	}
}

// tools are the names under which permission knows what agents do.
var tools = []string{"edit", "apply_patch", "write", "delete", "move", "shell", "*"}

// verdicts are the words for them.
var verdicts = map[string]Verdict{"allow": Allow, "ask": Ask, "deny": Deny}

// String is the word for a verdict: allow, ask or deny.
func (v Verdict) String() string { return []string{"allow", "ask", "deny"}[v] }

// permission accepts verdicts by tool, or by tool and glob.
func permission(dst *map[string]*ToolRules) value {
	return func(d *decoder, path string, n ast.Node) {
		*dst = map[string]*ToolRules{}
		entries(d, path, n, func(key string, k, v ast.Node) {
			tool := key
			if key == "patch" {
				tool = "apply_patch"
			}
			known := false
			for _, t := range tools {
				known = known || t == tool
			}
			if !known {
				hint := ""
				if near := suggest(strings.ToLower(key), tools[:len(tools)-1]); near != "" {
					hint = " (did you mean " + quote(near) + "?)"
				}
				d.errorf(start(k), "%s: unknown tool %s%s", path, quote(key), hint)
				return
			}
			if other := (*dst)[tool]; other != nil {
				d.errorf(start(k), "patch is another name of apply_patch, which is set at line %d", other.Line)
				return
			}
			if _, ok := v.(ast.MapNode); ok && tool == "shell" {
				d.want(v, join(path, key), "allow, ask or deny: a command names no path", kind(v))
				return
			}
			rules := &ToolRules{Line: start(k).Line}
			(*dst)[tool] = rules
			rules.decode(d, join(path, key), v)
		})
	}
}

func (t *ToolRules) decode(d *decoder, path string, n ast.Node) {
	if _, ok := n.(ast.MapNode); !ok {
		if v, ok := d.verdict(path, n); ok {
			at := start(n)
			t.Default = &ToolRule{Rule{Glob: "**", Line: at.Line, Column: at.Column}, v}
		}
		return
	}
	entries(d, path, n, func(key string, k, v ast.Node) {
		verdict, ok := d.verdict(join(path, shorten(key)), v)
		r, good := d.glob(path, k, key)
		switch {
		case !ok || !good:
		case key != "**" && key != "*":
			t.Globs = append(t.Globs, ToolRule{r, verdict})
		case t.Default != nil:
			d.errorf(start(k), "* is another name of **, which is set at line %d", t.Default.Line)
		default:
			t.Default = &ToolRule{r, verdict}
		}
	})
}

func (d *decoder) verdict(path string, n ast.Node) (Verdict, bool) {
	s, _ := text(n)
	v, ok := verdicts[s]
	if !ok {
		d.want(n, path, "allow, ask or deny", found(n))
	}
	return v, ok
}
