package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/patchapply"
)

// requestLimit is the most that is read of a request in codex mode, before the
// settings are known.
const requestLimit = 64 << 20

// isDropIn reports whether the program was called by a name of Codex's
// apply_patch.
func isDropIn(arg0 string) bool {
	name := filepath.Base(arg0)
	if ext := filepath.Ext(name); strings.EqualFold(ext, ".exe") {
		name = strings.TrimSuffix(name, ext)
	}
	return name == "apply_patch" || name == "applypatch"
}

// dropIn does what Codex's apply_patch does with these arguments, answers as it
// does and returns its exit status: 0 done, 1 not, or not all of it, 2 wrong
// usage. Inside a git worktree what it changes is recorded as a turn.
func (a *app) dropIn(args []string) int {
	ctx, opt := context.Background(), applyOptions{format: "auto", compat: "codex"}
	switch len(args) {
	case 0:
		data, err := io.ReadAll(io.LimitReader(a.stdin, requestLimit+1))
		switch {
		case err != nil:
			fmt.Fprintf(a.stderr, "Error: Failed to read PATCH from stdin.\n%v\n", err)
			return 1
		case len(data) == 0:
			fmt.Fprint(a.stderr, "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n")
			return 2
		}
		a.codex(ctx, data, opt, true)
	case 1:
		if !utf8.ValidString(args[0]) {
			fmt.Fprintln(a.stderr, "Error: apply_patch requires a UTF-8 PATCH argument.")
			return 1
		}
		a.codex(ctx, []byte(args[0]), opt, true)
	default:
		fmt.Fprintln(a.stderr, "Error: apply_patch accepts exactly one argument.")
		return 2
	}
	return a.code
}

// codex carries out one request by Codex's rules. Only the drop-in works outside
// a worktree.
func (a *app) codex(ctx context.Context, data []byte, opt applyOptions, dropIn bool) {
	c := &codexAnswer{app: a}
	place, placeErr := a.codexPlace(c, dropIn)
	if placeErr == nil {
		defer place.Close()
	}
	var err error
	c.req, err = patchapply.Parse(data, patchapply.Options{Format: opt.format, Limit: requestLimit, Strict: true})
	if err == nil {
		err = placeErr
	}
	repo, _ := place.(*gitops.Repo)
	settings, settingsErr := a.settings(repo, &opt.flags)
	if err == nil {
		err = settingsErr
	}
	if err == nil {
		opt.session, err = a.session(repo, opt.session)
	}
	rep := &report{Command: "apply", Format: "codex", DryRun: opt.dryRun}
	var plan *edit.Plan
	var turn *gitops.Turn
	if err == nil {
		if opt.base == "" {
			opt.base, err = filepath.Rel(place.Top(), c.dir)
		} else {
			c.dir = filepath.Join(place.Top(), opt.base)
		}
	}
	if err == nil {
		c.top = place.Top()
		req := slashed(c.req)
		plan, turn, err = a.carryOut(ctx, place, req, a.planOptions(place, req, settings, opt), opt)
	}
	if err != nil {
		rep.Status = failed
		rep.fail(toErrors(err))
		c.give(rep, toErrors(err), plan)
		return
	}
	rep.plan(plan, a.counting(place))
	if turn != nil {
		rep.Turn = &turn.N
	}
	if opt.dryRun || opt.diff && len(plan.Changes) > 0 {
		rep.Diff = diffChanges(plan.Changes, place.Content)
	}
	c.asked = opt.dryRun || opt.diff
	c.give(rep, plan.Failures, plan)
	if _, plain := place.(*unrecorded); plain && len(plan.Changes) > 0 {
		fmt.Fprintln(a.stderr, "Note: this directory is in no git worktree: the change was not recorded and cannot be taken back.")
	}
}

// codexPlace opens the worktree that holds the current directory, for the
// drop-in the directory itself where there is none. It tells the answer what the
// current directory is, with links resolved as the system does.
func (a *app) codexPlace(c *codexAnswer, dropIn bool) (workplace, error) {
	dir, err := filepath.Abs(a.dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, &edit.Error{Code: edit.Unreadable, Msg: "the current directory cannot be read", Err: err}
	}
	c.dir = dir
	repo, err := a.open()
	switch {
	case err == nil:
		return repo, nil
	case dropIn && gitops.NoWorktree(err):
		return openUnrecorded(dir, a.repo)
	}
	return nil, err
}

// slashed returns the request with the separators that its system's paths have
// turned into slashes. Answers keep them as spelt.
func slashed(req *patchapply.Request) *patchapply.Request {
	r := *req
	r.Ops = slices.Clone(req.Ops)
	for i := range r.Ops {
		r.Ops[i].Path, r.Ops[i].MoveTo = filepath.ToSlash(r.Ops[i].Path), filepath.ToSlash(r.Ops[i].MoveTo)
	}
	return &r
}

