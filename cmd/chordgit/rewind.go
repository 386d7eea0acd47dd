package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

type rewindFlags struct {
	force, atomic, dryRun, yes, git bool
	session                         string
	to                              int // -1: not given
	owners                          []string
	paths                           []string
}

func (a *app) rewindCommand() *cobra.Command {
	return a.takeBack("rewind", "Take a turn back", `Rewind takes back what turn N changed, by default the newest turn that is not
taken back yet: bytes, permissions, created and deleted files. Other files are
not read. What you changed since stays, in the same file too: it is merged by
lines. Where both changed the same lines the file is left alone and named, the
others still go. A file is removed only if it was not there when the turn began.
What a rewind replaces is recorded first: a rewind is a turn, and "chordgit redo"
takes it back.

HEAD, branches, index and stash stay as they are, and so do files that came with
a checkout, pull or merge of the turn. With --git these go back, too; what you
moved since stays.`, `  chordgit rewind               the newest turn
  chordgit rewind 7             turn 7, later turns stay
  chordgit rewind --to 5        all turns after turn 5
  chordgit rewind 7 -- src      what turn 7 changed in src
  chordgit rewind --dry-run     show what would change
  chordgit rewind 7 --force     also where you changed the same lines since
  chordgit rewind 7 --git       also HEAD, branches and index`)
}

func (a *app) redoCommand() *cobra.Command {
	return a.takeBack("redo", "Take a rewind back", `Redo takes back a rewind: by default the newest turn, if that is a rewind. Like
every rewind it is a turn and can itself be taken back.`, `  chordgit redo`)
}

func (a *app) takeBack(name, short, long, example string) *cobra.Command {
	var f rewindFlags
	cmd := &cobra.Command{
		Use:     name + " [N] [-- PATH...]",
		Short:   short,
		Long:    long,
		Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if i := cmd.ArgsLenAtDash(); i >= 0 {
				args, f.paths = args[:i], args[i:]
			}
			for _, who := range f.owners {
				if !gitops.IsOwner(who) {
					return fmt.Errorf("%q is no owner: self, ambiguous, outside, other, git or session:ID", who)
				}
			}
			n := 0
			switch {
			case len(args) > 1:
				return fmt.Errorf("want one turn number at most, found %d words; paths stand behind --", len(args))
			case len(args) == 1 && f.to >= 0:
				return errors.New("give a number or --to, not both")
			case len(args) == 1:
				var err error
				if n, err = parseTurn(args[0]); err != nil {
					a.report(newFailure(name, err))
					return nil
				}
			}
			a.rewind(cmd.Context(), name, n, f)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.force, "force", false, "also take back files that changed since; their content is recorded first")
	flags.BoolVar(&f.atomic, "atomic", false, "change nothing if any file is in conflict")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would change, write and record nothing")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask, even at a terminal")
	if f.to = -1; name == "rewind" {
		flags.Func("to", "take back every turn after turn `N`, the newest first (0: all that are stored)", func(arg string) (err error) {
			if f.to = 0; arg != "0" {
				f.to, err = parseTurn(arg)
			}
			return err
		})
	}
	flags.BoolVar(&f.git, "git", false, "take back what happened to HEAD, branches, tags, stash and index, too, and the files that came with it")
	flags.StringSliceVar(&f.owners, "owner", nil, "whose paths go: self, ambiguous, outside, other, session:ID (`LIST`; default self)")
	flags.StringVar(&f.session, "session", "", "`ID` of the session that asks (default $CHORDGIT_SESSION)")
	return cmd
}

