package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/spf13/cobra"
)

// A hooksRequest is what the flags of install, uninstall and status select.
type hooksRequest struct {
	git, server          bool
	agents               []string
	user, project, local bool
	missing, binary      string
	strict, hideRefs     bool
	force, print         bool
}

func (a *app) hooksCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "Install what makes git and agents ask chordgit",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.hooksInstallCommand(), a.hooksUninstallCommand(), a.hooksStatusCommand())
	return cmd
}

func (r *hooksRequest) selectors(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&r.git, "git", false, "git's hooks of this repository")
	f.BoolVar(&r.server, "server", false, "the hook of a bare repository that others push to")
	f.StringSliceVar(&r.agents, "agent", nil, "the hooks of `AGENTS`: "+strings.Join(agentNames(), ", "))
	f.BoolVar(&r.user, "user", false, "agents' files of the user, for all repositories")
	f.BoolVar(&r.project, "project", false, "agents' files of this worktree, which are committed (the default)")
	f.BoolVar(&r.local, "local", false, "Claude Code's file of this worktree that is not committed")
	f.BoolVar(&r.force, "force", false, "also where somebody changed our script, or git tracks the directory")
	f.BoolVar(&r.print, "print", false, "print what would be written, write nothing")
	cmd.MarkFlagsMutuallyExclusive("user", "project", "local")
}

func agentNames() (names []string) {
	for _, f := range hooks.AgentFiles() {
		names = append(names, f.Agent)
	}
	return slices.Compact(names)
}

// take adds the agents that are named as arguments, and refuses unknown ones.
func (r *hooksRequest) take(args []string) error {
	r.agents = append(r.agents, args...)
	for _, name := range r.agents {
		if hooks.ByHand(name) != "" {
			continue
		}
		files := hooks.FilesOf(name)
		if len(files) == 0 {
			return fmt.Errorf("no agent %q: want %s", name, strings.Join(agentNames(), ", "))
		}
		if r.local && files[0].Local == "" {
			return fmt.Errorf("%s has no file that is not committed: use --user or --project", name)
		}
	}
	return nil
}

func (a *app) hooksInstallCommand() *cobra.Command {
	var r hooksRequest
	cmd := &cobra.Command{
		Use:   "install [AGENT…]",
		Short: "Install hooks: git's of this repository, or those of agents",
		Long: `Install makes git ask chordgit before a commit, a merge and a push, and agents
before and after they change files. Without a selection it installs git's hooks and
names the agents that it sees. Hooks of others stay and run first; a file that
cannot be changed without losing something is left alone, and what to add to it is
printed. A second time changes nothing.`,
		Example: `  chordgit hooks install
  chordgit hooks install claude codex
  chordgit hooks install --user --strict cursor
  chordgit hooks install --print --git`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := r.take(args); err != nil {
				return err
			}
			if r.missing != "warn" && r.missing != "block" {
				return fmt.Errorf("--missing: want warn or block, found %q", r.missing)
			}
			a.hooksInstall(&r)
			return nil
		},
	}
	r.selectors(cmd)
	f := cmd.Flags()
	f.StringVar(&r.missing, "missing", "warn", "what git's hooks do when the program is gone: warn or block (`WHAT`)")
	f.StringVar(&r.binary, "binary", "", "`PATH` of the program that hooks call (default: this one)")
	f.BoolVar(&r.strict, "strict", false, "agents that can shall refuse to work where the program is missing")
	f.BoolVar(&r.hideRefs, "hide-refs", false, "keep turns out of what others clone or fetch from here (uploadpack.hideRefs)")
	return cmd
}

func (a *app) hooksUninstallCommand() *cobra.Command {
	var r hooksRequest
	cmd := &cobra.Command{
		Use:   "uninstall [AGENT…]",
		Short: "Take out again what install put in, and nothing else",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := r.take(args); err != nil {
				return err
			}
			a.hooksUninstall(&r)
			return nil
		},
	}
	r.selectors(cmd)
	return cmd
}

// A hookTarget is what became, or is, of one place where hooks are.
type hookTarget struct {
	Target string `json:"target"`
	Name   string `json:"name"`
	State  string `json:"state"`
	File   string `json:"file,omitempty"`
	Detail string `json:"detail,omitempty"`
	Text   string `json:"text,omitempty"` // to add by hand, or that would be written
	bad    bool
	bin    string // the program that it calls, where that is known
}

// A hooksAnswer is what the command says.
type hooksAnswer struct {
	Command string       `json:"command"`
	Status  string       `json:"status"`
	Targets []hookTarget `json:"targets"`
	Notes   []note       `json:"notes"`
}

func (h *hooksAnswer) note(format string, args ...any) {
	h.Notes = append(h.Notes, note{Code: "hooks", Message: fmt.Sprintf(format, args...)})
}