// A codexAnswer says in Codex's words what came of a request.
type codexAnswer struct {
	*app
	req      *patchapply.Request
	dir, top string // where paths start, and the root that resolved ones are relative to
	asked    bool   // for more than the words can tell
}

// give answers on standard output what was done, or on standard error the first
// failure. What was done before it is told by nobody, as by Codex.
func (c *codexAnswer) give(rep *report, errs []*edit.Error, plan *edit.Plan) {
	switch {
	case c.json || c.asked:
		c.report(rep)
	case len(errs) > 0:
		c.say(c.stderr, c.failure(errs[0], plan))
	default:
		c.say(c.stdout, c.success())
	}
	if c.code = rep.exit(); c.code != 0 {
		c.code = 1
	}
	if plan != nil && !c.json && !c.asked {
		for _, n := range plan.Notes {
			if slices.Contains(aside, n.Code) {
				c.say(c.stderr, "Note: "+note{Code: n.Code, Path: n.Path, Message: n.Msg}.String())
			}
		}
	}
}

// aside are the notes that are told beside Codex's words: something that the
// writer left must be known.
var aside = []edit.Code{"unfinished", "temporary-left", "kept", "left"}

// say writes lines as they are; a person's terminal gets no control characters.
func (c *codexAnswer) say(w io.Writer, text string) {
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			lines[i] = visible(l)
		}
		text = strings.Join(lines, "\n")
	}
	fmt.Fprintln(w, text)
}

// success lists the sections: added, updated, deleted ones, each in the order of
// the request and as spelt.
func (c *codexAnswer) success() string {
	lines := []string{"Success. Updated the following files:"}
	for _, kind := range []struct {
		kind edit.Kind
		mark string
	}{{edit.Add, "A "}, {edit.Update, "M "}, {edit.Delete, "D "}} {
		for _, op := range c.req.Ops {
			if op.Kind == kind.kind {
				lines = append(lines, kind.mark+target(op))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// target is the path that an operation writes, as spelt.
func target(op edit.Op) string {
	if op.MoveTo != "" {
		return op.MoveTo
	}
	return op.Path
}

// abs is the absolute path of a name of the request.
func (c *codexAnswer) abs(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(c.dir, name)
}

// failure is what Codex says about a failure, or what we say about a refusal
// that it does not know.
func (c *codexAnswer) failure(e *edit.Error, plan *edit.Plan) string {
	var op edit.Op
	if c.req != nil && e.Op > 0 && e.Op <= len(c.req.Ops) {
		op = c.req.Ops[e.Op-1]
	}
	switch e.Why {
	case patchapply.SyntaxStep:
		return e.Msg
	case edit.StepRead:
		reason := e.Msg
		if e.Code == edit.NotRegular {
			reason = fmt.Sprintf("path `%s` is not a file", c.abs(op.Path))
		}
		return fmt.Sprintf("Failed to read file to update %s: %s", c.abs(op.Path), reason)
	case edit.StepAnchor:
		return fmt.Sprintf("Failed to find context '%s' in %s", op.Hunks[e.Hunk-1].Anchors[0], c.abs(op.Path))
	case edit.StepLines:
		lines := []string{fmt.Sprintf("Failed to find expected lines in %s:", c.abs(op.Path))}
		for _, l := range op.Hunks[e.Hunk-1].Lines {
			if l.Kind != edit.Added {
				lines = append(lines, l.Text)
			}
		}
		return strings.Join(lines, "\n")
	case edit.StepWrite:
		return "Failed to write file " + c.abs(target(op))
	case edit.StepDelete:
		return "Failed to delete file " + c.abs(op.Path)
	}
	if e.Code == edit.CommitFailed && e.Path != "" && plan != nil {
		return c.unwritten(e, plan)
	}
	why := *e
	why.Facts = nil
	return fmt.Sprintf("Error: %s [%s]", edit.Quote(why.Error()), e.Code)
}

// unwritten tells what the system refused.
func (c *codexAnswer) unwritten(e *edit.Error, plan *edit.Plan) string {
	abs := filepath.Join(c.top, filepath.FromSlash(e.Path))
	for _, change := range plan.Changes {
		switch {
		case change.From == e.Path:
			return "Failed to remove original " + abs
		case change.Path == e.Path && change.After == nil:
			return "Failed to delete file " + abs
		}
	}
	if slices.Contains(plan.Mkdir, e.Path) {
		return "Failed to create parent directories for " + abs
	}
	return "Failed to write file " + abs
}
