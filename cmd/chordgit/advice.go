package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
)

// advise counts the files in which the session looked for text in vain, and
// from the second time in a row on says what helps.
func (a *app) advise(ctx context.Context, repo *gitops.Repo, session string, rep *report, plan *edit.Plan) {
	var missed, fit []string
	seen := map[string]bool{}
	for _, f := range rep.Failures {
		if f.Code == edit.NoMatch && !seen[f.Path] {
			seen[f.Path] = true
			missed = append(missed, f.Path)
		}
	}
	if plan != nil && rep.Status != failed {
		for _, o := range plan.Outcomes {
			if o.OK {
				fit = append(fit, o.Path)
			}
		}
	}
	counts, err := repo.CountMisses(ctx, session, missed, fit)
	if err != nil {
		return // advice is not worth a failure
	}
	whole := "or rewrite the whole passage with Write"
	switch rep.Format {
	case "blocks", "xml", "git-diff":
		whole = "or send the whole file as a listing"
	}
	var lines []string
	for _, path := range missed {
		if n := counts[path]; n > 1 {
			lines = append(lines, fmt.Sprintf("%s: text was not found there %d times in a row. Read the range again and copy it, %s; do not retype the old text from memory.", edit.Quote(path), n, whole))
		}
	}
	rep.Advice = strings.Join(lines, "\n")
}