// tellHooks writes the answer, and decides the exit status.
func (a *app) tellHooks(h *hooksAnswer) {
	h.Status = "ok"
	for _, t := range h.Targets {
		if t.bad {
			h.Status, a.code = failed, 1
		}
	}
	if h.Targets == nil {
		h.Targets = []hookTarget{}
	}
	if h.Notes == nil {
		h.Notes = []note{}
	}
	if a.json {
		a.writeJSON(h)
		return
	}
	for _, t := range h.Targets {
		if a.quiet && !t.bad {
			continue
		}
		detail := t.Detail
		if t.File != "" && detail != "" {
			detail = ", " + detail
		}
		fmt.Fprintln(a.stdout, strings.TrimRight(fmt.Sprintf("%-8s %-17s %-16s %s%s", t.Target, t.Name, t.State, edit.Quote(t.File), detail), " "))
		if t.Text != "" {
			fmt.Fprintln(a.stdout, strings.TrimRight("    "+strings.ReplaceAll(t.Text, "\n", "\n    "), " \n"))
		}
	}
	if !a.quiet {
		for _, n := range h.Notes {
			fmt.Fprintln(a.stdout, "Note: "+n.Message)
		}
	}
}

// fail adds what went wrong at a target.
func (h *hooksAnswer) fail(t hookTarget, err error) {
	t.State, t.bad, t.Detail = "refused", true, oneLine(err)
	h.Targets = append(h.Targets, t)
}

// program is the absolute path of this program as it was called: a link that a
// package manager keeps stays one, since what it leads to goes with an upgrade.
func (a *app) program(given string) (string, error) {
	name := given
	if name == "" {
		name = os.Args[0]
		if !strings.ContainsRune(name, filepath.Separator) {
			found, err := exec.LookPath(name)
			if err != nil {
				if found, err = os.Executable(); err != nil {
					return "", &edit.Error{Code: edit.Unreadable, Msg: "this program's path is not known; give --binary", Err: err}
				}
			}
			name = found
		}
	}
	abs, err := filepath.Abs(name)
	if err != nil || strings.ContainsAny(abs, "\r\n\x00") {
		return "", &edit.Error{Code: edit.Usage, Msg: fmt.Sprintf("no hook can call %s", edit.Quote(name)), Err: err}
	}
	if info, err := os.Stat(abs); err != nil || info.IsDir() {
		return "", &edit.Error{Code: edit.Usage, Msg: fmt.Sprintf("%s is no program", edit.Quote(abs)), Err: err}
	}
	return abs, nil
}

func (a *app) hooksInstall(r *hooksRequest) {
	answer := &hooksAnswer{Command: "hooks install"}
	defer a.tellHooks(answer)
	bin, err := a.program(r.binary)
	if err != nil {
		answer.fail(hookTarget{Target: "chordgit"}, err)
		return
	}
	plain := !r.git && !r.server && len(r.agents) == 0
	history, err := gitops.OpenHistory(cmp.Or(a.dir, "."), a.repo)
	if err != nil && (plain || r.git || r.server || !r.user || r.hideRefs) {
		answer.fail(hookTarget{Target: "git"}, err)
		return
	}
	if err == nil {
		defer history.Close()
		g := &gitInstaller{app: a, r: r, h: history, bin: bin, answer: answer}
		if r.git || r.server || plain {
			g.install()
		}
		if !history.Bare() {
			g.exclude(true)
		}
		if r.hideRefs {
			g.hide()
		}
	}
	for _, name := range r.agents {
		if text := hooks.ByHand(name); text != "" {
			answer.Targets = append(answer.Targets, hookTarget{Target: name, Name: r.where(), State: "refused", Detail: "its configuration is YAML, which is yours: add this to it", Text: text, bad: true})
			continue
		}
		a.installAgents(answer, hooks.FilesOf(name), r, bin, history)
	}
	if plain {
		a.suggestAgents(answer, history)
	}
}

// suggestAgents names the agents whose directories are there.
func (a *app) suggestAgents(answer *hooksAnswer, h *gitops.History) {
	home := a.getenv("HOME")
	for _, name := range agentNames() {
		f := hooks.FilesOf(name)[0]
		for _, user := range []bool{false, true} {
			dir := filepath.Dir(filepath.FromSlash(f.Path(user, false, h.Top(), home, a.getenv)))
			if f.Agent == "opencode" || f.Agent == "copilot" || f.Agent == "cline" {
				dir = filepath.Dir(dir)
			}
			if info, err := os.Stat(dir); err == nil && info.IsDir() && home != "" && dir != filepath.Join(h.Top(), ".github") {
				answer.note("%s is used here: chordgit hooks install %s%s", f.Agent, map[bool]string{true: "--user "}[user], f.Agent)
				break
			}
		}
	}
}

func (a *app) hooksUninstall(r *hooksRequest) {
	answer := &hooksAnswer{Command: "hooks uninstall"}
	defer a.tellHooks(answer)
	plain := !r.git && !r.server && len(r.agents) == 0
	history, err := gitops.OpenHistory(cmp.Or(a.dir, "."), a.repo)
	if err != nil && (plain || r.git || r.server || !r.user) {
		answer.fail(hookTarget{Target: "git"}, err)
		return
	}
	if err == nil {
		defer history.Close()
	}
	if r.git || r.server || plain {
		g := &gitInstaller{app: a, r: r, h: history, answer: answer}
		g.uninstall()
		if !history.Bare() {
			g.exclude(false)
		}
	}
	for _, name := range slices.Compact(r.agents) {
		if hooks.ByHand(name) != "" {
			answer.note("%s's configuration is yours: take chordgit's entries out of it by hand", name)
		}
		for _, f := range hooks.FilesOf(name) {
			a.uninstallAgent(answer, f, r, history)
		}
	}
}
