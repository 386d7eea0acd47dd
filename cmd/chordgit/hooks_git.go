package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
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

func isHusky(dir string) bool {
	return dir == ".husky" || dir == ".husky/_" || strings.HasSuffix(dir, "/.husky") || strings.HasSuffix(dir, "/.husky/_")
}

// husky appends lines to the files that husky runs; those in its directory _ it
// writes anew itself.
func (g *gitInstaller) husky(at *gitops.Hooks) {
	if !g.r.force || g.r.print {
		g.tell(hookTarget{State: "managed", File: at.Inside, Detail: "add these lines, or --force does", Text: hooks.Stanza("husky")})
		return
	}
	g.huskyLines(at, func(text []byte, line string) []byte {
		if hasLine(text, line) {
			return text
		}
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			text = append(bytes.Clone(text), '\n')
		}
		return append(bytes.Clone(text), line+"\n"...)
	}, "installed")
}

func hasLine(text []byte, line string) bool {
	return slices.Contains(strings.Split(strings.ReplaceAll(string(text), "\r", ""), "\n"), line)
}

func (g *gitInstaller) huskyLines(at *gitops.Hooks, change func(text []byte, line string) []byte, state string) {
	dir := strings.TrimSuffix(at.Dir, string(filepath.Separator)+"_")
	for _, event := range hooks.GitHooks() {
		name := filepath.Join(dir, event)
		changed, err := g.app.rewrite(name, nil, func(old []byte) ([]byte, error) {
			made := change(old, hooks.HuskyLine(event))
			if len(made) == 0 && old != nil && len(old) > 0 {
				return nil, nil
			}
			return made, nil
		})
		t := hookTarget{Target: "git", Name: event, State: state, File: g.show(name)}
		switch {
		case err != nil:
			g.answer.fail(t, err)
		case changed:
			g.tell(t)
		default:
			t.State = "up to date"
			g.tell(t)
		}
	}
}

