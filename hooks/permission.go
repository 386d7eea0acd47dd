package hooks

import "github.com/chordgit/chordgit/hooks/internal/glob"

// toolLists are the rules of one tool, by verdict.
type toolLists struct {
	rules *ToolRules
	by    [Deny + 1]verdictList
}

type verdictList struct {
	rules []Rule
	list  *glob.List
}

func newToolLists(rules *ToolRules, fold bool) *toolLists {
	t := &toolLists{rules: rules}
	for _, r := range rules.Globs {
		t.by[r.Verdict].rules = append(t.by[r.Verdict].rules, r.Rule)
	}
	for v := range t.by {
		b := &t.by[v]
		deny, asks := Verdict(v) == Deny, Verdict(v) != Allow
		b.list = list(b.rules, fold && asks, deny)
	}
	return t
}

// A permit is what permission says of one tool and the names of an end.
type permit struct {
	verdict Verdict
	tool    string // whose rules said it
	rule    Rule   // with the line of the tool where no rule matched
	name    string
}

// counterparts are the two tools that are one family: what is said of one holds
// for the other where nothing of its own decides.
var counterparts = map[string]string{"edit": "apply_patch", "apply_patch": "edit"}

// said is what a tool's own rules say: the strictest glob that matches,
// otherwise the default. Only the resolved name counts for what allows.
func (l *layer) said(tool string, e *end) (permit, bool) {
	t := l.permission[tool]
	if t == nil {
		return permit{}, false
	}
	for _, v := range []Verdict{Deny, Ask, Allow} {
		names := e.names
		if v == Allow {
			names = []string{e.resolved}
		}
		for _, name := range names {
			if n := t.by[v].list.Match(name); n != glob.None {
				return permit{v, tool, t.by[v].rules[n], name}, true
			}
		}
	}
	if d := t.rules.Default; d != nil {
		return permit{d.Verdict, tool, d.Rule, e.resolved}, true
	}
	return permit{}, false
}

// closed reports that a tool's rules allow some paths, which closes the rest.
func (l *layer) closed(tool string, e *end) (permit, bool) {
	if t := l.permission[tool]; t != nil && t.by[Allow].rules != nil {
		return permit{Deny, tool, Rule{Line: t.rules.Line}, e.resolved}, true
	}
	return permit{}, false
}

// tool is the verdict about a tool in one layer, false if the layer has none.
func (l *layer) tool(tool string, e *end) (permit, bool) {
	other := counterparts[tool]
	for _, t := range []string{tool, other, "*"} {
		if p, ok := l.said(t, e); ok {
			return p, true
		}
	}
	for _, t := range []string{tool, other} {
		if p, ok := l.closed(t, e); ok {
			return p, true
		}
	}
	return permit{}, false
}

// explicit is what an own map of a tool says, without the rest.
func (l *layer) explicit(tool string, e *end) (permit, bool) {
	if p, ok := l.said(tool, e); ok {
		return p, true
	}
	return l.closed(tool, e)
}

// permit judges the tool of an end, or, where it is not known, all that could
// have done it: then only what all are denied is denied.
func (e *end) permit(i int, l *layer) {
	if len(l.permission) == 0 {
		return
	}
	var p permit
	switch e.op.Tool {
	case "":
		could := []string{"edit", "apply_patch", "write"}
		if e.kind == Delete {
			could = []string{"delete", "apply_patch"}
		}
		for _, tool := range could {
			v, ok := l.tool(tool, e)
			if !ok || v.verdict != Deny {
				return
			}
			p = v
		}
	default:
		p, _ = l.tool(e.op.Tool, e)
		if also := e.layered(); also != "" {
			if v, ok := l.explicit(also, e); ok && v.verdict > p.verdict {
				p = v
			}
		}
	}
	if p.verdict == Allow {
		return
	}
	e.say(l.finding(i, p.verdict, ClassPermission, "permission."+p.tool, p.name, p.rule, ""))
}

// layered is the tool whose explicit rules a patch obeys, too: who may not write
// makes no file by a patch either.
func (e *end) layered() string {
	switch {
	case e.op.Tool != "apply_patch":
		return ""
	case e.kind == Create:
		return "write"
	case e.kind == Delete:
		return "delete"
	}
	return ""
}

// Verdicts are what permission says about the tools as such: Deny only where a
// tool may touch no path at all.
func (p *Policy) Verdicts() (v Verdicts) {
	for _, l := range p.layers {
		for tool, dst := range map[string]*Verdict{"apply_patch": &v.ApplyPatch, "edit": &v.Edit, "write": &v.Write, "delete": &v.Delete} {
			*dst = max(*dst, l.best(tool))
		}
	}
	return v
}

// best is the mildest verdict that a tool has for any path.
func (l *layer) best(tool string) Verdict {
	for _, name := range []string{tool, counterparts[tool], "*"} {
		t := l.permission[name]
		switch {
		case t == nil:
		case t.by[Allow].rules != nil:
			return Allow
		case t.by[Ask].rules != nil && (t.rules.Default == nil || t.rules.Default.Verdict == Deny):
			return Ask
		case t.rules.Default != nil:
			return t.rules.Default.Verdict
		}
	}
	return Allow
}
