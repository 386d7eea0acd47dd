// Package gittest runs the real git for tests, cut off from the
// configuration of the user and of the machine.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A Repo is a repository in a temporary directory.
type Repo struct {
	TB  testing.TB
	Dir string
}

// New makes an empty repository. The test is skipped if there is no git.
func New(tb testing.TB, initArgs ...string) *Repo {
	tb.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		tb.Skip("no git program")
	}
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	r := &Repo{TB: tb, Dir: dir}
	r.Git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	return r
}

// In returns the same with another directory.
func (r *Repo) In(dir string) *Repo { return &Repo{TB: r.TB, Dir: dir} }

// GitDir returns <Dir>/.git.
func (r *Repo) GitDir() string { return filepath.Join(r.Dir, ".git") }

// Command prepares a git command in the isolated environment.
func (r *Repo) Command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "HOME=") && !strings.HasPrefix(v, "XDG_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env,
		"HOME="+os.TempDir()+"/no-home", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x", "LC_ALL=C")
	return cmd
}

// Git runs git and returns what it prints, without the last line end.
func (r *Repo) Git(args ...string) string {
	r.TB.Helper()
	return r.GitIn("", args...)
}

// GitIn is Git with text on its standard input.
func (r *Repo) GitIn(stdin string, args ...string) string {
	r.TB.Helper()
	cmd := r.Command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.TB.Fatalf("git %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Write writes a file of the worktree.
func (r *Repo) Write(name, content string) {
	r.TB.Helper()
	file := filepath.Join(r.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		r.TB.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		r.TB.Fatal(err)
	}
}

// Commit adds everything and commits it.
func (r *Repo) Commit() {
	r.TB.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "c")
}

// Fsck fails the test unless `git fsck --strict --full` prints nothing, but
// for notices that there is no commit yet.
func (r *Repo) Fsck() {
	r.TB.Helper()
	out, err := r.Command("fsck", "--strict", "--full", "--no-dangling", "--no-progress").CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "notice: ") {
			r.TB.Errorf("git fsck: %s", line)
		}
	}
	if err != nil {
		r.TB.Fatalf("git fsck: %v", err)
	}
}
