package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// agentPatience is how long agents wait for an answer before a tool runs. Then they
// let it run.
const agentPatience = 10 * time.Second

// tryAgent runs what is installed for an agent with what it must refuse. It runs
// what this program would install, never another command of the file: a repository
// may come from anybody.
func (a *app) tryAgent(ctx context.Context, h *gitops.History, hook agentHook, t *hookTarget) {
	if h == nil || h.Bare() {
		t.Detail = "not tried: there is no worktree here"
		return
	}
	probe := hook.file.Probe(hook.in, filepath.ToSlash(h.Top()))
	dir := h.Top()
	if t.Name == "user" && hook.file.OwnDir {
		dir = filepath.Dir(hook.name)
	}
	ctx, cancel := context.WithTimeout(ctx, agentPatience)
	defer cancel()
	args := probe.Args
	if args == nil {
		args = shell(probe.Command)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(probe.Input)
	cmd.WaitDelay = time.Second // what it left behind may hold its output
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.be("does not work", "no answer within %s; then the agent goes on without", agentPatience)
	case err != nil && !errors.As(err, &ended):
		t.be("does not work", "it could not be tried: %s", edit.Quote(err.Error()))
	case !probe.Refuses(hooks.Response{Stdout: out.String(), Stderr: said.String(), Exit: cmd.ProcessState.ExitCode()}):
		text := strings.TrimSpace(said.String() + out.String())
		if n := len(text); n > 200 {
			text = strings.ToValidUTF8(text[:200], "") + "…"
		}
		t.be("does not work", "%s", strings.TrimSpace(fmt.Sprintf("it let a denied change through (exit status %d) %s", cmd.ProcessState.ExitCode(), edit.Quote(text))))
	default:
		t.State = "works"
	}
}

// shell is how a command is run that stands in a file.
func shell(command string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/C", command}
	}
	return []string{"sh", "-c", command}
}
