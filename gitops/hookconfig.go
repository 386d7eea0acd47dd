package gitops

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// A ConfiguredHook is a command that the repository's own configuration names
// (hook.NAME.command) and git 2.54 and newer run at events, before the file in the
// directory of hooks and wherever that is.
type ConfiguredHook struct {
	Command string   // the last that is set, which counts; empty: none
	Events  []string // as they are set
}

// ConfiguresHooks reports whether the git program here runs configured hooks.
func (h *History) ConfiguresHooks() bool {
	out, err := h.layout.Command("version").Output()
	var major, minor int
	if err == nil {
		_, err = fmt.Sscanf(string(out), "git version %d.%d", &major, &minor)
	}
	return err == nil && (major > 2 || major == 2 && minor >= 54)
}

// ConfiguredHook is what the repository's own configuration said of a hook when it
// was opened, nil if nothing.
func (h *History) ConfiguredHook(name string) *ConfiguredHook {
	i := slices.IndexFunc(h.layout.Config.Hooks, func(h repo.Hook) bool { return h.Name == name })
	if i < 0 {
		return nil
	}
	c := &ConfiguredHook{}
	for _, s := range h.layout.Config.Hooks[i].Settings {
		switch key, value, _ := strings.Cut(s, "="); key {
		case "command":
			c.Command = value
		case "event":
			c.Events = append(c.Events, value)
		}
	}
	return c
}

// ConfigFile is the file of the repository's own configuration.
func (h *History) ConfigFile() string { return filepath.Join(h.layout.CommonDir, "config") }

// ConfigureHook sets a hook in the repository's own configuration.
func (h *History) ConfigureHook(name, event, command string) error {
	// The event comes last: git refuses to go on where an event has no command.
	_, err := h.run(nil, "config", "--local", "--replace-all", "hook."+name+".command", command)
	if err == nil {
		_, err = h.run(nil, "config", "--local", "--replace-all", "hook."+name+".event", event)
	}
	return err
}

// UnconfigureHook takes all of a hook out of the repository's own configuration.
func (h *History) UnconfigureHook(name string) error {
	_, err := h.run(nil, "config", "--local", "--remove-section", "hook."+name)
	return err
}

// RunsHook asks git whether it runs a configured hook at an event, and if not, by
// which setting (empty: not known).
func (h *History) RunsHook(event, name string) (runs bool, because string, err error) {
	cmd := h.layout.Command("hook", "list", event)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1: there is none
		return false, "", &edit.Error{Code: edit.Unreadable, Msg: "git hook list: " + strings.TrimSpace(complaint.String()), Err: err}
	}
	// A hook that is switched off has a word before its name, or no line.
	if slices.Contains(strings.Split(string(out), "\n"), name) {
		return true, "", nil
	}
	for _, of := range []string{name, event} {
		value, _, err := h.layout.UserSetting("hook." + of + ".enabled")
		if err != nil {
			return false, "", trouble(edit.Unreadable, "hook."+of+".enabled cannot be read", err)
		}
		if value != "" {
			return false, "hook." + of + ".enabled=" + value, nil
		}
	}
	return false, "", nil
}

// HookCommand is the command of a configured hook that counts, whoever set it, and
// the file in which it stands.
func (h *History) HookCommand(name string) (command, file string, err error) {
	command, file, err = h.layout.UserSetting("hook." + name + ".command")
	if err != nil {
		err = trouble(edit.Unreadable, "hook."+name+".command cannot be read", err)
	}
	return command, file, err
}

// HookPrints are fingerprints of the hooks that the repository's own configuration
// names, by hook.NAME.
func (r *Repo) HookPrints() map[string]string {
	prints := map[string]string{}
	for _, h := range r.layout.Config.Hooks {
		sum := sha256.Sum256([]byte(strings.Join(h.Settings, "\x00")))
		prints["hook."+h.Name] = hex.EncodeToString(sum[:])
	}
	return prints
}