func (a *app) rewind(ctx context.Context, name string, n int, f rewindFlags) {
	repo, err := a.open()
	if err != nil {
		rep := newFailure(name, err)
		rep.noWorktree()
		a.report(rep)
		return
	}
	defer repo.Close()
	session := f.session
	if session == "" {
		session = a.getenv("CHORDGIT_SESSION")
	}
	opt := gitops.RewindOptions{
		Force: f.force, Atomic: f.atomic, DryRun: f.dryRun, Redo: name == "redo", Git: f.git,
		Turn: gitops.Turn{Agent: a.agent(), Session: session}, Owners: f.owners,
	}
	opt.Check = func(res *gitops.Rewound) error { return a.mayRewind(repo, res) }
	if f.to >= 0 {
		n, opt.Since = f.to, true
	}
	if opt.Paths, err = a.relative(repo, f.paths); err != nil {
		a.report(newFailure(name, err))
		return
	}
	declined := false
	if !f.yes && !f.dryRun && a.interactive() {
		opt.Confirm = func(res *gitops.Rewound) bool {
			declined = !a.ask(ctx, res)
			return !declined
		}
	}
	var res *gitops.Rewound
	err = a.holding(ctx, func(held context.Context) error {
		ctx = held
		var err error
		res, err = repo.Rewind(ctx, n, opt)
		return err
	})
	switch {
	case declined:
		if !a.quiet {
			fmt.Fprintln(a.stdout, "Nothing was changed.")
		}
		return
	case err != nil:
		rep := newFailure(name, err)
		if res != nil && res.Turn != nil { // the files were taken back
			rep = a.rewound(name, repo, res)
			rep.fail(toErrors(err))
			rep.Status, rep.Turn, rep.Redo = partial, &res.Turn.N, "chordgit redo"
		}
		for i := range rep.Failures {
			if f := &rep.Failures[i]; f.Why == gitops.NotYours {
				f.Hint = "ask the user to take it back"
			}
		}
		if rep.exit() == exitDenied {
			rep.Status = denied
		}
		if res != nil && res.Turn == nil {
			rep.Undoes = res.Undoes
		}
		a.report(rep)
		return
	}
	rep := a.rewound(name, repo, res)
	rep.DryRun = f.dryRun
	if res.Turn != nil {
		rep.Turn = &res.Turn.N
		rep.Redo = "chordgit redo"
	}
	if f.dryRun {
		rep.Diff = diffChanges(res.Plan.Changes, repo.Content)
	}
	a.report(rep)
}

// rewound reports what was taken back.
func (a *app) rewound(name string, repo *gitops.Repo, res *gitops.Rewound) *report {
	rep := &report{Command: name, Undoes: res.Undoes, Left: res.Left}
	rep.plan(res.Plan, a.counting(repo))
	for i := range rep.Failures {
		if c, ok := res.Conflicts[rep.Failures[i].Path]; ok {
			rep.Failures[i].Hint = conflictHint(rep.Failures[i], c, func(p string) string { return shellQuote(a.fromHere(repo, p)) })
		} else if rep.Failures[i].Code == edit.Conflict { // of git's own state
			rep.Failures[i].Hint = ""
		}
	}
	rep.how(res.Plan, res.How)
	if rep.Status == failed && rep.exit() == exitDenied {
		rep.Status = denied
	}
	return rep
}

