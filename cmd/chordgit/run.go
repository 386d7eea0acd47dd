package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

// The exit statuses of run that are not its command's, as shells and env have
// them.
const (
	notRecorded = 125 // the start could not be recorded, or only the end
	notStarted  = 126 // the command cannot be executed
	notFound    = 127
	bySignal    = 128 // and the signal's number
)

func (a *app) runCommand() *cobra.Command {
	var f turnFlags
	var t gitops.Turn
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARG…]",
		Short: "Run a command and record what it changes as a turn",
		Long: `Run records the whole worktree, runs the command, and records the worktree again,
whatever became of the command: all that changed is one turn, which "chordgit
rewind" takes back. The command has the terminal, gets the signals that chordgit
gets, and finds its session in $CHORDGIT_SESSION. What run itself has to say goes
to standard error; with --json what the command says goes there, too.

The exit status is the command's, 128 and the number if a signal ended it. It is
125 if the start could not be recorded, and the command did not run, or if only
the end could not.`,
		Example: `  chordgit run -- make generate
  chordgit run -m "fix the login page" -- codex`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t.Kind = gitops.KindRun
			t.Agent = cmp.Or(t.Agent, a.agent())
			a.runTurn(cmd.Context(), t, f, args)
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&t.Agent, "agent", "", "`NAME` of the agent (default: as the environment says)")
	cmd.Flags().StringVarP(&t.Message, "message", "m", "", "the prompt, or what the turn is for (`TEXT`)")
	return cmd
}

// runTurn records a command's turn around it.
func (a *app) runTurn(ctx context.Context, t gitops.Turn, f turnFlags, args []string) {
	repo, bar, err := a.capturing()
	if err != nil {
		a.reportRun(captureFailure("run", err), notRecorded)
		return
	}
	defer repo.Close()
	inherited := a.getenv("CHORDGIT_SESSION")
	t.Session = cmp.Or(f.session, inherited, "run-"+rand.Text())
	release, err := repo.Owning(t.Session)
	if errors.Is(err, &edit.Error{Code: edit.Locked}) && f.session == "" && inherited != "" {
		bar.done()
		a.runInside(t.Session, args)
		return
	}
	if err != nil {
		a.reportRun(captureFailure("run", err), notRecorded)
		return
	}
	defer release()
	var open *gitops.Turn
	err = a.within(ctx, f.deadline, func(ctx context.Context) error {
		_, open, err = a.openTurn(ctx, repo, t, nil)
		return err
	})
	bar.done()
	if err != nil {
		a.reportRun(captureFailure("run", err), notRecorded)
		return
	}
	c := a.prepare(t.Session, args)
	stop := keepAlive(repo, t.Session)
	status, trouble := c.run()
	stop()
	// A signal that comes now makes the end look no further.
	ctx, cancel := c.signalled(ctx)
	defer cancel()
	a.endRun(ctx, repo, open, bar, f, status, append(open.Notes, notStartedNote(trouble)...))
}

// runInside runs the command of a run inside another one, whose turn records
// what it changes.
func (a *app) runInside(session string, args []string) {
	c := a.prepare(session, args)
	status, trouble := c.run()
	c.quiet()
	rep := &report{Command: "run", Status: inside}
	rep.note(append(notStartedNote(trouble), edit.Note{Code: inside, Msg: "this session has a run already: its turn records what the command changed"}))
	a.reportRun(rep, status)
}

// endRun closes the turn of a command that ended with a status.
func (a *app) endRun(ctx context.Context, repo *gitops.Repo, open *gitops.Turn, bar *progress, f turnFlags, status int, notes []edit.Note) {
	bar.start()
	var turn *gitops.Turn
	err := a.within(ctx, f.deadline, func(ctx context.Context) (err error) {
		turn, err = repo.End(ctx, open.Session, gitops.EndOptions{})
		return err
	})
	bar.done()
	var none *edit.Error
	switch {
	case errors.As(err, &none) && none.Code == edit.NoTurn:
		rep := &report{Command: "run", Status: inside}
		rep.note(append(notes, edit.Note{Code: edit.NoTurn, Msg: fmt.Sprintf("turn %d was closed by somebody else meanwhile; %s", open.N, none.Msg)}))
		a.reportRun(rep, status)
	case err != nil:
		rep := captureFailure("run", err)
		rep.note(notes)
		a.reportRun(rep, cmp.Or(status, notRecorded))
	default:
		rep, err := a.closedReport(repo, "run", turn)
		if err != nil {
			rep = captureFailure("run", err)
			status = cmp.Or(status, notRecorded)
		}
		rep.note(notes)
		if err == nil {
			if a.judgeInto(ctx, rep, repo, open.Session); rep.exit() == exitDenied {
				status = cmp.Or(status, exitDenied)
			}
		}
		a.reportRun(rep, status)
		if turn != nil {
			a.retainAsSet(ctx, repo)
		}
	}
}

// reportRun reports on standard error, since standard output is the command's,
// but for JSON. The exit status is given.
func (a *app) reportRun(r *report, status int) {
	to := *a
	if !a.json {
		to.stdout = a.stderr
	}
	to.report(r)
	a.code = status
}

// prepare makes the command ready to start.
func (a *app) prepare(session string, args []string) *child {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = a.dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	if a.json {
		cmd.Stdout = a.stderr
	}
	cmd.Env = append(os.Environ(), "CHORDGIT_SESSION="+session)
	return newChild(cmd)
}

// notStartedNote says why a command could not be started, if it could not.
func notStartedNote(err error) []edit.Note {
	if err == nil {
		return nil
	}
	return []edit.Note{{Code: "not-started", Msg: "the command could not be started: " + err.Error()}}
}

// startFailure is the exit status of a command that could not be started.
func startFailure(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return notFound
	}
	return notStarted
}

// keepAlive gives signs of life of a session until stop is called.
func keepAlive(repo *gitops.Repo, session string) (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(gitops.SignOfLife)
		defer tick.Stop()
		for {
			// That it cannot be given costs the owner of some paths, should this
			// process die.
			_ = repo.Alive(session)
			select {
			case <-tick.C:
			case <-quit:
				// What the command changed last is not later than this.
				_ = repo.Alive(session)
				return
			}
		}
	}()
	return func() { close(quit); <-gone }
}
