package repo

import (
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Command prepares a git command for this repository. Nothing of the user's
// environment or configuration can make it run a program, fetch, start a gc or
// ask a question. It runs in the worktree's root.
func (l *Layout) Command(args ...string) *exec.Cmd {
	args = append([]string{
		// Hooks run even for plumbing: reference-transaction,
		// post-index-change. Nothing can lie below the null device, as it could
		// in a directory that somebody else can write.
		"-c", "core.hooksPath=" + os.DevNull,
		// git 2.54 and newer run those that the configuration names, wherever the
		// path of hooks leads.
		"-c", "hook.reference-transaction.enabled=false",
		"-c", "hook.post-index-change.enabled=false",
		"-c", "core.fsmonitor=false",
		"-c", "gc.auto=0",
		"-c", "protocol.allow=never",
		"-c", "core.logAllRefUpdates=false",
	}, args...)
	cmd := exec.Command("git", args...)
	if l.Children != nil {
		cmd = exec.CommandContext(l.Children, "git", args...)
		ownGroup(cmd)
	}
	cmd.Dir = l.Top
	cmd.Env = l.environ(os.Environ())
	return cmd
}

func (l *Layout) environ(of []string) []string {
	env := slices.DeleteFunc(slices.Clone(of), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH":
			return !l.InHook
		}
		return strings.HasPrefix(name, "GIT_") || name == "LC_ALL"
	})
	if l.otherIndex != "" {
		env = append(env, "GIT_INDEX_FILE="+l.otherIndex)
	}
	return append(env,
		"GIT_DIR="+l.GitDir,
		"GIT_COMMON_DIR="+l.CommonDir,
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_TERMINAL_PROMPT=0",
		"LC_ALL=C",
	)
}

// HasGit reports whether there is a git program to start.
func HasGit() bool {
	_, err := exec.LookPath("git")
	return err == nil
}

// UserCommand prepares a git command that the user might have started: with their
// environment, settings, hooks and credentials, in the worktree's root. It is for
// what goes to another machine.
func (l *Layout) UserCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = l.Top
	return cmd
}
