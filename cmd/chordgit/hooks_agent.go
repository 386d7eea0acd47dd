package main

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// agentPath is the file of an agent that a request means.
func (a *app) agentPath(f *hooks.AgentFile, r *hooksRequest, h *gitops.History) (string, error) {
	root, home := "", a.getenv("HOME")
	switch {
	case r.user && home == "" && a.getenv(f.Env) == "":
		return "", &edit.Error{Code: edit.Usage, Msg: "HOME is not set: the user's files cannot be found"}
	case !r.user && (h == nil || h.Bare()):
		return "", &edit.Error{Code: gitops.NotARepository, Msg: "there is no worktree here: use --user"}
	case h != nil:
		root = h.Top()
	}
	return filepath.FromSlash(f.Path(r.user, r.local, filepath.ToSlash(root), filepath.ToSlash(home), a.getenv)), nil
}

func (r *hooksRequest) where() string {
	switch {
	case r.user:
		return "user"
	case r.local:
		return "local"
	}
	return "project"
}

// installAgents puts our entries into all files of an agent, or into none.
func (a *app) installAgents(answer *hooksAnswer, files []*hooks.AgentFile, r *hooksRequest, bin string, h *gitops.History) {
	if len(files) > 1 && !r.print {
		trial, tried := *r, &hooksAnswer{}
		trial.print = true
		for _, f := range files {
			a.installAgent(tried, f, &trial, bin, h)
		}
		tried.Targets = slices.DeleteFunc(tried.Targets, func(t hookTarget) bool { return !t.bad })
		if answer.Targets = append(answer.Targets, tried.Targets...); len(tried.Targets) > 0 {
			return
		}
	}
	for _, f := range files {
		a.installAgent(answer, f, r, bin, h)
	}
}

// installAgent puts our entries into an agent's file, or says what to add to it.
func (a *app) installAgent(answer *hooksAnswer, f *hooks.AgentFile, r *hooksRequest, bin string, h *gitops.History) {
	t := hookTarget{Target: f.Agent, Name: r.where(), State: "installed"}
	name, err := a.agentPath(f, r, h)
	if err != nil {
		answer.fail(t, err)
		return
	}
	// What is not committed is the user's own, and names the program by its path.
	in := hooks.Installation{User: r.user || r.local, Bin: bin, Strict: r.strict}
	t.File = a.shorten(name, h)
	refuse := func(err error) {
		t.Text = "add this to it:\n" + string(f.Snippet(in))
		answer.fail(t, err)
	}
	if f.Agent == "codex" {
		if err := codexTOML(filepath.Join(filepath.Dir(name), "config.toml")); err != nil {
			refuse(err)
			return
		}
	}
	if r.print {
		var old []byte
		if old, err = os.ReadFile(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			answer.fail(t, &edit.Error{Code: edit.Unreadable, Err: err})
			return
		}
		made, err := f.Install(old, in)
		if err != nil {
			refuse(err)
			return
		}
		t.State, t.Text = "would be written", string(made)
		answer.Targets = append(answer.Targets, t)
		return
	}
	theirs := func(old []byte) bool {
		left, err := f.Uninstall(old)
		return err != nil || left != nil
	}
	mode := fs.FileMode(0o666)
	if f.Executable {
		mode = 0o777
	}
	changed, err := a.rewrite(name, mode, theirs, func(old []byte) ([]byte, error) { return f.Install(old, in) })
	switch {
	case errors.Is(err, &edit.Error{Code: hooks.CannotMerge}):
		refuse(err)
		return
	case err != nil:
		answer.fail(t, err)
		return
	case !changed:
		t.State = "up to date"
	case f.After != "":
		answer.note("%s", f.After)
	}
	answer.Targets = append(answer.Targets, t)
}

// codexTOML refuses where Codex has hooks in its other file: with both it runs
// neither without a warning.
func codexTOML(name string) error {
	data, err := readHook(name)
	if err != nil {
		return &edit.Error{Code: edit.Unreadable, Path: name, Err: err}
	}
	switch named, err := hooks.NamesHooks(data); {
	case err != nil:
		return &edit.Error{Code: hooks.CannotMerge, Path: name, Msg: "Codex itself cannot read it", Err: err}
	case named:
		return &edit.Error{Code: hooks.CannotMerge, Msg: "config.toml beside it has hooks already; a file of each kind is too many: add these there"}
	}
	return nil
}

func (a *app) uninstallAgent(answer *hooksAnswer, f *hooks.AgentFile, r *hooksRequest, h *gitops.History) {
	t := hookTarget{Target: f.Agent, Name: r.where(), State: "removed"}
	name, err := a.agentPath(f, r, h)
	if err != nil {
		answer.fail(t, err)
		return
	}
	t.File = a.shorten(name, h)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		t.State = "missing"
		answer.Targets = append(answer.Targets, t)
		return
	}
	_, err = os.Lstat(name + backupSuffix)
	theirs := err == nil // the file was there before ours
	changed, err := a.rewrite(name, 0o666, nil, func(old []byte) ([]byte, error) {
		left, err := f.Uninstall(old)
		if err == nil && left == nil && theirs {
			left = []byte("{}\n")
		}
		return left, err
	})
	switch {
	case err != nil:
		answer.fail(t, err)
		return
	case !changed:
		t.State = "missing"
	}
	answer.Targets = append(answer.Targets, t)
}

// shorten is a file's name as people read it.
func (a *app) shorten(name string, h *gitops.History) string {
	if h != nil {
		if rel, err := filepath.Rel(h.Top(), name); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	if home := a.getenv("HOME"); home != "" {
		if rel, err := filepath.Rel(home, name); err == nil && filepath.IsLocal(rel) {
			return path.Join("~", filepath.ToSlash(rel))
		}
	}
	return name
}
