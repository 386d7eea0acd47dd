package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

// turnFlags are what begin, end and run have in common.
type turnFlags struct {
	session  string
	deadline time.Duration
}

func (f *turnFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "", "`ID` of the agent's session (default $CHORDGIT_SESSION)")
	flags.DurationVar(&f.deadline, "deadline", 0, "give up looking in time to be done by then, and say what is not covered (`D`, such as 20s; 0: never)")
}

func (a *app) beginCommand() *cobra.Command {
	var f turnFlags
	var t gitops.Turn
	cmd := &cobra.Command{
		Use:   "begin",
		Short: "Record the worktree as it is now and open a turn",
		Long: `Begin records the whole worktree, tracked or not, dirty or not, byte for byte, and
opens a turn. "chordgit end" records it again and closes the turn: whatever
changed in between, whoever wrote it, "chordgit rewind" takes it back.

A second begin of the same session and turn keeps the first record. A begin of
the session's next turn closes the one that is still open.`,
		Example: `  chordgit begin -m "fix the login page"
  make generate
  chordgit end`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t.Session = cmp.Or(f.session, a.getenv("CHORDGIT_SESSION"))
			t.Agent = cmp.Or(t.Agent, a.agent())
			a.begin(cmd.Context(), t, f)
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&t.AgentTurn, "turn-id", "", "the agent's own `ID` of the turn")
	cmd.Flags().StringVar(&t.Agent, "agent", "", "`NAME` of the agent (default: as the environment says)")
	cmd.Flags().StringVarP(&t.Message, "message", "m", "", "the prompt, or what the turn is for (`TEXT`)")
	return cmd
}

func (a *app) begin(ctx context.Context, t gitops.Turn, f turnFlags) {
	repo, bar, err := a.capturing()
	if err != nil {
		a.report(captureFailure("begin", err))
		return
	}
	defer repo.Close()
	var open *gitops.Turn
	var judged []judgement
	err = a.within(ctx, f.deadline, func(ctx context.Context) error {
		var err error
		judged, open, err = a.openTurn(ctx, repo, t, nil)
		return err
	})
	bar.done()
	if err != nil {
		a.report(captureFailure("begin", err))
		return
	}
	rep := &report{Command: "begin", Status: opened, Turn: &open.N}
	rep.note(append(uncovered(open), open.Notes...))
	rep.judged(judged)
	a.report(rep)
	if !a.quiet && !a.json {
		fmt.Fprintf(a.stderr, "chordgit: turn %d is open; chordgit end closes it\n", open.N)
	}
}

