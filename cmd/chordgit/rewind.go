package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

type rewindFlags struct {
	force, atomic, dryRun, yes bool
	session                    string
}

func (a *app) rewindCommand() *cobra.Command {
	return a.takeBack("rewind", "Take a turn back", `Rewind takes back what turn N changed, by default the newest turn that is not
taken back yet: bytes, permissions, created and deleted files. Other files are
not read. A file that changed since the turn is left alone and named, the others
still go. What a rewind replaces is recorded first: a rewind is a turn, and
"chordgit redo" takes it back.`, `  chordgit rewind              the newest turn
  chordgit rewind 7            turn 7, later turns stay
  chordgit rewind --dry-run    show what would change
  chordgit rewind 7 --force    also files that changed since`)
}

func (a *app) redoCommand() *cobra.Command {
	return a.takeBack("redo", "Take a rewind back", `Redo takes back a rewind: by default the newest turn, if that is a rewind. Like
every rewind it is a turn and can itself be taken back.`, `  chordgit redo`)
}

func (a *app) takeBack(name, short, long, example string) *cobra.Command {
	var f rewindFlags
	cmd := &cobra.Command{
		Use:     name + " [N]",
		Short:   short,
		Long:    long,
		Example: example,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n := 0
			if len(args) == 1 {
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
		Force: f.force, Atomic: f.atomic, DryRun: f.dryRun, Redo: name == "redo",
		Turn: gitops.Turn{Agent: a.agent(), Session: session},
	}
	declined := false
	if !f.yes && !f.dryRun && a.interactive() {
		opt.Confirm = func(undoes []int, plan *edit.Plan) bool {
			declined = !a.ask(ctx, undoes, plan)
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
		if res != nil {
			rep.Undoes = res.Undoes
		}
		a.report(rep)
		return
	}
	rep := &report{Command: name, DryRun: f.dryRun, Undoes: res.Undoes}
	rep.plan(res.Plan, a.counting(repo))
	for i := range rep.Failures {
		rep.Failures[i].Hint = conflictHint(rep.Failures[i], res.Undoes[0])
	}
	rep.how(res.Plan)
	if res.Turn != nil {
		rep.Turn = &res.Turn.N
		rep.Redo = "chordgit redo"
	}
	if f.dryRun {
		rep.Diff = diffChanges(res.Plan.Changes, repo.Content)
	}
	a.report(rep)
}

// how says of each file in which way it was taken back.
func (r *report) how(p *edit.Plan) {
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
		if c.Before != nil {
			f.Before = c.Before.ID
		}
		if c.After != nil {
			f.After = c.After.ID
		}
	}
}

// conflictHint names the three ways out of a conflict.
func conflictHint(f failure, turn int) string {
	if f.Code != edit.Conflict {
		return f.Hint
	}
	p := shellQuote(f.Path)
	return fmt.Sprintf("see your changes: git diff refs/chordgit/turns/%d:after/%s %s; see the old text: git show refs/chordgit/turns/%d:before/%s; take it back all the same: chordgit rewind %d --force",
		turn, p, p, turn, p, turn)
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
func (a *app) ask(ctx context.Context, undoes []int, plan *edit.Plan) bool {
	rep := &report{Command: "rewind", Undoes: undoes}
	rep.plan(plan, nil)
	for _, f := range rep.Files {
		fmt.Fprintln(a.stdout, f)
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