// relative makes paths that were given relative to the current directory those
// of the worktree. They are literal and need not exist.
func (a *app) relative(repo *gitops.Repo, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	dir, err := filepath.Abs(cmp.Or(a.dir, "."))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, &edit.Error{Code: edit.Unreadable, Err: err}
	}
	var out []string
	for _, p := range paths {
		full := p
		if !filepath.IsAbs(p) {
			full = filepath.Join(dir, p)
		}
		rel, err := filepath.Rel(repo.Top(), full)
		if err != nil || !filepath.IsLocal(rel) {
			return nil, &edit.Error{Code: edit.Usage, Path: p, Msg: "outside the worktree"}
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}

// fromHere is a path of the worktree as the current directory has it: the inverse of
// relative.
func (a *app) fromHere(repo *gitops.Repo, path string) string {
	dir, err := filepath.Abs(cmp.Or(a.dir, "."))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(dir, filepath.Join(repo.Top(), filepath.FromSlash(path)))
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// how says of each file in which way it was taken back, and tells directories.
func (r *report) how(p *edit.Plan, hows map[string]string) {
	changes := map[string]edit.Change{}
	for _, c := range p.Changes {
		changes[c.Path] = c
	}
	for i := range r.Files {
		f := &r.Files[i]
		c := changes[f.Path]
		switch {
		case f.From != "":
			f.How = "renamed"
			c.Before = changes[f.From].Before
		case c.After == nil:
			f.How = "deleted"
		case c.After.IsLink():
			f.How = "link"
		case c.Before == nil:
			f.How = "recreated"
		case c.Before.ID != "" && c.Before.ID == c.After.ID:
			f.How = "mode"
		default:
			f.How = "restored"
		}
		if hows[f.Path] != "" {
			f.How = hows[f.Path]
		}
		if c.Before != nil {
			f.Before = c.Before.ID
		}
		if c.After != nil {
			f.After = c.After.ID
		}
	}
	for how, dirs := range map[string][]string{"mkdir": p.Mkdir, "rmdir": p.Rmdir} {
		for _, d := range dirs {
			if slices.ContainsFunc(p.Changes, func(c edit.Change) bool { return strings.HasPrefix(c.Path, d+"/") }) {
				continue // it goes without saying
			}
			change := "add"
			if how == "rmdir" {
				change = "delete"
			}
			r.Files = append(r.Files, file{Path: d + "/", Change: change, How: how})
		}
	}
	for _, m := range p.DirModes {
		if m.Before != 0 && m.After != 0 {
			r.Files = append(r.Files, file{Path: m.Path + "/", Change: "update", How: "mode", Mode: gitops.ModeString(fs.ModeDir | m.After)})
		}
	}
	if len(r.Files) > 0 && r.Status == unchanged {
		r.Status = applied
	}
	back := r.has(gitops.GitRestored)
	switch {
	case (len(r.Files) > 0 || back) && len(r.Failures) > 0:
		r.Status = partial
	case back:
		r.Status = applied
	case len(r.Files) == 0 && len(r.Failures) == 0 && len(r.Left) > 0:
		r.Status = unchanged
	}
}

// conflictHint says what a person can do about a path that stays: commands that work
// where the rewind was called. here makes a path one of a command line there.
func conflictHint(f failure, c gitops.Conflict, here func(path string) string) string {
	take := fmt.Sprintf("chordgit rewind %d -- %s", c.Turn, here(f.Path))
	switch {
	case f.Why == gitops.NotYours:
		return "ask the user to take it back: " + take
	case f.Code == edit.Ambiguous:
		return "take it back all the same: " + take
	case c.InWay != "" && c.After: // what is missing then is a conflict, too
		return fmt.Sprintf("move %s away and try again: chordgit rewind %d --force -- %s", here(c.InWay), c.Turn, here(f.Path))
	case c.InWay != "":
		return fmt.Sprintf("move %s away and try again: %s", here(c.InWay), take)
	}
	stored := func(end string) string {
		return fmt.Sprintf("refs/chordgit/turns/%d:%s/%s", c.Turn, end, shellQuote(f.Path))
	}
	var does []string
	switch {
	case c.Now && c.After:
		does = append(does, fmt.Sprintf("see your changes: git diff %s %s", stored("after"), here(f.Path)))
	case c.Now && c.Before:
		does = append(does, fmt.Sprintf("see what is other: git diff %s %s", stored("before"), here(f.Path)))
	}
	if c.Before && (c.After || !c.Now) {
		does = append(does, "see the old text: git show "+stored("before"))
	}
	if c.Force {
		does = append(does, fmt.Sprintf("take it back all the same: chordgit rewind %d --force -- %s", c.Turn, here(f.Path)))
	}
	return strings.Join(does, "; ")
}

func shellQuote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./@+,", r) || r > 0x7F)
	}) {
		return edit.Quote(s)
	}
	return "'" + strings.ReplaceAll(edit.Quote(s), "'", `'\''`) + "'"
}

// interactive reports whether there is a person to ask.
func (a *app) interactive() bool {
	in, ok1 := a.stdin.(*os.File)
	out, ok2 := a.stdout.(*os.File)
	return ok1 && ok2 && !a.json && isTerminal(in) && isTerminal(out)
}

// ask shows the plan and asks; the default is no.
func (a *app) ask(ctx context.Context, res *gitops.Rewound) bool {
	undoes := res.Undoes
	rep := &report{Command: "rewind", Undoes: undoes}
	rep.plan(res.Plan, nil)
	rep.how(res.Plan, res.How)
	for _, l := range leftLines(res.Left) {
		fmt.Fprintln(a.stdout, "stays: "+l)
	}
	for _, f := range rep.Files {
		fmt.Fprintln(a.stdout, f)
	}
	for _, l := range noteLines(rep.Notes) {
		fmt.Fprintln(a.stdout, "Note: "+l)
	}
	fmt.Fprint(a.stderr, rep.undone())
	fmt.Fprintf(a.stdout, "Take back %s? [y/N] ", turns(undoes))
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(a.stdin).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case yes := <-answer:
		return yes == "y" || yes == "yes"
	case <-ctx.Done():
		return false
	}
}