// show is a file's name as people read it: from the worktree's root on.
func (g *gitInstaller) show(name string) string {
	if rel, err := filepath.Rel(g.h.Top(), name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}

// scripts writes our scripts into a directory, all or none.
func (g *gitInstaller) scripts(dir string) {
	var copies, scripts []fileChange
	var made []*scriptChange
	for _, event := range g.events() {
		s := &scriptChange{event: event, script: hooks.HookScript(event, g.bin, g.r.missing == "block"), force: g.r.force, state: "installed"}
		made = append(made, s)
		copies = append(copies, fileChange{event, s.look}, fileChange{event + hooks.PrevSuffix, s.makePrev})
		scripts = append(scripts, fileChange{event, s.make})
	}
	if !g.r.print {
		// What was there is copied first, and for all hooks: whoever dies after it
		// leaves every hook that was there in its place.
		_, err := g.app.changeFiles(dir, copies...)
		if err == nil {
			_, err = g.app.changeFiles(dir, scripts...)
		}
		if err != nil {
			g.answer.fail(hookTarget{Target: "git"}, err)
			return
		}
	}
	for _, s := range made {
		t := hookTarget{Name: s.event, State: s.state, Detail: s.detail, File: g.show(filepath.Join(dir, s.event))}
		if g.r.print {
			t.State, t.Text = "would be written", string(s.script)
		}
		g.tell(t)
	}
}

// A scriptChange makes the script of one hook, and keeps the hook that was there.
type scriptChange struct {
	event  string
	script []byte
	force  bool
	state  string
	detail string
	prev   *edit.File // what has to go to the other name
	before *edit.File // that was decided about
	after  *edit.File
}

func (s *scriptChange) look(old *edit.File, umask fs.FileMode) (_ *edit.File, err error) {
	s.before = old
	s.after, err = s.decide(old, umask)
	return old, err
}

func (s *scriptChange) make(old *edit.File, _ fs.FileMode) (*edit.File, error) {
	if (old == nil) != (s.before == nil) || old != nil && (old.Mode != s.before.Mode || !bytes.Equal(old.Data, s.before.Data)) {
		return nil, errors.New("somebody else changed it meanwhile; try again")
	}
	if s.after == nil || old != nil && s.after.Mode == old.Mode && bytes.Equal(s.after.Data, old.Data) {
		return old, nil
	}
	return s.after, nil
}

func (s *scriptChange) decide(old *edit.File, umask fs.FileMode) (*edit.File, error) {
	made := &edit.File{Mode: 0o777 &^ umask, Data: s.script}
	if old == nil {
		return made, nil
	}
	state := hooks.ScriptState{Kind: hooks.ScriptForeign}
	if old.Regular() {
		state = hooks.ReadHookScript(s.event, old.Data)
	}
	switch {
	case state.Kind == hooks.ScriptForeign:
		s.prev = &edit.File{Mode: old.Mode, Data: old.Data}
		s.detail = "runs " + s.event + hooks.PrevSuffix + " first"
		if old.Regular() && old.Mode&0o111 == 0 {
			s.detail = "keeps " + s.event + hooks.PrevSuffix + ", which is not executable and is not run"
		}
		return made, nil
	case state.Kind == hooks.ScriptEdited && !s.force:
		return nil, errors.New("somebody changed our script; --force writes it anew")
	case bytes.Equal(old.Data, s.script) && old.Mode&0o111 != 0:
		s.state = "up to date"
		return old, nil
	}
	made.Mode = old.Mode | made.Mode&0o111
	return made, nil
}

func (s *scriptChange) makePrev(old *edit.File, _ fs.FileMode) (*edit.File, error) {
	switch {
	case s.prev == nil, old != nil && old.Mode == s.prev.Mode && bytes.Equal(old.Data, s.prev.Data):
		return old, nil // an install that was broken off left it
	case old != nil:
		return nil, fmt.Errorf("is there already, and %s is somebody else's: put one of them away", s.event)
	}
	return s.prev, nil
}

// uninstall takes our scripts out of every directory that has any, and puts back
// what was there before.
func (g *gitInstaller) uninstall() {
	at, err := g.h.HooksDir()
	if err != nil {
		g.answer.fail(hookTarget{Target: "git"}, err)
		return
	}
	if isHusky(at.Inside) {
		g.huskyLines(at, func(text []byte, line string) []byte {
			return []byte(strings.Replace(string(text), line+"\n", "", 1))
		}, "removed")
	}
	dirs := []string{at.Default}
	if at.Dir != at.Default && (at.Inside != "" || g.h.InGitDir(at.Dir)) {
		dirs = append(dirs, at.Dir)
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		g.takeOut(dir)
	}
	if file, manager := g.h.HookManagers(hooks.Manager); manager != "" {
		g.answer.note("%s is yours: take chordgit's entries out of it by hand", file)
	}
}

func (g *gitInstaller) takeOut(dir string) {
	var back, copies []fileChange
	var all []*scriptRemoval
	for _, event := range append(hooks.GitHooks(), hooks.ServerHooks()...) {
		s := &scriptRemoval{event: event, force: g.r.force}
		all = append(all, s)
		back = append(back, fileChange{event + hooks.PrevSuffix, s.look}, fileChange{event, s.remove})
		copies = append(copies, fileChange{event + hooks.PrevSuffix, s.removePrev})
	}
	if !g.r.print {
		_, err := g.app.changeFiles(dir, back...)
		if err == nil {
			_, err = g.app.changeFiles(dir, copies...)
		}
		if err != nil {
			g.answer.fail(hookTarget{Target: "git"}, err)
			return
		}
	}
	for _, s := range all {
		t := hookTarget{Name: s.event, State: "removed", File: g.show(filepath.Join(dir, s.event))}
		switch {
		case !s.ours:
			continue
		case s.prev != nil:
			t.State = "put back"
		}
		g.tell(t)
	}
}

// A scriptRemoval takes the script of one hook out, and puts back what was there.
type scriptRemoval struct {
	event string
	force bool
	ours  bool
	prev  *edit.File
}

func (s *scriptRemoval) look(old *edit.File, _ fs.FileMode) (*edit.File, error) {
	s.prev = old
	return old, nil
}

func (s *scriptRemoval) remove(old *edit.File, _ fs.FileMode) (*edit.File, error) {
	if !old.Regular() {
		return old, nil
	}
	switch hooks.ReadHookScript(s.event, old.Data).Kind {
	case hooks.ScriptForeign:
		// A removal that was broken off left the copy.
		s.ours = s.prev != nil && old.Mode == s.prev.Mode && bytes.Equal(old.Data, s.prev.Data)
		return old, nil
	case hooks.ScriptEdited:
		if !s.force {
			return nil, errors.New("somebody changed our script; --force removes it")
		}
	}
	if s.ours = true; s.prev == nil {
		return nil, nil
	}
	return &edit.File{Mode: s.prev.Mode, Data: s.prev.Data}, nil
}

func (s *scriptRemoval) removePrev(old *edit.File, _ fs.FileMode) (*edit.File, error) {
	if s.ours {
		return nil, nil
	}
	return old, nil
}

// excludePattern keeps the temporary files of a transaction out of a git add that
// runs beside it.
const excludePattern = ".chordgit-*.tmp"

// exclude puts that pattern into the repository's own list, once, or takes it out.
func (g *gitInstaller) exclude(in bool) {
	if g.r.print {
		return
	}
	_, err := g.app.rewrite(g.h.ExcludeFile(), nil, func(old []byte) ([]byte, error) {
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
