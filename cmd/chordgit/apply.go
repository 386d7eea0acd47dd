package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/chordgit/chordgit/patchapply"
	"github.com/spf13/cobra"
)

type applyOptions struct {
	format    string
	path      string
	base      string
	ambiguous string
	compat    string
	session   string
	message   string
	atomic    bool
	flags     hooks.Config // what the command line says of the settings
	dryRun    bool
	diff      bool
	index     bool
	force     bool
	omissions bool
	answer    string
	offered   string
	model     string
	provider  string
}

func (a *app) applyCommand() *cobra.Command {
	var opt applyOptions
	cmd := &cobra.Command{
		Use:   "apply [FILE]",
		Short: "Apply a patch or an edit and record a turn",
		Long: `Apply reads one request from FILE or standard input, in whatever protocol an
agent speaks: a patch envelope, a unified diff, an edit as JSON, tool calls,
SEARCH/REPLACE blocks, listings of whole files. Everything is planned in memory
before anything is written; each file is changed as a whole or not at all. What
does not fit is refused with the reason, other files still go (see --atomic).
The change is recorded as a turn that "chordgit rewind" takes back.`,
		Example: `  chordgit apply < change.patch
  chordgit apply --dry-run change.patch
  echo '{"file_path":"a.go","old_string":"x := 1","new_string":"x := 2"}' | chordgit apply`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.ambiguous != "note" && opt.ambiguous != "refuse" {
				return fmt.Errorf("--ambiguous: want note or refuse, found %q", opt.ambiguous)
			}
			if _, ok := compats[opt.compat]; !ok {
				return fmt.Errorf("--compat: want chord, codex or aider, found %q", opt.compat)
			}
			if !validAnswer(opt.answer) {
				return fmt.Errorf("--answer: want json, text or one of %v, found %q", patchapply.Forms(), opt.answer)
			}
			if opt.offered != "" && opt.offered != "custom" {
				return fmt.Errorf("--offered: want custom, found %q", opt.offered)
			}
			a.json = a.json || opt.answer == "json"
			opt.flags.Match.Ambiguous = opt.ambiguous
			if cmd.Flags().Changed("atomic") {
				opt.flags.Apply.Atomic = &opt.atomic
			}
			a.apply(cmd.Context(), args, opt)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.format, "format", "auto", "`FORMAT` of the request: auto, call (tool calls), codex, v4a, git-diff, blocks, whole, xml, cline, lazy, edit, multi-edit, write, notebook, text-editor or memory")
	f.StringVar(&opt.answer, "answer", "", "`FORM` of the answer (default: as the request came): json, text, tool_result, apply_patch_call_output, …")
	f.StringVar(&opt.offered, "offered", "", "how apply_patch was offered to the model: custom (`KIND`)")
	f.StringVar(&opt.model, "model", "", "`NAME` of the model that made the calls (default: as the request says)")
	f.StringVar(&opt.provider, "provider", "", "`NAME` of its host in the configuration")
	f.StringVar(&opt.path, "path", "", "the file, for a request that names none (`PATH`)")
	f.StringVar(&opt.base, "base", "", "where relative paths start, relative to the worktree's root (`DIR`)")
	f.StringVar(&opt.ambiguous, "ambiguous", "note", "what to do about a hunk that fits twice: note or refuse")
	f.StringVar(&opt.compat, "compat", "chord", "whose rules hold where they differ: chord, codex or aider")
	f.StringVar(&opt.session, "session", "", "`ID` of the agent's session (default $CHORDGIT_SESSION)")
	f.StringVarP(&opt.message, "message", "m", "", "description of the turn (`TEXT`)")
	f.BoolVar(&opt.atomic, "atomic", false, "write nothing if anything does not fit")
	f.BoolVar(&opt.omissions, "allow-placeholders", false, "write lines that look like omitted code, or like a reading tool's own")
	f.BoolVar(&opt.index, "index", false, "stage the results, too; refuse files that are not as the index has them")
	f.BoolVar(&opt.force, "force", false, "let whole content go over what somebody else changed since the turn began")
	f.BoolVar(&opt.dryRun, "dry-run", false, "show the diff, write and record nothing")
	f.BoolVar(&opt.diff, "diff", false, "show the diff of what was written")
	return cmd
}

