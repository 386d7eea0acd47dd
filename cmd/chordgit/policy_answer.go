package main

import (
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// findingExit is the exit status that a finding asks for.
func findingExit(f *hooks.Finding, strict bool) int {
	switch {
	case f.Class == hooks.ClassUndecided:
		return 1
	case f.Verdict != hooks.Allow, strict && f.Class != "":
		return exitDenied
	}
	return 0
}

// worse is the status that counts of two: 1 before 4 before 0.
func worse(a, b int) int {
	if a == 1 || b == 1 {
		return 1
	}
	return max(a, b)
}

func policyStatus(code int) string {
	switch code {
	case 0:
		return "allowed"
	case exitDenied:
		return denied
	}
	return "undecided"
}

// policyAnswer is what check has to say.
type policyAnswer struct {
	Command  string          `json:"command"`
	Status   string          `json:"status"`
	Findings []policyFinding `json:"findings"`
	Notes    []note          `json:"notes"`
}

// A policyFinding is a finding in JSON: all keys are always there.
type policyFinding struct {
	Verdict string `json:"verdict"`
	Class   string `json:"class"`
	Op      string `json:"op"`
	Path    string `json:"path"`
	Name    string `json:"name"`
	Via     string `json:"via"`
	Rule    string `json:"rule"`
	Glob    string `json:"glob"`
	Source  string `json:"source"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Reason  string `json:"reason"`
	Layer   string `json:"layer"`
	Agent   string `json:"agent"`
	Turn    int    `json:"turn"`
	Message string `json:"message"`
	Commit  string `json:"commit,omitempty"` // of a check of commits
}

func (p *policyAnswer) add(f *hooks.Finding) {
	out := policyFinding{Verdict: f.Verdict.String(), Class: f.Class, Op: string(f.Op), Path: f.Path, Name: f.Name, Via: f.Via,
		Rule: f.Rule, Glob: f.Glob, Source: f.Source, Line: f.Line, Column: f.Column, Reason: f.Reason, Layer: f.Layer}
	if f.Class != "" {
		out.Message = f.Message()
	}
	p.Findings = append(p.Findings, out)
}

// line is a finding in one line: what, and why.
func (f *policyFinding) line() string {
	s := fmt.Sprintf("%-5s  %-6s  %s", f.Verdict, f.Op, edit.Quote(f.Path))
	if f.Class != "" {
		s += "   " + f.Class + "  " + edit.Quote(f.Message)
	}
	return s
}

// lint says what people may have meant otherwise: a leading slash is the
// repository's root, not the system's.
func lint(repo *gitops.Repo, layers []hooks.Layer) []note {
	notes := []note{}
	for _, l := range layers {
		for _, r := range l.Config.AllRules() {
			head, _, _ := strings.Cut(strings.TrimPrefix(r.Glob, "/"), "/")
			if !strings.HasPrefix(r.Glob, "/") || strings.ContainsAny(head, `*?[{\`) {
				continue
			}
			if f, err := repo.Tree().Lookup(head); err == nil && f == nil {
				notes = append(notes, note{Code: "leading-slash", Message: fmt.Sprintf("%s:%d: %q: a leading / means the repository root; paths outside are refused anyway", l.Place, r.Line, r.Glob)})
			}
		}
	}
	return notes
}
