package main

import (
	"os"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// An agentHook is what was installed for an agent in one file.
type agentHook struct {
	file *hooks.AgentFile
	in   hooks.Installation
	name string // of the file
}

// agentStatus looks at the files of all agents; those that are not there are not
// mentioned. try is given each that is installed, nil: nobody tries it.
func (a *app) agentStatus(answer *hooksAnswer, h *gitops.History, try func(agentHook, *hookTarget)) {
	bin, err := a.program("")
	if err != nil {
		bin = "chordgit"
	}
	for _, f := range hooks.AgentFiles() {
		for _, r := range []hooksRequest{{}, {local: true}, {user: true}} {
			if r.local && f.Local == "" {
				continue
			}
			name, err := a.agentPath(f, &r, h)
			if err != nil {
				continue
			}
			t := hookTarget{Target: f.Agent, Name: r.where(), File: a.shorten(name, h)}
			old, err := readHook(name)
			if err == nil && old == nil {
				continue
			}
			if err != nil {
				answer.fail(t, err)
				continue
			}
			hook := agentHook{f, hooks.Installation{User: r.user || r.local, Bin: bin}, name}
			if !hook.look(&t, old) {
				continue
			}
			if t.State == "installed" {
				a.trusted(&hook, &t, old)
			}
			switch {
			case t.State != "installed" || try == nil:
			case r.local && hook.in.Bin != bin:
				t.Detail = "not tried: it calls " + edit.Quote(hook.in.Bin) // the repository may say that
			default:
				try(hook, &t)
			}
			answer.Targets = append(answer.Targets, t)
		}
	}
}

// trusted tells whether the agent runs what is installed, where its own settings say
// that.
func (a *app) trusted(h *agentHook, t *hookTarget, old []byte) {
	name := h.file.TrustFile(filepath.ToSlash(a.getenv("HOME")), a.getenv)
	if name == "" {
		return
	}
	settings, err := readHook(filepath.FromSlash(name))
	if err != nil || settings == nil {
		return // nothing can be told
	}
	file, _ := os.Stat(h.name)
	trust := h.file.Trust(old, settings, func(name string) bool {
		if name == h.name {
			return true
		}
		info, err := os.Stat(name)
		return err == nil && os.SameFile(info, file)
	})
	switch {
	case trust.Off != "":
		t.be("disabled", "%s in %s", edit.Quote(trust.Off), edit.Quote(filepath.Base(name)))
	case trust.All == 0 || trust.Trusted == trust.All:
	case trust.Changed == trust.All:
		// Another version may take the hash of something else.
		t.Detail = "trusted, but maybe not as it is now: /hooks in Codex tells"
	default:
		t.be("not trusted yet", "%d of %d; run /hooks in Codex", trust.All-trust.Trusted, trust.All)
	}
}

// look tells what the file holds; false: nothing of ours.
func (h *agentHook) look(t *hookTarget, old []byte) bool {
	f, user := h.file, map[bool]string{true: "--user "}[t.Name == "user"]
	have, want, commands, err := f.Installed(old, h.in)
	other := h.in // it may have been installed by another path of this program
	if bin := f.Program(old); h.in.User && executable(bin) {
		other.Bin = bin
	}
	for _, in := range []hooks.Installation{other, {User: h.in.User, Bin: h.in.Bin, Strict: true}, {User: h.in.User, Bin: other.Bin, Strict: true}} {
		if n, _, _, _ := f.Installed(old, in); n > have {
			have, h.in = n, in
		}
	}
	gone := ""
	for _, c := range commands {
		if b := hooks.ProgramOf(c); filepath.IsAbs(b) && !executable(b) {
			gone = b
		}
	}
	switch {
	case err != nil && !hooks.CallsUs(old):
		return false
	case err != nil:
		t.be("disabled", "%s", oneLine(err))
	case gone != "":
		t.be("wrong binary", "%s does not exist", edit.Quote(gone))
	case have == 0 && len(commands) == 0:
		return false
	case have == 0:
		t.be("outdated", "run: chordgit hooks install %s--agent %s", user, f.Agent)
	case have < want:
		t.be("partial", "%d of %d; run: chordgit hooks install %s--agent %s", have, want, user, f.Agent)
	case f.Executable && !executable(h.name):
		t.be("disabled", "the file is not executable")
	case f.Disabled(old):
		t.be("disabled", "the file switches all hooks off")
	default:
		t.be("installed", "")
	}
	return true
}
