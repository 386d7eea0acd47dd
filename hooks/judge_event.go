package hooks

import (
	"fmt"

	"github.com/chordgit/chordgit/patchapply"
)

// Judge judges what the tool of a Pre event is about to do, all of it: the findings
// of each operation in their order. tree tells what exists where that decides what a
// name means; its paths are relative to [Site.Base] of the policy, or absolute. nil:
// nothing. notes are worth telling, and no reason to refuse.
//
// An error says that nobody can tell what the tool does. A tool that only reads, or
// that nobody knows, is not judged.
func (e *Event) Judge(p *Policy, settings HooksSettings, tree func(name string) (exists, dir bool)) (found []Finding, notes []string, err error) {
	if !e.Writes() {
		return nil, nil, nil
	}
	if tree == nil {
		tree = func(string) (bool, bool) { return false, false }
	}
	exists := func(name string) bool { is, _ := tree(name); return is }
	if e.Tool != patchapply.KindShell {
		ops, err := e.Operations(exists)
		for _, op := range ops {
			found = append(found, p.Judge(Agent, op)...)
		}
		return found, nil, err
	}
	found = p.shell()
	text, dir := e.Command()
	script := ReadShell(text, ShellOptions{
		Dir: dir, PowerShell: isPowerShell(e.Called), Exists: exists,
		IsDir: func(name string) bool { _, is := tree(name); return is },
	})
	if settings.Shell != "off" {
		var seen []Finding
		for _, what := range script.Bypass {
			seen = append(seen, Finding{Verdict: Deny, Class: ClassBypass, msg: what})
		}
		for _, op := range script.Ops {
			op.Path, op.To = e.slashed(op.Path), e.slashed(op.To)
			seen = append(seen, p.Judge(Agent, op)...)
		}
		if settings.Shell == "note" {
			notes, seen = FindingLines(seen, Strictest(seen)), nil
		}
		found = append(found, seen...)
	}
	for _, op := range script.Patches {
		found = append(found, p.Judge(Agent, op)...)
	}
	return found, notes, nil
}

func isPowerShell(tool string) bool { return foldKey(tool) == "powershell" }

// shell is what permission says about running commands.
func (p *Policy) shell() (found []Finding) {
	for i, l := range p.layers {
		for _, tool := range []string{"shell", "*"} {
			rules := l.Config.Permission[tool]
			if rules == nil || rules.Default == nil {
				continue
			}
			if v := rules.Default.Verdict; v != Allow {
				found = append(found, Finding{Verdict: v, Class: ClassPermission, Rule: "permission." + tool, Glob: "**",
					Layer: l.Name, Source: l.Place, Line: rules.Default.Line, Column: rules.Default.Column, rank: i})
			}
			break
		}
	}
	return found
}

// Changed judges what a turn changed, as found on disk: op is Create, Write or
// Delete. A link is judged by where it leads, too: into a git directory none may.
func (p *Policy) Changed(op Kind, name string, link bool) []Finding {
	found := p.Judge(Agent, Operation{Kind: op, Path: name, Found: true})
	if !link || op == Delete {
		return found
	}
	for _, f := range p.Judge(Agent, Operation{Kind: Write, Path: name}) {
		switch f.Class {
		case ClassGit:
			f.Op, f.msg = op, fmt.Sprintf("leads into the git directory (%s)", f.Name)
			found = append([]Finding{f}, found...)
		case ClassOutside:
			f.Op, f.Verdict, f.Class = op, Allow, ClassNote
			found = append(found, f)
		}
	}
	return found
}
