// Command chordgit applies the changes that AI agents propose in a git
// repository and takes them back.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/spf13/cobra"
)

func main() {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, superuser: os.Geteuid() == 0}
	if isDropIn(os.Args[0]) {
		a.end(a.dropIn(os.Args[1:]))
	}
	a.end(a.run(os.Args[1:]))
}

// An app is one run of the command.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	superuser      bool           // no file's mode forbids to write it
	repo           gitops.Options // what tests put in; zero otherwise

	dir     string // -C
	json    bool
	quiet   bool
	verbose bool
	noColor bool
	code    int             // the exit status
	files   []*hooks.Config // that were read of the worktree of
	of      *gitops.Repo
	signal  os.Signal          // that came while a transaction ran
	abandon context.CancelFunc // ends the programs that were started; nil: none was
}

// run executes one command line and returns the exit status.
func (a *app) run(args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	if cmd, err := root.ExecuteContextC(context.Background()); err != nil {
		name := "chordgit"
		if cmd != nil && cmd != root {
			name = cmd.Name()
		}
		a.report(newFailure(name, &edit.Error{Code: edit.Usage, Err: err}))
	}
	return a.code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "chordgit",
		Short: "Apply agents' changes exactly, and take them back",
		Long: `chordgit applies the patches and edits that AI agents write, exactly or not at
all, records every change as a turn in the repository, and takes any turn back
without touching what you did since.`,
		Example: `  chordgit apply < change.patch      apply a patch or an edit, record a turn
  chordgit run -- make generate      run a command, record what it changes
  chordgit log                       the turns of this worktree
  chordgit diff                      what the newest turn changed
  chordgit rewind                    take the newest turn back
  chordgit demo                      see all of it in a throwaway repository`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "directory", "C", "", "run as if started in `DIR`")
	f.BoolVar(&a.json, "json", false, "answer with one JSON value on standard output")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "say only what went wrong")
	f.BoolVar(&a.verbose, "verbose", false, "say more: how a request is read")
	f.BoolVar(&a.noColor, "no-color", false, "no colour, whatever the terminal")
	root.AddCommand(a.applyCommand(),
		a.initCommand(), a.beginCommand(), a.endCommand(), a.runCommand(),
		a.logCommand(), a.showCommand(), a.diffCommand(),
		a.rewindCommand(), a.redoCommand(), a.bisectCommand(),
		a.policyCommand(), a.hooksCommand(), a.hookCommand(), a.toolsCommand(),
		a.verifyCommand(), a.pruneCommand(), a.syncCommand(), a.doctorCommand(),
		a.demoCommand(), a.versionCommand())
	return root
}

// open opens the repository that the command works in.
func (a *app) open() (*gitops.Repo, error) {
	opt := a.repo
	opt.Repaired = func(line string) {
		if !a.quiet {
			fmt.Fprintln(a.stderr, "chordgit: "+edit.Quote(line))
		}
	}
	opt.Coverage = a.coverage
	opt.Children, a.abandon = context.WithCancel(context.Background())
	dir := a.dir
	if dir == "" {
		dir = "."
	}
	return gitops.Open(dir, opt)
}

// agent names the agent that runs the command, empty for a person.
func (a *app) agent() string {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err == nil {
		tty.Close()
	}
	return hooks.AgentFromEnv(a.getenv, err == nil)
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			version := "(devel)"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				version = info.Main.Version
			}
			if a.json {
				a.writeJSON(map[string]string{"command": "version", "status": "ok", "version": version})
				return
			}
			fmt.Fprintln(a.stdout, "chordgit "+version)
		},
	}
}

// toErrors makes an error a list of ours, with everything that was joined in it.
func toErrors(err error) (all edit.Errors) {
	switch e := err.(type) { //nolint:errorlint // what is inside comes in its turn
	case edit.Errors:
		return e
	case *edit.Error:
		return edit.Errors{e}
	case interface{ Unwrap() []error }:
		for _, joined := range e.Unwrap() {
			all = append(all, toErrors(joined)...)
		}
		return all
	}
	var one *edit.Error
	var several edit.Errors
	if inner := errors.Unwrap(err); errors.As(inner, &one) || errors.As(inner, &several) {
		return toErrors(inner)
	}
	// One of the system's, whole: the path is in the outer part.
	return edit.Errors{{Code: edit.Internal, Err: err}}
}
