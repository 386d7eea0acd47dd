package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/patchapply"
)

// validAnswer reports whether answers are given in a form.
func validAnswer(form string) bool {
	return form == "" || form == "json" || form == "text" || slices.Contains(patchapply.Forms(), patchapply.Form(form))
}

// answer renders the report in the form that was asked for, or in which the
// request came: each call is told what became of it, whatever happened.
func (a *app) answer(rep *report, req *patchapply.Request, plan *edit.Plan, form patchapply.Form) {
	if a.json || form == patchapply.Text || form == "" && (req == nil || !req.Answered()) {
		a.report(rep)
		return
	}
	if req == nil {
		req = &patchapply.Request{}
	}
	results := make([]patchapply.Result, max(len(req.Calls), 1))
	for i := range results {
		results[i] = rep.result(i, req.FormOf(i, form), req, plan)
	}
	out, err := req.Answer(results, form)
	if err != nil {
		rep.fail(toErrors(err))
		a.report(rep)
		return
	}
	a.code = rep.exit()
	fmt.Fprintf(a.stdout, "%s\n", out)
}

// part is what one call has to do with: its operations' failures, notes and
// files, and what concerns the request as a whole.
func (r *report) part(call int, req *patchapply.Request, plan *edit.Plan) *report {
	mine := func(op, of int) bool {
		if op > 0 && op <= len(req.Ops) {
			return req.Ops[op-1].Call == call
		}
		return of == 0 || of == call+1
	}
	p := *r
	p.Advice = ""
	p.Failures, p.Notes, p.Files, p.Views, p.Diff, p.Requested, p.groups = nil, nil, nil, nil, "", nil, 0
	p.single = true
	if call < len(req.Calls) && req.Calls[call].Format != "" {
		p.Format = req.Calls[call].Format
	}
	failing := map[string]bool{}
	for _, f := range r.Failures {
		if mine(f.Op, f.call) {
			p.Failures = append(p.Failures, f)
			failing[f.Path] = true
		}
	}
	for _, n := range r.Notes {
		if mine(n.Op, n.call) {
			p.Notes = append(p.Notes, n)
		}
	}
	for _, v := range r.Views {
		if v.call == call {
			p.Views = append(p.Views, v)
		}
	}
	var advice []string
	for line := range strings.Lines(r.Advice) {
		if slices.ContainsFunc(p.Failures, func(f failure) bool { return strings.HasPrefix(line, edit.Quote(f.Path)+": ") }) {
			advice = append(advice, strings.TrimSuffix(line, "\n"))
		}
	}
	p.Advice = strings.Join(advice, "\n")
	touched := map[string]bool{}
	if plan != nil {
		for _, o := range plan.Outcomes {
			if o.OK && mine(o.Op, 0) {
				touched[o.Path] = true
			}
		}
	}
	for _, f := range r.Files {
		if len(req.Calls) < 2 || touched[f.Path] || f.From != "" && touched[f.From] {
			p.Files = append(p.Files, f)
		}
	}
	if !r.refused {
		p.groups = len(failing)
	}
	switch {
	case len(p.Failures) > 0 && len(p.Files) > 0:
		p.Status = partial
	case len(p.Failures) > 0:
		p.Status = failed
	case len(p.Files) > 0:
		p.Status = applied
	default:
		p.Status = unchanged
	}
	if len(p.Files) == 0 {
		p.Turn = nil
	}
	return &p
}

// result is what one call is told, in the words of its form.
func (r *report) result(call int, form patchapply.Form, req *patchapply.Request, plan *edit.Plan) patchapply.Result {
	p := r.part(call, req, plan)
	if r.refused && len(p.Failures) == 0 {
		f := r.Failures[0]
		p.Status = failed
		p.Failures = []failure{{Code: edit.RolledBack, Op: f.Op, Message: "not applied: this call is sound, but another call of this request was refused (" + f.text() + "); send it again together with that one mended"}}
		if f.Op == 0 || f.Op > len(req.Ops) {
			p.Failures[0].Op = 0
		}
	}
	res := patchapply.Result{Failed: len(p.Failures) > 0, Structured: p.complete()}
	switch {
	case res.Failed && form == patchapply.CallOutput:
		res.Text = p.reason()
	case res.Failed:
		res.Text = strings.TrimSpace(strings.TrimSpace(p.done()) + "\n\n" + p.undone())
		if len(p.Files) == 0 {
			res.Text = strings.TrimSpace(p.undone() + p.noted())
		}
		if p.Advice != "" {
			res.Text += "\n" + p.Advice
		}
	case len(p.Views) > 0:
		res.Text = p.Views[0].Text
	case form != patchapply.CallOutput && (p.Format == "codex" || p.Format == "v4a" || plan == nil):
		res.Text = strings.TrimSpace(p.done())
	default:
		res.Text = strings.TrimSpace(p.sentences(call, req, plan))
	}
	return res
}

