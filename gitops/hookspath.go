package gitops

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// Hooks says where git looks for hooks.
type Hooks struct {
	Default string // the directory of the repository itself, which all worktrees share
	Dir     string // where git looks: absolute, core.hooksPath or Default
	Setting string // core.hooksPath as written; empty: not set
	Own     bool   // it was set in the repository's own configuration
	// Inside is Dir relative to the worktree's root, with slashes; empty if it is
	// not inside.
	Inside  string
	Tracked bool // git tracks files in it
}

// HooksDir finds out where git looks for hooks.
func (h *History) HooksDir() (*Hooks, error) {
	l := h.layout
	at := &Hooks{Default: filepath.Join(l.CommonDir, "hooks")}
	at.Dir = at.Default
	value, origin, err := l.UserSetting("core.hooksPath")
	if err != nil {
		return nil, trouble(edit.Unreadable, "core.hooksPath cannot be read", err)
	}
	if value == "" {
		return at, nil
	}
	at.Setting = value
	if at.Dir = filepath.FromSlash(value); !filepath.IsAbs(at.Dir) {
		at.Dir = filepath.Join(l.Top, at.Dir)
	}
	at.Dir = real(at.Dir)
	at.Own = origin != "" && within(real(origin), l.CommonDir)
	if at.Dir == real(at.Default) {
		at.Setting = ""
		return at, nil
	}
	if !l.Config.Bare && within(at.Dir, l.Top) && !within(at.Dir, l.CommonDir) {
		rel, _ := filepath.Rel(l.Top, at.Dir)
		at.Inside = filepath.ToSlash(rel)
		index, err := h.IndexTree()
		if err != nil {
			return nil, err
		}
		f, err := index.Lookup(at.Inside)
		if err != nil {
			return nil, err
		}
		at.Tracked = f != nil
	}
	return at, nil
}

// InGitDir reports whether a file of the system lies in the git directory.
func (h *History) InGitDir(name string) bool { return within(real(name), h.layout.CommonDir) }

// real follows links as far as the name exists.
func real(name string) string {
	for at, rest := name, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if resolved, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(resolved, rest)
		}
		if at == filepath.Dir(at) {
			return name
		}
	}
}

func within(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// ExcludeFile is the file of patterns that git ignores in this repository alone.
func (h *History) ExcludeFile() string { return filepath.Join(h.layout.CommonDir, "info", "exclude") }

// HideTurns tells git to offer nobody the turns who clones or fetches from here.
// It reports whether that is new.
func (h *History) HideTurns() (bool, error) {
	const key, value = "uploadpack.hideRefs", "refs/chordgit"
	out, err := h.layout.Command("config", "--local", "-z", "--get-all", key).Output()
	if err == nil {
		for v := range bytes.SplitSeq(out, []byte{0}) {
			if string(v) == value {
				return false, nil
			}
		}
	}
	_, err = h.run(nil, "config", "--local", "--add", key, value)
	return err == nil, err
}

// HookManagers are the files in the worktree's root, and in .config, by whose
// names a program that manages hooks is known (named).
func (h *History) HookManagers(named func(file string) string) (file, manager string) {
	for _, dir := range []string{"", ".config"} {
		entries, err := os.ReadDir(filepath.Join(h.layout.Top, dir))
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := strings.TrimPrefix(dir+"/"+e.Name(), "/")
			if m := named(name); m != "" {
				return name, m
			}
		}
	}
	return "", ""
}