// compats are the values of --compat.
var compats = map[string]edit.Compat{"chord": edit.Chord, "codex": edit.Codex, "aider": edit.Aider}

// request reads the bytes of the request, at most one more than allowed.
func (a *app) request(args []string, limit int64) ([]byte, error) {
	in := a.stdin
	if len(args) == 1 && args[0] != "-" {
		name := args[0]
		if !filepath.IsAbs(name) {
			name = filepath.Join(a.dir, name) // -C comes first, as with git
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, &edit.Error{Code: edit.Usage, Err: err}
		}
		defer f.Close()
		in = f
	} else if f, ok := in.(*os.File); ok && isTerminal(f) {
		return nil, &edit.Error{Code: edit.Usage, Msg: "no request: name a file or send the request on standard input"}
	}
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, &edit.Error{Code: edit.Unreadable, Msg: "the request cannot be read", Err: err}
	}
	return data, nil
}

// apply carries out one request and reports.
func (a *app) apply(ctx context.Context, args []string, opt applyOptions) {
	if compats[opt.compat] == edit.Codex {
		data, err := a.request(args, requestLimit)
		if err != nil {
			a.report(newFailure("apply", err))
			return
		}
		a.codex(ctx, data, opt, false)
		return
	}
	repo, openErr := a.open()
	if openErr == nil {
		defer repo.Close()
	}
	layers, err := a.layers(repo)
	settings := hooks.MergeConfig(append([]*hooks.Config{&opt.flags}, layers...)...)
	openErr = errors.Join(openErr, err)
	opt.session, err = a.session(repo, opt.session)
	openErr = errors.Join(openErr, err)
	data, err := a.request(args, settings.RequestLimit)
	if err != nil {
		a.report(newFailure("apply", err))
		return
	}
	req, err := patchapply.Parse(data, patchapply.Options{
		Format: opt.format, Path: opt.path, Limit: settings.RequestLimit,
		Aider: compats[opt.compat] == edit.Aider, Exists: exists(repo, opt.base),
		Offered: opt.offered, Offers: a.offers(repo, opt.model, opt.provider, layers), MemoryDir: settings.MemoryDir, Explain: a.explaining(),
	})
	if err == nil {
		err = openErr
	}
	rep := &report{Command: "apply"}
	if req != nil {
		rep.Format = req.Format
		rep.note(req.Notes)
		opt.dryRun = opt.dryRun || req.DryRun
	}
	rep.DryRun = opt.dryRun
	var plan *edit.Plan
	if err == nil {
		plan, err = a.perform(ctx, repo, req, settings, opt, rep)
	}
	if err != nil {
		rep.refuse(toErrors(err))
	}
	if repo != nil && !opt.dryRun {
		a.advise(ctx, repo, opt.session, rep, plan)
	}
	if opt.diff && (rep.Status == failed || rep.Status == denied) {
		rep.request(req, data)
	}
	a.answer(rep, req, plan, patchapply.Form(opt.answer))
	if rep.Turn != nil {
		a.retain(ctx, repo, settings) // nobody waits for it
	}
}

// perform does what the request asks for and puts it into the report: looks at
// files, changes them, or takes a change back.
func (a *app) perform(ctx context.Context, repo *gitops.Repo, req *patchapply.Request, settings hooks.Settings, opt applyOptions, rep *report) (*edit.Plan, error) {
	planning := a.planOptions(repo, req, settings, opt)
	see := viewer(repo, req, planning, rep)
	see(true)
	var plan *edit.Plan
	var turn *gitops.Turn
	var err error
	switch path := undoes(req); {
	case path != "":
		plan, turn, err = a.undo(ctx, repo, path, planning, opt)
	case len(req.Ops) == 0: // only looks
		plan = &edit.Plan{}
	default:
		plan, turn, err = a.carryOut(ctx, repo, req, planning, opt)
	}
	if err != nil {
		return plan, err
	}
	see(false)
	rep.plan(plan, a.counting(repo))
	if turn != nil {
		rep.Turn = &turn.N
	}
	switch {
	case opt.dryRun:
		rep.Diff = diffChanges(plan.Changes, repo.Content)
	case opt.diff && len(plan.Changes) > 0:
		rep.Diff = bounded(diffChanges(plan.Changes, repo.Content))
	}
	return plan, nil
}

