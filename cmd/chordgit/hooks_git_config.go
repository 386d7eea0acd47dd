package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// configure sets our hooks in the repository's own configuration, all or none. Git
// then runs them wherever the directory of hooks is, and the hooks there as well,
// none of which is touched but those of ours: an older git needed them.
func (g *gitInstaller) configure(at *gitops.Hooks) {
	var made []*configChange
	refused := g.editedScripts(at)
	for _, event := range g.events() {
		c := &configChange{event: event, name: hooks.HookName(event), command: hooks.HookCommand(event, g.bin, g.r.missing == "block"), state: "installed"}
		c.had = g.h.ConfiguredHook(c.name)
		if err := c.decide(g.r.force); err != nil {
			g.answer.fail(hookTarget{Target: "git", Name: event, File: g.show(g.h.ConfigFile())}, err)
			refused = true
		}
		made = append(made, c)
	}
	if refused {
		return
	}
	if !g.r.print {
		for i, c := range made {
			err := c.write(g.h)
			if err == nil {
				continue
			}
			for _, done := range made[:i+1] {
				done.undo(g.h)
			}
			g.answer.fail(hookTarget{Target: "git", Name: c.event, File: g.show(g.h.ConfigFile())}, err)
			return
		}
	}
	for _, c := range made {
		t := hookTarget{Name: c.event, State: c.state, File: g.show(g.h.ConfigFile()), Detail: "hook." + c.name}
		if g.r.print {
			t.State = "would be written"
			t.Text = "git config --local hook." + c.name + ".command " + hooks.ShellQuote(c.command) + "\ngit config --local hook." + c.name + ".event " + c.event
		} else if state, detail := g.runs(c.event); state != "" {
			t.be(state, "%s", detail)
		}
		g.tell(t)
	}
	// Only now: whoever dies before it has both, and is asked twice.
	for _, dir := range g.scriptDirs(at) {
		g.takeOut(dir)
	}
}

// editedScripts refuses where somebody changed a script of ours that is to go.
func (g *gitInstaller) editedScripts(at *gitops.Hooks) (found bool) {
	for _, dir := range g.scriptDirs(at) {
		for _, event := range g.events() {
			name := filepath.Join(dir, event)
			if text, err := readHook(name); err == nil && !g.r.force && hooks.ReadHookScript(event, text).Kind == hooks.ScriptEdited {
				g.answer.fail(hookTarget{Target: "git", Name: event, File: g.show(name)}, fmt.Errorf("somebody changed our script, which is to go: git's configuration runs the hook; --force removes it"))
				found = true
			}
		}
	}
	return found
}

// A configChange is what becomes of one hook in git's configuration.
type configChange struct {
	event, name, command string
	had                  *gitops.ConfiguredHook
	state                string
}

// decide finds out whether there is anything to write, and whether it may be.
func (c *configChange) decide(force bool) error {
	if c.had == nil {
		return nil
	}
	same := slices.Equal(c.had.Events, []string{c.event})
	switch {
	case same && c.had.Command == c.command:
		c.state = "up to date"
	case force || c.had.Command == "" && len(c.had.Events) == 0: // it is switched off or on, no more
	case hooks.ReadHookCommand(c.event, c.had.Command).Kind != hooks.ScriptOurs && c.had.Command != "":
		return fmt.Errorf("somebody changed hook.%s.command; --force writes it anew", c.name)
	case !same && len(c.had.Events) > 0:
		return fmt.Errorf("somebody changed hook.%s.event to %s; --force writes it anew", c.name, edit.Quote(fmt.Sprint(c.had.Events)))
	}
	return nil
}

func (c *configChange) write(h *gitops.History) error {
	if c.state == "up to date" {
		return nil
	}
	return h.ConfigureHook(c.name, c.event, c.command)
}

// undo takes out what write made. What was ours before and is newer now may stay.
func (c *configChange) undo(h *gitops.History) {
	if c.had == nil {
		_ = h.UnconfigureHook(c.name) // another error is told
	}
}

// runs is the state of a configured hook that git does not run, and why; empty if it
// runs it.
func (g *gitInstaller) runs(event string) (state, detail string) {
	runs, because, err := g.h.RunsHook(event, hooks.HookName(event))
	switch {
	case err != nil:
		return "does not work", oneLine(err)
	case !runs && because == "":
		return "disabled", "git hook list " + event + " does not name it"
	case !runs:
		return "disabled", edit.Quote(because)
	}
	return "", ""
}

// unconfigure takes what is ours out of the configuration: if somebody changed any of
// it, nothing, unless forced.
func (g *gitInstaller) unconfigure() {
	var all []hookTarget
	refused := false
	for _, event := range append(hooks.GitHooks(), hooks.ServerHooks()...) {
		name := hooks.HookName(event)
		had := g.h.ConfiguredHook(name)
		if had == nil {
			continue
		}
		t := hookTarget{Target: "git", Name: event, State: "removed", File: g.show(g.h.ConfigFile()), Detail: "hook." + name}
		if !g.r.force && had.Command != "" && hooks.ReadHookCommand(event, had.Command).Kind != hooks.ScriptOurs {
			g.answer.fail(t, fmt.Errorf("somebody changed hook.%s.command; --force removes it", name))
			refused = true
		}
		all = append(all, t)
	}
	if refused {
		return
	}
	for _, t := range all {
		if !g.r.print {
			if err := g.h.UnconfigureHook(hooks.HookName(t.Name)); err != nil {
				g.answer.fail(t, err)
				continue
			}
		}
		g.tell(t)
	}
}

// configStatus looks at a hook that the configuration names, which git runs.
func (g *gitInstaller) configStatus(t *hookTarget, had *gitops.ConfiguredHook, twice string) {
	name := hooks.HookName(t.Name)
	t.File = g.show(g.h.ConfigFile())
	own := hooks.ReadHookCommand(t.Name, had.Command)
	command, file, err := g.h.HookCommand(name)
	state, detail := g.runs(t.Name)
	switch {
	case err != nil:
		t.be("does not work", "%s", oneLine(err))
	case own.Kind == hooks.ScriptOurs && len(had.Events) == 0:
		t.be("partial", "hook.%s.event is not set; run: chordgit hooks install --git", name)
	case own.Kind != hooks.ScriptOurs || !slices.Equal(had.Events, []string{t.Name}):
		t.be("outdated", "somebody changed hook.%s, or another version wrote it; run: chordgit hooks install --git --force", name)
	case command != had.Command:
		t.be("shadowed", "hook.%s.command is set in %s, too", name, edit.Quote(file))
	case state != "":
		t.be(state, "%s", detail)
	case !executable(own.Bin):
		t.be("wrong binary", "%s does not exist", edit.Quote(own.Bin))
	case twice != "":
		t.be("installed", "hook.%s, and %s asks once more; run: chordgit hooks install --git", name, edit.Quote(g.show(twice)))
	default:
		t.be("installed", "hook.%s", name)
	}
	t.bin = own.Bin
}
