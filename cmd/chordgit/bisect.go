package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

type bisectFlags struct {
	run      string
	links    []string
	from, to int // turns; 0: not given
}

func (a *app) bisectCommand() *cobra.Command {
	var f bisectFlags
	cmd := &cobra.Command{
		Use:   "bisect --run CMD [--link DIR]... [A..B]",
		Short: "Find the turn that made a command fail",
		Long: `Bisect tries CMD in what the worktree was at the beginning of turn A and at the
end of it and of the captured turns up to B, by default of all. Each state that
is tried is written, byte for byte, to a directory below the system's temporary
directory, and CMD runs there by "sh -c": it exits with 0 if the state is good,
with 125 if it cannot be judged, with another status to 127 if it is bad; a
higher one ends the search. The first state must be good, the last one bad.

What no turn covers, such as node_modules, is not there; --link puts a link to
that directory of the worktree in its place. Nothing in the worktree or the
repository changes, and the directory is removed.`,
		Example: `  chordgit bisect --run "go test ./..."
  chordgit bisect --run "npm test" --link node_modules 4..9`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.run == "" {
				return errors.New("give the command that tells good from bad: --run CMD")
			}
			if len(args) == 1 {
				var err error
				if f.from, f.to, err = parseRange(args[0]); err != nil {
					return err
				}
			}
			a.bisect(cmd.Context(), f)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.run, "run", "", "the command (`CMD`) that is tried in each state")
	flags.StringArrayVar(&f.links, "link", nil, "put a link to this directory (`DIR`) of the worktree into each state")
	return cmd
}

// parseRange reads "A..B", where either may be left out; 0 stands for it.
func parseRange(arg string) (from, to int, err error) {
	a, b, ok := strings.Cut(arg, "..")
	if !ok {
		return 0, 0, &edit.Error{Code: edit.Usage, Msg: fmt.Sprintf("%q is no range of turns A..B", arg)}
	}
	if a != "" {
		if from, err = parseTurn(a); err != nil {
			return 0, 0, err
		}
	}
	if b != "" {
		if to, err = parseTurn(b); err != nil {
			return 0, 0, err
		}
	}
	if to > 0 && from > to {
		return 0, 0, &edit.Error{Code: edit.Usage, Msg: fmt.Sprintf("%q ends before it begins", arg)}
	}
	return from, to, nil
}

func (a *app) bisect(ctx context.Context, f bisectFlags) {
	repo, err := a.open()
	if err != nil {
		a.report(newFailure("bisect", err))
		return
	}
	defer repo.Close()
	opt := gitops.BisectOptions{From: f.from, To: f.to, Test: a.judge(f.run)}
	if opt.Links, err = a.relative(repo, f.links); err != nil {
		a.report(newFailure("bisect", err))
		return
	}
	opt.Tried = func(s gitops.State, v gitops.Verdict) {
		if !a.quiet {
			fmt.Fprintf(a.stderr, "chordgit: %s is %s\n", s, v)
		}
	}
	var found *gitops.Bisected
	err = a.holding(ctx, func(ctx context.Context) error {
		found, err = repo.Bisect(ctx, opt)
		return err
	})
	if err != nil {
		a.report(newFailure("bisect", err))
		return
	}
	if found.Turn == nil {
		var numbers []int
		for _, t := range found.Hidden {
			numbers = append(numbers, t.N)
		}
		a.report(newFailure("bisect", &edit.Error{Code: edit.Ambiguous, Msg: fmt.Sprintf("it is one of %s: the states between could not be judged", turns(numbers))}))
		return
	}
	a.blame(repo, found)
}

// judge runs the command in a state.
func (a *app) judge(command string) func(context.Context, string) (gitops.Verdict, error) {
	return func(ctx context.Context, dir string) (gitops.Verdict, error) {
		cmd := exec.CommandContext(ctx, "sh", "-c", command)
		cmd.Dir = dir
		// The state is no repository: nothing may lead the command to ours.
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "PWD=") {
				cmd.Env = append(cmd.Env, v)
			}
		}
		cmd.Env = append(cmd.Env, "PWD="+dir)
		// Standard output is the answer's.
		cmd.Stdout, cmd.Stderr = a.stderr, a.stderr
		if a.quiet {
			cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
		}
		cmd.WaitDelay = 5 * time.Second
		done := grouped(cmd)
		err := cmd.Run()
		done()
		if err := ctx.Err(); err != nil {
			return gitops.Skip, &edit.Error{Code: edit.CommitFailed, Msg: "interrupted, nothing was found", Err: err}
		}
		var exit *exec.ExitError
		switch {
		case err == nil, errors.Is(err, exec.ErrWaitDelay):
			return gitops.Good, nil
		case !errors.As(err, &exit):
			return gitops.Skip, &edit.Error{Code: edit.Usage, Msg: "the command cannot be run", Err: err}
		case exit.ExitCode() == 125:
			return gitops.Skip, nil
		case exit.ExitCode() >= 1 && exit.ExitCode() <= 127:
			return gitops.Bad, nil
		}
		return gitops.Skip, &edit.Error{Code: edit.Usage, Msg: fmt.Sprintf("the command ended the search: %v", exit)}
	}
}

// blame tells which turn it was.
func (a *app) blame(repo *gitops.Repo, found *gitops.Bisected) {
	changes, err := repo.Changes(found.Turn)
	if err != nil {
		a.report(newFailure("bisect", err))
		return
	}
	rep := &report{}
	rep.plan(&edit.Plan{Changes: changes}, repo.Content)
	t := newTurnReport(found.Turn, 0)
	files := rep.complete().Files
	if found.Between {
		rep.note([]edit.Note{{Code: "between-turns", Msg: fmt.Sprintf("turn %d began with it: what changed between the turn before and this one made the command fail", t.Turn)}})
	}
	if a.json {
		a.writeJSON(struct {
			Command string `json:"command"`
			Result  string `json:"result"`
			turnReport
			Files    []file    `json:"files"`
			Between  bool      `json:"between"`
			Tests    int       `json:"tests"`
			Failures []failure `json:"failures"`
			Notes    []note    `json:"notes"`
		}{"bisect", "found", t, files, found.Between, found.Tests, []failure{}, rep.complete().Notes})
		return
	}
	if found.Between {
		fmt.Fprintf(a.stdout, "Not turn %d itself: it began with it. What changed between the turn before and turn %d made the command fail.\n", t.Turn, t.Turn)
		return
	}
	fmt.Fprintf(a.stdout, "Turn %d made the command fail (%s tried):\n", t.Turn, count(found.Tests, "state"))
	if t.Subject != fmt.Sprintf("turn %d", t.Turn) {
		fmt.Fprintf(a.stdout, "Subject:  %s\n", edit.Quote(t.Subject))
	}
	if t.Agent != "" {
		fmt.Fprintf(a.stdout, "Agent:    %s\n", edit.Quote(t.Agent))
	}
	for _, file := range files {
		fmt.Fprintln(a.stdout, file)
	}
	fmt.Fprintf(a.stdout, "Take it back with: chordgit rewind %d\n", t.Turn)
}
