package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// A gitInstaller puts git's hooks into a repository, and takes them out.
type gitInstaller struct {
	app    *app
	r      *hooksRequest
	h      *gitops.History
	bin    string
	answer *hooksAnswer
}

// events are the hooks that are selected.
func (g *gitInstaller) events() []string {
	if g.r.server {
		return hooks.ServerHooks()
	}
	return hooks.GitHooks()
}

func (g *gitInstaller) tell(t hookTarget) {
	t.Target = "git"
	g.answer.Targets = append(g.answer.Targets, t)
}

// refuse says why nothing was written, and what to do instead.
func (g *gitInstaller) refuse(text, format string, args ...any) {
	g.tell(hookTarget{State: "refused", Detail: fmt.Sprintf(format, args...), Text: text, bad: true})
}

// install decides which way hooks come into this repository; the first that fits.
func (g *gitInstaller) install() {
	switch {
	case g.h.Bare() && !g.r.server:
		g.refuse("", "the repository is bare: nobody commits here; chordgit hooks install --server judges what is pushed to it")
		return
	case g.r.server && !g.h.Bare():
		g.refuse("", "--server is for a bare repository that others push to")
		return
	}
	if !g.h.Bare() {
		if file, manager := g.h.HookManagers(hooks.Manager); manager != "" {
			g.tell(hookTarget{State: "managed", File: file, Detail: "add this to it", Text: hooks.Stanza(manager)})
			return
		}
	}
	at, err := g.h.HooksDir()
	if err != nil {
		g.answer.fail(hookTarget{Target: "git"}, err)
		return
	}
	if !isHusky(at.Inside) && g.h.ConfiguresHooks() {
		g.configure(at)
		return
	}
	setting := "core.hooksPath=" + edit.Quote(at.Setting)
	switch {
	case at.Setting == "":
		g.scripts(at.Default)
	case isHusky(at.Inside):
		g.husky(at)
	case g.h.InGitDir(at.Dir):
		g.scripts(at.Dir)
	case !at.Own || at.Inside == "":
		g.refuse("", "%s is not this repository's alone. Three ways: add chordgit hook NAME \"$@\" to the hooks there; set core.hooksPath for this repository (git config core.hooksPath %s); or check in CI alone (chordgit policy check RANGE)", setting, hooks.ShellQuote(at.Default))
	case at.Tracked && !g.r.force:
		text := ""
		for _, event := range g.events() {
			text += at.Inside + "/" + event + ":\n  " + hooks.HuskyLine(event) + "\n"
		}
		g.refuse(text, "git tracks %s (%s): add these lines, or --force writes scripts there", edit.Quote(at.Inside), setting)
	default:
		g.scripts(at.Dir)
	}
}

// show is a file's name as people read it: from the worktree's root on.
func (g *gitInstaller) show(name string) string {
	if rel, err := filepath.Rel(g.h.Top(), name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}

// uninstall takes what is ours out of the configuration, and our scripts out of every
// directory that has any, where it puts back what was there before.
func (g *gitInstaller) uninstall() {
	at, err := g.h.HooksDir()
	if err != nil {
		g.answer.fail(hookTarget{Target: "git"}, err)
		return
	}
	if isHusky(at.Inside) {
		g.huskyLines(at, func(event string, text []byte) []byte {
			return []byte(strings.Replace(string(text), hooks.HuskyLine(event)+"\n", "", 1))
		}, "removed")
	}
	g.unconfigure()
	for _, dir := range g.scriptDirs(at) {
		g.takeOut(dir)
	}
	if file, manager := g.h.HookManagers(hooks.Manager); manager != "" {
		g.answer.note("%s is yours: take chordgit's entries out of it by hand", file)
	}
}

// scriptDirs are the directories that may have scripts of ours.
func (g *gitInstaller) scriptDirs(at *gitops.Hooks) []string {
	dirs := []string{at.Default}
	if at.Dir != at.Default && (at.Inside != "" || g.h.InGitDir(at.Dir)) {
		dirs = append(dirs, at.Dir)
	}
	return slices.DeleteFunc(dirs, func(dir string) bool {
		info, err := os.Stat(dir)
		return err != nil || !info.IsDir()
	})
}

// excludePattern keeps the temporary files of a transaction out of a git add that
// runs beside it.
const excludePattern = ".chordgit-*.tmp"

// exclude puts that pattern into the repository's own list, once, or takes it out.
func (g *gitInstaller) exclude(in bool) {
	if g.r.print {
		return
	}
	_, err := g.app.rewrite(g.h.ExcludeFile(), 0o666, nil, func(old []byte) ([]byte, error) {
		has := hasLine(old, excludePattern)
		switch {
		case in && !has:
			made := bytes.Clone(old)
			if len(made) > 0 && !bytes.HasSuffix(made, []byte("\n")) {
				made = append(made, '\n')
			}
			return append(made, excludePattern+"\n"...), nil
		case !in && has:
			var kept []byte
			for line := range bytes.Lines(old) {
				if string(bytes.TrimRight(line, "\r\n")) != excludePattern {
					kept = append(kept, line...)
				}
			}
			return append([]byte{}, kept...), nil
		}
		return old, nil
	})
	if err != nil {
		g.answer.fail(hookTarget{Target: "git", Name: "info/exclude"}, err)
	}
}

// hide keeps turns from those who clone or fetch from here.
func (g *gitInstaller) hide() {
	if g.r.print {
		g.tell(hookTarget{Name: "hide-refs", State: "would be written", Text: "git config --local --add uploadpack.hideRefs refs/chordgit"})
		return
	}
	fresh, err := g.h.HideTurns()
	t := hookTarget{Target: "git", Name: "hide-refs", State: "up to date", Detail: "uploadpack.hideRefs=refs/chordgit"}
	if fresh {
		t.State = "installed"
	}
	if err != nil {
		g.answer.fail(t, err)
		return
	}
	g.tell(t)
}
