package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// text is what the user and the agent's model are told; empty if there is nothing.
func (j *judgement) text() string {
	var lines []string
	part := func(title string, list []string) {
		if len(list) == 0 {
			return
		}
		lines = append(lines, title)
		for _, l := range list[:min(len(list), 10)] {
			lines = append(lines, "  "+l)
		}
		if n := len(list) - 10; n > 0 {
			lines = append(lines, fmt.Sprintf("  and %d more", n))
		}
	}
	if j.err != nil {
		return fmt.Sprintf("chordgit: cannot decide what policy says about turn %d, nothing was put back: %s", j.turn, edit.Quote(j.err.Error()))
	}
	var back, kept, asked []string
	committed := false
	for i := range j.denied {
		d := &j.denied[i]
		line := fmt.Sprintf("%s %s: %s", d.finding.Op, edit.Quote(d.finding.Path), edit.Quote(d.finding.Message()))
		if d.commit != "" {
			line += ", committed in " + short(d.commit)
			committed = true
		}
		if d.back {
			back = append(back, line)
		} else {
			kept = append(kept, line+" ("+edit.Quote(d.fate)+")")
		}
	}
	for i := range j.asked {
		f := &j.asked[i]
		asked = append(asked, fmt.Sprintf("%s %s: %s", f.Op, edit.Quote(f.Path), edit.Quote(f.Message())))
	}
	part(fmt.Sprintf("chordgit: put back %s that policy denies:", count(len(back), "path")), back)
	if len(back) > 0 {
		lines = append(lines, fmt.Sprintf("The denied versions are kept: git show refs/chordgit/turns/%d:after/PATH", j.turn))
	}
	part(fmt.Sprintf("chordgit: policy denies %s that changed:", count(len(kept), "path")), kept)
	if committed {
		lines = append(lines, "HEAD stays as it is: take them out of these commits before a push (git rebase -i).")
	}
	if j.unread != nil {
		lines = append(lines, fmt.Sprintf("chordgit: the commits of turn %d were not judged: %s", j.turn, edit.Quote(j.unread.Error())))
	}
	part("chordgit: changed without the user's consent being known:", asked)
	part("chordgit: hooks", j.hookLines())
	text := strings.Join(lines, "\n")
	if len(text) > 8000 {
		text = strings.ToValidUTF8(text[:max(1, strings.LastIndexByte(text[:8000], '\n'))], "") + "\n…"
	}
	return text
}

// hookLines say what the turn changed of hooks.
func (j *judgement) hookLines() (lines []string) {
	for i := range j.hooks {
		lines = append(lines, fmt.Sprintf("changed during turn %d: %s", j.turn, &j.hooks[i]))
	}
	return lines
}

// judgeInto judges the session's turns, and reports that.
func (a *app) judgeInto(ctx context.Context, rep *report, repo *gitops.Repo, session string) {
	judged, err := a.judgeSession(ctx, repo, session, nil)
	rep.judged(judged)
	if err != nil {
		rep.fail(toErrors(err))
	}
}

// judged puts judgements into the report of a command that closes a turn: what is
// denied is a failure, whether it was put back or not.
func (r *report) judged(all []judgement) {
	for i := range all {
		j := &all[i]
		if j.err != nil {
			r.note([]edit.Note{{Code: hooks.Undecided, Msg: j.text()}})
		}
		for _, d := range j.denied {
			e := d.finding.Error()
			if e.Msg += "; " + d.fate; d.commit != "" {
				e.Msg += "; committed in " + short(d.commit) + ", which stays"
			}
			r.fail([]*edit.Error{e})
		}
		if j.unread != nil {
			r.note([]edit.Note{{Code: hooks.Undecided, Msg: "the commits of the turn were not judged: " + j.unread.Error()}})
		}
		for k := range j.asked {
			f := &j.asked[k]
			r.note([]edit.Note{{Code: "ask", Path: f.Path, Msg: string(f.Op) + ": " + f.Message()}})
		}
		for _, line := range j.hookLines() {
			r.note([]edit.Note{{Code: "hooks-changed", Msg: line}})
		}
	}
}
