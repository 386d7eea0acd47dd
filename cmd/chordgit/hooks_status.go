package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/spf13/cobra"
)

func (a *app) hooksStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Tell which hooks are installed, and whether they work",
		Long: `Status tells for git and each agent whether chordgit's hooks are there, complete,
reached, and call a program that exists. The exit status is 0 if all that is
installed works.`,
		Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			answer := &hooksAnswer{Command: "hooks status"}
			history := a.historyOr(answer)
			if history != nil {
				defer history.Close()
				a.gitStatus(answer, history)
			}
			a.agentStatus(answer, history, nil)
			a.hooksChanged(answer)
			if name, place := a.userFile(); name != "" {
				if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o022 != 0 {
					answer.note("others may write %s, which says what is allowed (chmod go-w)", place)
				}
			}
			a.tellHooks(answer)
		},
	}
}

func (t *hookTarget) be(state, format string, args ...any) {
	t.State, t.Detail = state, fmt.Sprintf(format, args...)
	switch state {
	case "installed", "missing", "managed":
	default:
		t.bad = true
	}
}

// gitStatus looks at the hooks of the repository.
func (a *app) gitStatus(answer *hooksAnswer, h *gitops.History) {
	g := &gitInstaller{app: a, h: h, answer: answer, r: &hooksRequest{server: h.Bare()}}
	at, err := h.HooksDir()
	if err != nil {
		answer.fail(hookTarget{Target: "git"}, err)
		return
	}
	file, manager := "", ""
	if !h.Bare() {
		file, manager = h.HookManagers(hooks.Manager)
		if isHusky(at.Inside) {
			manager = "husky"
		}
	}
	configures := h.ConfiguresHooks()
	for _, event := range g.events() {
		t := hookTarget{Name: event}
		found, err := readHook(filepath.Join(at.Dir, event))
		own := hooks.ReadHookScript(event, found)
		configured := h.ConfiguredHook(hooks.HookName(event))
		switch {
		case configured != nil && configures && (configured.Command != "" || len(configured.Events) > 0):
			twice := ""
			if err == nil && found != nil && own.Kind != hooks.ScriptForeign {
				twice = filepath.Join(at.Dir, event)
			}
			g.configStatus(&t, configured, twice)
		case err != nil:
			t.be("foreign", "%s", oneLine(err))
		case found != nil && own.Kind != hooks.ScriptForeign:
			t.File = g.show(filepath.Join(at.Dir, event))
			g.ownStatus(&t, own, at.Dir)
		case manager != "":
			from := filepath.Join(h.Top(), file)
			if manager == "husky" {
				from = filepath.Join(strings.TrimSuffix(at.Dir, string(filepath.Separator)+"_"), event)
			}
			t.File = g.show(from)
			data, _ := os.ReadFile(from)
			if t.be("managed", "by %s, which calls chordgit", manager); !managedEntry.Match(data) {
				t.be("missing", "%s does not call chordgit: chordgit hooks install prints what to add", manager)
			}
		case at.Setting != "" && ownScript(filepath.Join(at.Default, event), event):
			t.be("shadowed", "core.hooksPath=%s", edit.Quote(at.Setting))
		case configured != nil && !configures:
			t.be("disabled", "this git is older than 2.54 and does not read hook.%s; run: chordgit hooks install --git", hooks.HookName(event))
		case found != nil:
			t.File = g.show(filepath.Join(at.Dir, event))
			t.be("missing", "somebody else's hook is there; run: chordgit hooks install --git")
		default:
			t.be("missing", "run: chordgit hooks install --git")
		}
		g.tell(t)
	}
	if !h.Bare() {
		answer.note("git commit --no-verify, git push --no-verify and CHORDGIT=0 skip these hooks: let a CI run chordgit policy check RANGE")
	}
}

// managedEntry is a line that calls us in the configuration of a program that
// manages hooks.
var managedEntry = regexp.MustCompile(`chordgit-policy|chordgit(\.exe)?['"]? hook `)

// ownStatus looks at a script of ours.
func (g *gitInstaller) ownStatus(t *hookTarget, own hooks.ScriptState, dir string) {
	prev := filepath.Join(dir, t.Name+hooks.PrevSuffix)
	info, err := os.Stat(filepath.Join(dir, t.Name))
	t.bin = own.Bin
	switch {
	case own.Kind == hooks.ScriptEdited:
		t.be("outdated", "somebody changed it, or another version wrote it; run: chordgit hooks install --git --force")
	case err == nil && info.Mode()&0o111 == 0:
		t.be("disabled", "the file is not executable")
	case !executable(own.Bin):
		t.be("wrong binary", "%s does not exist", edit.Quote(own.Bin))
	default:
		t.be("installed", "")
		if _, err := os.Stat(prev); err == nil {
			t.Detail = "chains " + filepath.Base(prev)
		}
	}
}

func executable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir() && (info.Mode()&0o111 != 0 || filepath.Separator == '\\')
}

// readHook reads a hook file, nil if there is none.
func readHook(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func ownScript(name, event string) bool {
	data, err := readHook(name)
	return err == nil && hooks.ReadHookScript(event, data).Kind != hooks.ScriptForeign
}

// historyOr opens the repository here. Without one it says so, for then only what is
// installed for all projects is looked at, and returns nil.
func (a *app) historyOr(answer *hooksAnswer) *gitops.History {
	history, err := gitops.OpenHistory(cmp.Or(a.dir, "."), a.repo)
	if err != nil {
		answer.note("git's hooks and those of a project were not looked at: %v", err)
		return nil
	}
	return history
}
