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
	in := &input{from: io.LimitReader(a.stdin, hooks.PayloadLimit+1)}
	late := make(chan struct{})
	timer := time.AfterFunc(preTime, func() {
		defer close(late)
		// What came so far mostly tells whether a tool is about to run.
		guessed, _ := hooks.ReadEvent(name, event, in.head())
		slow := &hookRun{app: a, event: guessed}
		slow.mild = slow.mildly()
		slow.undecided(fmt.Errorf("the hook's input was not read after %s", preTime))
		a.end(a.code)
	})
	var err error
	if data == nil {
		data, err = in.all()
	}
	if err == nil {
		h.event, err = hooks.ReadEvent(name, event, data)
	}
	if !timer.Stop() {
		<-late
		return
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

// An input is read, and looked at meanwhile.
type input struct {
	from io.Reader
	mu   sync.Mutex
	data []byte
}

func (in *input) all() ([]byte, error) {
	chunk := make([]byte, 1<<16)
	for {
		n, err := in.from.Read(chunk)
		in.mu.Lock()
		in.data = append(in.data, chunk[:n]...)
		in.mu.Unlock()
		if err == io.EOF { //nolint:errorlint // Read returns it as it is
			return in.data, nil
		} else if err != nil {
			return in.data, err
		}
	}
}

// head is the begin of what was read.
func (in *input) head() []byte {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.data[:min(len(in.data), 1<<16)])
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

// isFile reports whether something is there.
func isFile(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