// sentences say what each operation of a call did, then its notes.
func (r *report) sentences(call int, req *patchapply.Request, plan *edit.Plan) string {
	var b strings.Builder
	if r.DryRun {
		b.WriteString("Dry run, nothing was written. It would be:\n")
	}
	if call < len(req.Calls) && req.Calls[call].Undo != "" {
		b.WriteString(undone(plan) + "\n")
	}
	for i := range req.Ops {
		if req.Ops[i].Call == call && i < len(plan.Outcomes) {
			b.WriteString(sentence(&req.Ops[i], plan, plan.Outcomes[i]) + "\n")
		}
	}
	return b.String() + r.noted()
}

// noted are the notes, a line each.
func (r *report) noted() string {
	var b strings.Builder
	for _, n := range r.Notes {
		b.WriteString("Note: " + n.String() + "\n")
	}
	return b.String()
}

// reason is one paragraph: each failure with its facts, then what to do.
func (r *report) reason() string {
	var parts, advice []string
	for _, f := range r.Failures {
		text := edit.Quote(f.full())
		if f.Path != "" {
			text = edit.Quote(f.Path) + ": " + text
		}
		parts = append(parts, text+" ["+string(f.Code)+"]"+inputLine(f)+".")
		if f.Hint != "" && !slices.Contains(advice, f.Hint) {
			advice = append(advice, f.Hint)
		}
	}
	if r.Advice != "" {
		parts = append(parts, strings.ReplaceAll(r.Advice, "\n", " "))
	}
	for _, h := range advice {
		parts = append(parts, strings.ToUpper(h[:1])+h[1:]+".")
	}
	if len(r.Files) > 0 {
		var done []string
		for _, f := range r.Files {
			done = append(done, f.String())
		}
		parts = append(parts, "On disk, not to be sent again: "+strings.Join(done, "; ")+".")
	}
	for _, n := range r.Notes {
		parts = append(parts, "Note: "+n.String()+".")
	}
	return strings.Join(parts, " ")
}

// sentence says what one operation did.
func sentence(op *edit.Op, plan *edit.Plan, o edit.Outcome) string {
	p := edit.Quote(o.Path)
	i := slices.IndexFunc(plan.Changes, func(c edit.Change) bool { return c.Path == o.Path })
	patch := op.Tool == "apply_patch"
	if i < 0 {
		if patch {
			return "No change: " + p
		}
		return "No changes: " + p
	}
	c := plan.Changes[i]
	how := ""
	if o.How != "" {
		how = ", found " + o.How
	}
	switch {
	case op.Kind == edit.Cell && o.Cell != "":
		return fmt.Sprintf(cellDone[op.Cell.Mode], edit.Quote(o.Cell), p)
	case c.After == nil:
		return "Deleted " + p
	case op.MoveTo != "" && c.From != "":
		return "Moved " + edit.Quote(c.From) + " -> " + p
	case c.Before == nil && c.From == "" && !onlyChanges(op, o):
		return "Created " + p
	case op.Batch, op.InOrder:
		return fmt.Sprintf("Applied %s in %s (%s)", count(o.Edits, "edit"), p, count(len(o.Lines), "replacement"))
	case len(o.Lines) == 1:
		return fmt.Sprintf("Replaced 1 occurrence in %s at line %d%s", p, o.Lines[0], how)
	case len(o.Lines) > 1:
		return fmt.Sprintf("Replaced %d occurrences in %s at %s%s", len(o.Lines), p, lineList(o.Lines), how)
	case op.Kind == edit.Insert && op.At == edit.AtEnd:
		return "Appended text to " + p
	case op.Kind == edit.Insert:
		return fmt.Sprintf("Inserted text in %s behind line %d", p, op.At)
	case op.Kind != edit.Write:
		return "Updated " + p
	}
	return "Wrote " + p
}

// onlyChanges reports whether an operation cannot have made the file: it needs
// one, though an operation before it may have made that.
func onlyChanges(op *edit.Op, o edit.Outcome) bool {
	switch op.Kind {
	case edit.Update:
		return true
	case edit.Insert:
		return op.At != edit.AtEnd
	case edit.Replace:
		return len(o.Lines) > 0 && !op.Batch && !op.InOrder
	}
	return false
}

// cellDone says what was done to a cell of a notebook.
var cellDone = [...]string{
	edit.ReplaceCell: "Replaced cell %s of %s",
	edit.InsertCell:  "Inserted cell %s into %s",
	edit.DeleteCell:  "Deleted cell %s of %s",
}