func (a *app) endCommand() *cobra.Command {
	var f turnFlags
	var opt gitops.EndOptions
	cmd := &cobra.Command{
		Use:   "end",
		Short: "Record the worktree again and close the open turn",
		Long: `End closes the turn that "chordgit begin" opened. Nothing changed in it: nothing
is recorded. Without an open turn there is nothing to do, and no error.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.endTurn(cmd.Context(), cmp.Or(f.session, a.getenv("CHORDGIT_SESSION")), opt, f)
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&opt.KeepEmpty, "keep-empty", false, "record the turn although nothing changed")
	cmd.Flags().BoolVar(&opt.Reread, "rehash", false, "read every file, whatever its times say")
	return cmd
}

func (a *app) endTurn(ctx context.Context, session string, opt gitops.EndOptions, f turnFlags) {
	repo, bar, err := a.capturing()
	if err != nil {
		a.report(captureFailure("end", err))
		return
	}
	defer repo.Close()
	var turn *gitops.Turn
	err = a.within(ctx, f.deadline, func(ctx context.Context) error {
		var err error
		turn, err = repo.End(ctx, session, opt)
		return err
	})
	bar.done()
	var none *edit.Error
	switch {
	case errors.As(err, &none) && none.Code == edit.NoTurn:
		rep := &report{Command: "end", Status: unchanged}
		rep.note([]edit.Note{{Code: edit.NoTurn, Msg: none.Msg}})
		a.judgeInto(ctx, rep, repo, session) // one that died may have closed it
		a.report(rep)
		return
	case err != nil:
		a.report(captureFailure("end", err))
		return
	}
	rep, err := a.closedReport(repo, "end", turn)
	if err != nil {
		rep = captureFailure("end", err)
	}
	a.judgeInto(ctx, rep, repo, session)
	a.report(rep)
	if turn != nil {
		a.retainAsSet(ctx, repo)
	}
}

// captureFailure reports an error of a command that captures.
func captureFailure(command string, err error) *report {
	rep := newFailure(command, err)
	rep.noWorktree()
	return rep
}

// noWorktree says what a missing worktree means to a command that records all of
// it, or takes it back.
func (r *report) noWorktree() {
	if f := &r.Failures[0]; f.Code == gitops.NotARepository {
		f.Message = "cannot restore files here: " + f.Message
	}
}

// closedReport is what is said of a turn that was closed; nil: nothing had
// changed.
func (a *app) closedReport(repo *gitops.Repo, command string, turn *gitops.Turn) (*report, error) {
	rep := &report{Command: command, Status: unchanged}
	if turn == nil {
		return rep, nil
	}
	changes, err := repo.Changes(turn)
	if err != nil {
		return nil, err
	}
	rep.plan(&edit.Plan{Changes: changes}, a.counting(repo))
	rep.Status, rep.Turn = recorded, &turn.N
	rep.note(uncovered(turn))
	appeared, err := repo.Appeared(turn)
	if err != nil {
		return nil, err
	}
	if n := len(appeared); n > 0 {
		rep.note([]edit.Note{{Code: "appeared", Msg: appearedText(n) + fmt.Sprintf("; chordgit show %d --json names them", turn.N)}})
	}
	return rep, nil
}

// appearedText says what is not known of so many files.
func appearedText(n int) string {
	are, them := "they are", "them"
	if n == 1 {
		are, them = "it is", "it"
	}
	return fmt.Sprintf("%s found at the end where the start did not look: nobody can tell whether %s the turn's, and no rewind removes %s", count(n, "file"), are, them)
}

// uncovered are notes about what a turn could not record. What an ignore rule
// hides is expected, and told by show.
func uncovered(t *gitops.Turn) (notes []edit.Note) {
	for _, n := range t.Uncovered() {
		if n.Code != gitops.Sparse {
			n.Msg = uncoveredWhy(n.Msg)
			n.Path = cmp.Or(n.Path, ".") // the top
		}
		notes = append(notes, n)
	}
	return notes
}

// uncoveredWhy says in words why a path is not covered.
func uncoveredWhy(why string) string {
	words := map[string]string{
		"special":    "not covered: neither a file nor a link nor a directory",
		"unreadable": "not covered: it cannot be read",
		"size":       "not covered: larger than snapshot.max_file",
		"budget":     "not covered: more is new than snapshot.max_new allows",
		"name":       "not covered: git forbids the name",
		"deadline":   "not covered: not reached in time",
		"incomplete": "not covered in whole: not everything in it was seen",
		"vanished":   "not covered: it was gone, or another, when it was read",
		"index":      "not covered: it cannot be read, so that nobody can tell what is tracked there although ignored",
		"late":       "made while the start was recorded: it stays",
		// Of init.
		"ignored":      "not covered: an ignore rule hides it",
		"nested":       "a repository: its files are covered, its .git is not",
		"submodule":    "a submodule: its files are covered, its .git is not",
		"linked-rules": "a link: not read as ignore rules, as by git",
	}
	if w := words[why]; w != "" {
		return w
	}
	if strings.Contains(why, " ") {
		return why // in words already
	}
	return "not covered: " + why
}

// capturing opens the repository for captures, with a bar that shows how far
// they are.
func (a *app) capturing() (repo *gitops.Repo, bar *progress, err error) {
	repo, err = a.open()
	if err != nil {
		return nil, nil, err
	}
	cover, err := a.coverage(repo)
	if err != nil {
		repo.Close()
		return nil, nil, err
	}
	bar = a.progress("recording")
	cover.Progress = bar.set
	repo.Cover(cover)
	return repo, bar, nil
}

// grace is how long a capture may go on after its deadline.
const grace = 2 * time.Second

// within runs a capture that is to be done after a time. It gives up looking a tenth
// ahead: what was read has to be flushed, indexed and put into trees yet, and the more
// it was the longer that takes. One that was stopped at that would begin anew each
// time and come to no end.
func (a *app) within(ctx context.Context, deadline time.Duration, do func(context.Context) error) error {
	if deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadline-deadline/10)
		defer cancel()
		overrun := time.AfterFunc(deadline+grace, func() {
			fmt.Fprintf(a.stderr, "chordgit: gave up: not done %s after the deadline; the next command repairs what is half recorded\n", grace)
			a.abandon()
			time.Sleep(100 * time.Millisecond) // until they are killed
			a.end(1)
		})
		defer overrun.Stop()
	}
	return do(ctx)
}
