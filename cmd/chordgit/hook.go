package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/spf13/cobra"
)

func (a *app) hookCommand() *cobra.Command {
	var event string
	cmd := &cobra.Command{
		Use:   "hook NAME",
		Short: "What hooks call: decide, and answer as the caller expects",
		Long: `Hook reads what an agent sends to its hooks from standard input and answers in
the agent's own language: it refuses what policy denies before a tool runs, opens
a turn with a prompt and closes it when the agent stops. Agents call it; people
need not.

NAME is ` + strings.Join(hooks.Agents(), ", ") + `, or one of git's hooks.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(hooks.Agents(), args[0]) {
				return fmt.Errorf("no agent is called %q: want %s", args[0], strings.Join(hooks.Agents(), ", "))
			}
			var data []byte
			if args[0] == "codex-notify" && len(args) > 1 { // there is nothing on standard input
				data = []byte(args[len(args)-1])
			}
			a.hook(cmd.Context(), args[0], event, data)
			return nil
		},
	}
	cmd.AddCommand(a.gitHookCommands()...)
	cmd.Flags().StringVar(&event, "event", "", "the event, where the input names none (`NAME`)")
	cmd.AddCommand(a.gitHookCommands()...)
	return cmd
}

// How long a hook may take by itself, less than agents wait.
const (
	preTime   = 5 * time.Second
	postTime  = 5 * time.Second
	beginTime = 20 * time.Second // for the capture; two more to say so
	endTime   = 90 * time.Second
	lateTime  = 4 * time.Second
)

// A hookRun is one event being answered.
type hookRun struct {
	*app
	event *hooks.Event
	dir   string // of the event, as the system names it

	once    sync.Once
	repairs []string
	mild    bool // the user wants what cannot be decided to be allowed
}

// hook answers one event. Whatever happens, the agent gets an answer that it
// understands, once.
func (a *app) hook(ctx context.Context, name, event string, data []byte) {
	a.quiet = true // nothing else is said
	h := &hookRun{app: a}
	// Until the event is known it could be any.
	h.event, _ = hooks.ReadEvent(name, event, nil)
	timer := h.limit(preTime)
	var err error
	if data == nil {
		data, err = io.ReadAll(io.LimitReader(a.stdin, hooks.PayloadLimit+1))
	}
	timer.Stop()
	if err == nil {
		h.event, err = hooks.ReadEvent(name, event, data)
	}
	timer = h.limit(map[hooks.EventKind]time.Duration{hooks.TurnBegin: beginTime + 2*time.Second, hooks.TurnEnd: endTime,
		hooks.TurnAbort: endTime, hooks.SessionEnd: endTime, hooks.Post: postTime}[h.event.Kind])
	defer timer.Stop()
	defer func() {
		if p := recover(); p != nil {
			h.undecided(&edit.Error{Code: edit.Internal, Msg: fmt.Sprintf("internal error: %v", p)})
		}
	}()
	h.mild = h.mildly()
	if err != nil {
		h.undecided(err)
		return
	}
	h.act(ctx)
}

// limit ends the process when its time is over, with an answer.
func (h *hookRun) limit(d time.Duration) *time.Timer {
	d = cmp.Or(d, preTime)
	return time.AfterFunc(d, func() {
		h.undecided(fmt.Errorf("not done after %s", d))
		h.end(h.code)
	})
}

// mildly reports whether the user's own file lets through what cannot be decided: a
// repository's may be what cannot be read.
func (h *hookRun) mildly() bool {
	c, err := h.userConfig()
	return err == nil && hooks.MergeHooks(hooks.Layer{Name: "user", Config: c}).OnError == "allow"
}

// answer says an answer, the first one only.
func (h *hookRun) answer(ans hooks.Answer) {
	h.once.Do(func() {
		ans.JSON = h.json
		res := h.event.Respond(ans)
		io.WriteString(h.stderr, res.Stderr)
		if _, err := io.WriteString(h.stdout, res.Stdout); err != nil && res.Exit == 0 && ans.Verdict != hooks.Allow {
			res.Exit = 2 // a refusal that was not heard would be a consent
		}
		h.code = res.Exit
	})
}

// undecided answers where something went wrong: a tool does not run, everything
// else goes on.
func (h *hookRun) undecided(err error) {
	if h.event.Kind == hooks.Pre && !h.mild {
		h.answer(hooks.Answer{Verdict: hooks.Deny, Text: hooks.UndecidedText(err)})
		return
	}
	h.answer(hooks.Answer{Note: "chordgit: nothing was decided: " + edit.Quote(err.Error())})
}

func (h *hookRun) act(ctx context.Context) {
	e := h.event
	if e.Kind == hooks.NoEvent || e.Kind == hooks.SessionStart {
		h.answer(hooks.Answer{})
		return
	}
	h.dir = h.directory()
	repo, err := h.openAt(h.dir)
	if err != nil && gitops.NoWorktree(err) && e.Kind == hooks.Pre {
		repo, err = h.targetsRepo()
	}
	if err != nil {
		if gitops.NoWorktree(err) || errors.Is(err, &edit.Error{Code: gitops.NotARepository}) && e.Kind != hooks.Pre {
			h.answer(hooks.Answer{})
		} else {
			h.undecided(err)
		}
		return
	}
	defer repo.Close()
	switch e.Kind {
	case hooks.Pre:
		h.pre(ctx, repo)
	case hooks.Post:
		h.post(ctx, repo)
	case hooks.TurnBegin:
		h.begins(ctx, repo)
	default:
		h.ends(ctx, repo)
	}
}

// directory is where the agent is: it says so, or it started the hook there.
func (h *hookRun) directory() string {
	return cmp.Or(h.event.Dir, h.getenv("CURSOR_PROJECT_DIR"), h.app.dir, ".")
}

func (h *hookRun) openAt(dir string) (*gitops.Repo, error) {
	opt := h.repo
	opt.Repaired = func(line string) { h.repairs = append(h.repairs, "chordgit: "+edit.Quote(line)) }
	return gitops.Open(dir, opt)
}

// session names the session whose turns the event is about.
func (h *hookRun) session() string { return cmp.Or(h.event.Session, h.event.Agent) }

// begins opens a turn. A prompt is never lost: what fails is told.
func (h *hookRun) begins(ctx context.Context, repo *gitops.Repo) {
	e := h.event
	if e.Subagent { // its parent's turn goes on
		h.answer(hooks.Answer{})
		return
	}
	notes, err := h.open(ctx, repo, beginTime, true)
	if err != nil {
		notes = append(notes, "chordgit: this turn cannot be taken back: "+edit.Quote(err.Error()))
	}
	h.answer(hooks.Answer{Note: strings.Join(append(h.repairs, notes...), "\n"), Context: h.context(ctx, repo)})
}

// open judges what is to be judged and opens a turn. wait is how long its capture
// looks; begin says that a prompt begins it.
func (h *hookRun) open(ctx context.Context, repo *gitops.Repo, wait time.Duration, begin bool) (notes []string, err error) {
	e := h.event
	// A configuration that cannot be read is no reason to record nothing.
	if cover, err := h.coverage(repo); err == nil {
		repo.Cover(cover)
		if layers, err := h.layers(repo); err == nil && begin {
			wait = min(cmp.Or(hooks.MergeConfig(layers...).Snapshot.Deadline, wait), beginTime)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	t := gitops.Turn{Agent: e.Agent, Session: h.session(), AgentTurn: e.Turn, Message: e.Prompt}
	if !begin {
		t.Message = "begun by " + e.Called
	}
	judged, open, err := h.openTurn(ctx, repo, t, h.keepNote)
	for i := range judged {
		if text := judged[i].text(); text != "" {
			notes = append(notes, text)
		}
	}
	if err != nil {
		return notes, err
	}
	for _, n := range uncovered(open) {
		if n.Code == "deadline" || n.Code == "incomplete" {
			notes = append(notes, "chordgit: "+edit.Quote(n.Path)+": "+n.Msg)
		}
	}
	if err := repo.LogCall(t.Session, gitops.Call{Kind: gitops.CallNone}, false); err != nil {
		notes = append(notes, "chordgit: who changes what in this turn may not be known: "+edit.Quote(err.Error()))
	}
	return notes, nil
}

// openTurn closes what the new turn follows, judges it, and opens the turn. The
// turn is nil only beside an error.
func (a *app) openTurn(ctx context.Context, repo *gitops.Repo, t gitops.Turn, keep func(*sessionFacts, judgement)) ([]judgement, *gitops.Turn, error) {
	if err := repo.CloseOverdue(ctx, 0); err != nil {
		return nil, nil, err
	}
	if err := repo.MakeWay(ctx, t); err != nil {
		return nil, nil, err
	}
	judged, err := a.judgeSession(context.WithoutCancel(ctx), repo, t.Session, keep)
	if err != nil {
		return judged, nil, err
	}
	open, err := repo.BeginNoting(ctx, t, func(t *gitops.Turn, s *gitops.SessionState) error {
		start, err := a.startFacts(repo, t)
		if err == nil {
			refact(s, func(f *sessionFacts) { f.Start = start })
		}
		return err
	})
	if err != nil {
		return judged, nil, err
	}
	return judged, open, a.keepStart(context.WithoutCancel(ctx), repo, open)
}

// keepNote keeps what is told about a turn for the agent's model, if that can be
// told at all.
func (h *hookRun) keepNote(f *sessionFacts, j judgement) {
	if text := j.text(); text != "" && h.event.KeepsContext() {
		const most = 5
		f.Notes = append(f.Notes, text)
		f.Notes = f.Notes[max(0, len(f.Notes)-most):]
	}
}

// context takes the notes that the model was not told yet, if the event can bring
// them.
func (h *hookRun) context(ctx context.Context, repo *gitops.Repo) string {
	if !h.event.TakesContext() {
		return ""
	}
	state, err := repo.Session(h.session())
	if err != nil || len(factsOf(state).Notes) == 0 {
		return "" // nothing is locked for nothing
	}
	var notes []string
	err = changeFacts(ctx, repo, h.session(), func(f *sessionFacts) { notes, f.Notes = f.Notes, nil })
	if err != nil {
		return ""
	}
	return strings.Join(notes, "\n")
}

// ends closes the session's turn and judges it.
func (h *hookRun) ends(ctx context.Context, repo *gitops.Repo) {
	if h.event.Subagent {
		h.answer(hooks.Answer{})
		return
	}
	ctx, cancel := context.WithTimeout(ctx, endTime-5*time.Second)
	defer cancel()
	session := h.session()
	notes := h.repairs
	var turn *gitops.Turn
	state, err := repo.Session(session)
	if err == nil && state.Open > 0 {
		if cover, err := h.coverage(repo); err == nil {
			repo.Cover(cover)
		}
		if h.event.Calls() { // those whose end nobody told end here
			err = repo.LogCall(session, gitops.Call{Kind: gitops.CallNone}, true)
		}
		var failed error
		if turn, failed = repo.End(ctx, session, gitops.EndOptions{Interrupted: h.event.Kind != hooks.TurnEnd}); errors.Is(failed, &edit.Error{Code: edit.NoTurn}) {
			failed = nil
		}
		err = errors.Join(err, failed)
	}
	judged, failed := h.judgeSession(context.WithoutCancel(ctx), repo, session, h.keepNote)
	for i := range judged {
		if text := judged[i].text(); text != "" {
			notes = append(notes, text)
		}
	}
	if err = errors.Join(err, failed); err != nil {
		notes = append(notes, "chordgit: the end of this turn was not recorded: "+edit.Quote(err.Error()))
	}
	h.answer(hooks.Answer{Note: strings.Join(notes, "\n")})
	if turn != nil {
		h.retainAsSet(ctx, repo)
	}
}

// isFile reports whether something is there.
func isFile(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
