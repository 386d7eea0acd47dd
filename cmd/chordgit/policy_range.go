package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// isRange reports whether the one argument of check is a range of commits, not a
// path: it has two dots that are no component of a path. A range of which an end is
// missing is an error, never a path that nobody meant: a check in a CI would pass.
func isRange(h *gitops.History, arg string) (bool, error) {
	from, to, ok := strings.Cut(arg, "..")
	if !ok {
		return false, nil
	}
	missing := 0
	ends := []string{from, cmp.Or(strings.TrimPrefix(to, "."), "HEAD")}
	for _, end := range ends {
		if end == "" || h.Resolve(end) == "" {
			missing++
		}
	}
	if missing == 0 {
		return true, nil
	}
	if missing == len(ends) && slices.Contains(strings.Split(arg, "/"), "..") {
		return false, nil
	}
	what, why := "one end", "is no commit here; for a path put -- before it"
	if missing == len(ends) {
		what, why = "an end", "is no commit here, nor is the other; for a path put -- before it"
	}
	if h.Shallow() {
		why = "is not in this shallow clone; fetch it first (git fetch --unshallow)"
	}
	return false, &edit.Error{Code: edit.Usage, Msg: fmt.Sprintf("%s: %s %s", edit.Quote(arg), what, why)}
}

// policyRange judges the commits of a range as a server would.
func (a *app) policyRange(h *gitops.History, arg string, q *policyQuestion) {
	command := "policy check"
	k := &commitCheck{history: h, scope: cmp.Or(q.scope, "all"), decoded: map[string]decoded{}, site: hooks.Site{FoldCase: h.FoldCase()}}
	if !h.Bare() {
		if repo, err := a.open(); err == nil {
			defer repo.Close()
			k.evidence = repo.Evidence()
		}
	}
	ids, err := h.Commits(arg, "--")
	if err == nil {
		err = k.made(ids)
	}
	answer := policyAnswer{Command: command, Findings: []policyFinding{}, Notes: []note{}}
	for i := range k.found {
		f := &k.found[i]
		answer.add(&f.Finding)
		last := &answer.Findings[i]
		last.Agent, last.Turn, last.Commit = f.Agent, f.Turn, f.Commit
		a.code = worse(a.code, findingExit(&f.Finding, false))
	}
	for _, n := range k.notes {
		answer.Notes = append(answer.Notes, note{Code: "undecided", Message: n})
	}
	if err != nil {
		a.code = 1
		for _, e := range toErrors(err) {
			answer.Notes = append(answer.Notes, note{Code: e.Code, Path: e.Path, Message: e.Error()})
		}
	}
	answer.Status = policyStatus(a.code)
	if a.json {
		a.writeJSON(answer)
		return
	}
	for _, f := range answer.Findings {
		line := f.line()
		switch {
		case q.github:
			line = fmt.Sprintf("::error file=%s,line=1::%s", githubProperty(f.Path), githubData(f.Op+": "+f.Message+" (commit "+short(f.Commit)+")"))
		case f.Commit != "":
			line += "   " + short(f.Commit)
			if f.Agent != "" {
				line += " " + edit.Quote(f.Agent)
			}
		}
		fmt.Fprintln(a.stdout, line)
	}
	for _, n := range answer.Notes {
		fmt.Fprintln(a.stderr, "Note: "+edit.Quote(n.Message))
	}
}

// githubData and githubProperty escape what GitHub's workflow commands take for
// their own.
func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}
