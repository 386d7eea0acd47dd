package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/spf13/cobra"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Try whether what is installed really refuses what it should",
		Long: `Doctor tells what chordgit hooks status tells, and runs what git's hooks call with
a change that is always denied: in an index of its own, so that nothing of the
repository changes. What is installed for agents it runs as they would, with a
write that is always denied; no turn begins and no call is logged. The exit
status is 0 if all that is installed works.`,
		Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			answer := &hooksAnswer{Command: "doctor"}
			history := a.historyOr(answer)
			if history != nil {
				defer history.Close()
				a.gitStatus(answer, history)
				a.tryHooks(cmd.Context(), answer, history)
			}
			a.agentStatus(answer, history, func(hook agentHook, t *hookTarget) { a.tryAgent(cmd.Context(), history, hook, t) })
			a.hooksChanged(answer)
			a.tellHooks(answer)
		},
	}
}

// tryHooks runs the programs that the installed hooks call. Hooks of others are
// not run.
func (a *app) tryHooks(ctx context.Context, answer *hooksAnswer, h *gitops.History) {
	dir, err := os.MkdirTemp("", "chordgit-doctor-")
	if err != nil {
		answer.fail(hookTarget{Target: "git"}, err)
		return
	}
	defer os.RemoveAll(dir) //nolint:forbidigo // made above, for the trial alone
	for i := range answer.Targets {
		t := &answer.Targets[i]
		if t.State != "installed" || t.Name == "pre-receive" {
			continue
		}
		said, err := a.tryHook(ctx, h, t.Name, t.bin, dir)
		switch {
		case err != nil:
			t.be("does not work", "it could not be tried: %s", oneLine(err))
		case said != "":
			t.be("does not work", "%s", said)
		default:
			t.State = "works"
		}
	}
}

// tryHook runs a hook's program with what it must refuse, and returns what is wrong
// with its answer.
func (a *app) tryHook(ctx context.Context, h *gitops.History, event, bin, dir string) (wrong string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "hook", event)
	cmd.Dir = h.Top()
	cmd.Env = append(os.Environ(), "CHORDGIT=", "CHORDGIT_SESSION=doctor")
	want := "commit refused"
	if event == "pre-push" {
		want = "push refused"
		one, none := strings.Repeat("1", 40), strings.Repeat("0", 40)
		cmd.Args = append(cmd.Args, "doctor")
		cmd.Stdin = strings.NewReader("refs/chordgit/turns/1 " + one + " refs/chordgit/turns/1 " + none + "\n")
	} else {
		index, err := h.ProbeIndex(dir, "chordgit-doctor/"+hooks.ConfigName)
		if err != nil {
			return "", err
		}
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	if _, ended := err.(*exec.ExitError); err != nil && !ended { //nolint:errorlint // Run returns it as it is
		return "", &edit.Error{Code: edit.Unreadable, Err: err}
	}
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(said.String(), want) {
		return fmt.Sprintf("%s hook %s let a denied change through (exit status %d) %s", edit.Quote(bin), event, code, edit.Quote(strings.TrimSpace(said.String()))), nil
	}
	return "", nil
}
