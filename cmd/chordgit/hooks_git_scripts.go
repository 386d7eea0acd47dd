package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks"
)

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