// explaining is where the reader tells how it reads the request.
func (a *app) explaining() func(string) {
	if !a.verbose {
		return nil
	}
	return func(line string) { fmt.Fprintln(a.stderr, "chordgit: format: "+edit.Quote(line)) }
}

// exists tells readers of requests whether the worktree has a file; without a
// worktree nothing exists.
func exists(repo *gitops.Repo, base string) func(path string) bool {
	if repo == nil {
		return nil
	}
	tree := repo.Tree()
	return func(name string) bool {
		if name = path.Join(filepath.ToSlash(base), name); !fs.ValidPath(name) {
			return false
		}
		f, err := tree.Lookup(name)
		return err == nil && f != nil && !f.IsDir()
	}
}

// counting is where a report takes the files' content from to count changed
// lines: only JSON tells them.
func (a *app) counting(repo workplace) func(*edit.File) []byte {
	if !a.json {
		return nil
	}
	return repo.Content
}

// carryOut plans the request and, unless it is a dry run, commits it. Where
// policy asks for consent, a person gives it between two plans, which must be the
// same.
func (a *app) carryOut(ctx context.Context, repo workplace, req *patchapply.Request, options edit.Options, opt applyOptions) (*edit.Plan, *gitops.Turn, error) {
	gate, err := a.newGate(repo, req, opt.session, options)
	if err != nil {
		return nil, nil, err
	}
	making := func(tree edit.Tree) (*edit.Plan, error) { return gate.plan(tree, req.Ops, options) }
	recorded, ok := repo.(*gitops.Repo)
	if opt.index && !ok {
		return nil, nil, &edit.Error{Code: edit.Usage, Msg: "--index: there is no repository"}
	}
	if opt.dryRun {
		tree := repo.Tree()
		if ok {
			if tree, err = recorded.TreeOf(opt.session); err != nil {
				return nil, nil, err
			}
		}
		if opt.index {
			tree = recorded.Indexed(tree)
		}
		plan, err := making(tree)
		return plan, nil, gate.hypothetical(plan, err)
	}
	apply := repo.Apply
	if opt.index {
		apply = recorded.ApplyIndexed
	}
	var turn *gitops.Turn
	commit := func() error {
		return a.holding(ctx, func(ctx context.Context) (err error) {
			turn, err = apply(ctx, a.turnOf(opt), making)
			return err
		})
	}
	if err = commit(); errors.Is(err, errConsent) {
		if err = gate.ask(); err == nil {
			// Before anything is written: what was agreed to must not be put back for
			// want of a note.
			err = keepConsent(ctx, recorded, opt.session, gate.turn, gate.granted)
		}
		if err == nil {
			err = commit()
		}
	}
	return gate.made, turn, err
}

// turnOf is what the caller knows of the turn that is about to be made.
func (a *app) turnOf(opt applyOptions) gitops.Turn {
	return gitops.Turn{Agent: a.agent(), Session: opt.session, Message: opt.message}
}

// planOptions are the options by which the request is planned.
func (a *app) planOptions(repo workplace, req *patchapply.Request, settings hooks.Settings, opt applyOptions) edit.Options {
	options := repo.PlanOptions()
	options.Base = path.Join(filepath.ToSlash(opt.base), req.Base)
	if base := filepath.ToSlash(req.Base); path.IsAbs(base) || filepath.IsAbs(req.Base) {
		options.Base = base // a hook's
	}
	options.Compat = compats[opt.compat]
	options.Superuser = a.superuser
	options.RefuseAmbiguous = settings.RefuseAmbiguous
	options.PreserveFinalNewline = settings.KeepFinalNewline
	options.Atomic = settings.Atomic
	options.FileLimit = settings.FileLimit
	options.AllowPlaceholders = opt.omissions
	options.Index = opt.index
	options.Force = opt.force
	return options
}
