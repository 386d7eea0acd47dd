package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/chordgit/chordgit/patchapply"
)

// base is the agent's directory, absolute.
func (h *hookRun) base() string {
	if abs, err := filepath.Abs(h.dir); err == nil && !h.event.Windows {
		return abs
	}
	return h.dir
}

// given is the root of a repository as the agent spells it, where a link leads to
// it.
func (h *hookRun) given(repo *gitops.Repo) []string {
	rel, err := repo.CommandDir(h.dir)
	if err != nil {
		return nil
	}
	base := filepath.ToSlash(h.base())
	if rel == "." {
		return []string{base}
	}
	if root, ok := strings.CutSuffix(base, "/"+rel); ok && root != "" {
		return []string{root}
	}
	return nil
}

// absolute is where a name of the agent's leads, not followed.
func (h *hookRun) absolute(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(h.base(), filepath.FromSlash(name))
}

func within(repo *gitops.Repo, name string) bool {
	rel, err := filepath.Rel(repo.Top(), name)
	return err == nil && filepath.IsLocal(rel)
}

// others are the repositories, other than the agent's own, in which the tool's
// targets lie and which have a policy.
func (h *hookRun) others(repo *gitops.Repo) (list []*gitops.Repo) {
	seen := map[string]bool{repo.Top(): true}
	for _, name := range h.targets() {
		top := topOf(h.absolute(name))
		if top == "" || seen[top] {
			continue
		}
		seen[top] = true
		if !isFile(filepath.Join(top, hooks.ConfigName)) {
			continue
		}
		if other, err := h.openAt(top); err == nil {
			if seen[other.Top()] {
				other.Close()
				continue
			}
			seen[other.Top()] = true
			list = append(list, other)
		}
	}
	return list
}

// targets are the names that the tool gives.
func (h *hookRun) targets() (names []string) {
	ops, _ := h.event.Operations(nil) // a tool without any is told elsewhere
	if h.event.Tool == patchapply.KindShell {
		text, dir := h.event.Command()
		script := hooks.ReadShell(text, hooks.ShellOptions{Dir: dir})
		ops = append(script.Ops, script.Patches...)
	}
	for _, op := range ops {
		for _, name := range []string{op.Path, op.To} {
			if name != "" && !slices.Contains(names, name) && len(names) < 1000 {
				names = append(names, name)
			}
		}
	}
	return names
}

// topOf finds the worktree that holds a name, empty if none does.
func topOf(name string) string {
	for dir := filepath.Dir(filepath.Clean(name)); ; dir = filepath.Dir(dir) {
		if isFile(filepath.Join(dir, ".git")) {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// targetsRepo is the repository of the first target that lies in one.
func (h *hookRun) targetsRepo() (*gitops.Repo, error) {
	for _, name := range h.targets() {
		if top := topOf(h.absolute(name)); top != "" {
			return h.openAt(top)
		}
	}
	return h.openAt(h.dir)
}

// scratch are the directories outside of any repository in which agents work.
func (h *hookRun) scratch() (dirs []string) {
	candidates := []string{os.TempDir()}
	if h.event.Agent == "claude-code" {
		if home := h.getenv("HOME"); home != "" {
			candidates = append(candidates, filepath.Join(home, ".claude", "plans"))
			memories, _ := fs.Glob(os.DirFS(home), ".claude/projects/*/memory")
			for _, dir := range memories {
				candidates = append(candidates, filepath.Join(home, dir))
			}
		}
	}
	for _, dir := range append(candidates, "/tmp", "/var/tmp") {
		for _, d := range []string{dir, resolved(dir)} {
			if d != "" && filepath.IsAbs(d) {
				dirs = append(dirs, filepath.ToSlash(d))
			}
		}
	}
	return dirs
}

func resolved(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	return real
}

// never are files outside of the repository that no setting opens to agents: the
// user's own configuration, and what tells agents which hooks to run.
func (h *hookRun) never() (names []string) {
	if name, _ := h.userFile(); name != "" {
		names = append(names, filepath.ToSlash(name))
	}
	home := filepath.ToSlash(h.getenv("HOME"))
	for _, f := range hooks.AgentFiles() {
		names = append(names, f.Never(home, h.getenv)...)
	}
	if home != "" {
		names = append(names, path.Join(home, ".config/chordgit"))
	}
	return names
}
