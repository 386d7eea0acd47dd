package main

import (
	"bytes"
	"context"
	"slices"

	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// A consent is what a person at the terminal agreed to in a turn. It names the turn
// by its number, which no other ever has: it ends with the turn, a rewind that
// starts the turn over ends it, and neither another session's turn nor another
// worktree's has it.
type consent struct {
	Turn  int         `json:"turn"`
	Paths []consented `json:"paths"`
}

// A consented is one path that may be changed or, what is another question, be
// deleted. The tool does not matter, nor does the rule that asked.
type consented struct {
	Name   []byte `json:"name"` // as [hooks.Finding.Name]; paths are bytes
	Delete bool   `json:"delete,omitempty"`
}

// consentIn are the paths that a person agreed to in a turn; 0 is no turn.
func (f *sessionFacts) consentIn(turn int) (paths []consented) {
	for _, c := range f.Consent {
		if turn > 0 && c.Turn == turn {
			paths = append(paths, c.Paths...)
		}
	}
	return paths
}

// unconsented are the findings less those that a person agreed to. Consent lifts what
// a person is asked about: what asks, and what is protected.
func unconsented(found []hooks.Finding, agreed []consented) []hooks.Finding {
	return slices.DeleteFunc(found, func(f hooks.Finding) bool {
		return (f.Verdict == hooks.Ask || f.Verdict == hooks.Deny && f.Class == hooks.ClassProtected) && f.Holds == "" &&
			slices.ContainsFunc(agreed, func(c consented) bool {
				return bytes.Equal(c.Name, []byte(f.Name)) && c.Delete == (f.Op == hooks.Delete)
			})
	})
}

// keepConsent notes a person's consent for the rest of the session's turn. If that is
// over by now, the consent was for this request alone.
func keepConsent(ctx context.Context, repo *gitops.Repo, session string, turn int, granted []hooks.Finding) error {
	if turn == 0 {
		return nil
	}
	return repo.ChangeSession(ctx, session, func(s *gitops.SessionState) {
		if s.Open != turn {
			return
		}
		refact(s, func(f *sessionFacts) {
			i := slices.IndexFunc(f.Consent, func(c consent) bool { return c.Turn == turn })
			if i < 0 {
				i = len(f.Consent)
				f.Consent = append(f.Consent, consent{Turn: turn})
			}
			for _, g := range granted {
				if g.Holds == "" && len(unconsented([]hooks.Finding{g}, f.Consent[i].Paths)) > 0 {
					f.Consent[i].Paths = append(f.Consent[i].Paths, consented{[]byte(g.Name), g.Op == hooks.Delete})
				}
			}
		})
	})
}

// dropConsent forgets what was agreed to in turns that are neither open nor to be
// judged.
func (f *sessionFacts) dropConsent(state *gitops.SessionState) {
	f.Consent = slices.DeleteFunc(f.Consent, func(c consent) bool {
		return c.Turn != state.Open && !slices.Contains(state.Unjudged, c.Turn)
	})
}
