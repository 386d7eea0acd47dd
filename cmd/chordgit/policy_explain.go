package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks"
)

func (a *app) policyExplain(op hooks.Operation, q *policyQuestion) {
	policy, layers, repo, err := a.policyHere(q.source, false)
	if err != nil {
		a.policyFailure("policy explain", err)
		return
	}
	defer repo.Close()
	found := policy.Judge(hooks.Agent, op)
	verdict := hooks.Strictest(found)
	for i := range found {
		a.code = worse(a.code, findingExit(&found[i], false))
	}
	var sources []string
	for _, l := range layers {
		state := l.Name + ": no file"
		if l.Config != nil {
			state = l.Name + ": " + l.Place
		}
		if l.Name == "HEAD" && l.Place == hooks.ConfigName {
			state += " (worktree: same blob)"
		}
		sources = append(sources, state)
	}
	if a.json {
		answer := policyAnswer{Command: "policy explain", Status: policyStatus(a.code), Findings: []policyFinding{}, Notes: []note{}}
		for i := range found {
			answer.add(&found[i])
		}
		for _, s := range sources {
			answer.Notes = append(answer.Notes, note{Code: "layer", Message: s})
		}
		a.writeJSON(answer)
		return
	}
	row := func(label, text string) { fmt.Fprintf(a.stdout, "%-9s %s\n", label, edit.Quote(text)) }
	for _, name := range policy.Names(op) {
		row("name", name)
	}
	row("files", strings.Join(sources, "; "))
	class := ""
	for i := range found {
		f := &found[i]
		text := string(f.Op) + ": " + f.Message()
		if f.Rule != "" && f.Holds == "" {
			text = fmt.Sprintf("%s:%d  %s", f.Source, f.Line, f.Rule)
			if f.Glob != "" {
				text += fmt.Sprintf(" %q  matches %s", f.Glob, f.Name)
			} else {
				text += "  does not hold " + f.Name
			}
			if f.By != "" {
				text += " by parent " + f.By
			}
		}
		row(cmp.Or(f.Layer, "built-in"), text)
		if class == "" {
			class = " (" + f.Class + ")"
		}
	}
	row("verdict", verdict.String()+class)
}
