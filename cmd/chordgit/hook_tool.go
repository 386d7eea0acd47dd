package main

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/chordgit/chordgit/patchapply"
)

// pre decides about a tool that is about to run. Of the repository it reads the
// session's state and what stands at the names, nothing else, if a turn is open;
// otherwise one is opened once the verdict stands.
func (h *hookRun) pre(ctx context.Context, repo *gitops.Repo) {
	e := h.event
	state, err := repo.Session(h.session())
	if err != nil {
		h.undecided(err)
		return
	}
	var ans hooks.Answer
	var notes []string
	if e.Writes() {
		if ans, err = h.decide(repo, state); err != nil && !h.mild {
			h.undecided(err)
			return
		}
		if err != nil {
			notes = append(notes, "chordgit: nothing was decided: "+edit.Quote(err.Error()))
		}
	}
	if runs := ans.Verdict == hooks.Allow || ans.Verdict == hooks.Ask && e.Asks(); runs && e.Writes() && state.Open == 0 {
		ctx, cancel := context.WithTimeout(ctx, lateTime)
		defer cancel()
		// Neither its failure nor its deadline changes the verdict.
		more, err := h.open(ctx, repo, lateTime, false)
		if notes = append(notes, more...); err != nil {
			notes = append(notes, "chordgit: this turn cannot be taken back: "+edit.Quote(err.Error()))
		}
	}
	if ans.Verdict == hooks.Allow || ans.Verdict == hooks.Ask && e.Asks() {
		if err := h.log(repo, false); err != nil {
			notes = append(notes, "chordgit: "+edit.Quote(err.Error()))
		}
	}
	if ans.Note != "" {
		notes = append(notes, ans.Note)
	}
	ans.Note = strings.Join(append(h.repairs, notes...), "\n")
	h.answer(ans)
}

// decide asks policy about all that the tool is about to do.
func (h *hookRun) decide(repo *gitops.Repo, state gitops.SessionState) (hooks.Answer, error) {
	found, notes, mild, err := h.judgeIn(repo, state)
	h.mild = h.mild || mild
	for _, other := range h.others(repo) {
		more, _, _, err2 := h.judgeIn(other, gitops.SessionState{})
		// What lies in the other repository is that one's to judge.
		found = slices.DeleteFunc(found, func(f hooks.Finding) bool {
			return f.Class == hooks.ClassOutside && within(other, h.absolute(f.Path))
		})
		found = append(found, slices.DeleteFunc(more, func(f hooks.Finding) bool { return f.Class == hooks.ClassOutside })...)
		err = errors.Join(err, err2)
		other.Close()
	}
	ans := hooks.Answer{Verdict: hooks.Strictest(found), Text: hooks.Refusal(found), Findings: found, Note: strings.Join(notes, "\n")}
	if err != nil && ans.Verdict == hooks.Deny {
		err = nil // it is denied already
	}
	return ans, err
}

// judgeIn asks the policy of one repository.
func (h *hookRun) judgeIn(repo *gitops.Repo, state gitops.SessionState) (found []hooks.Finding, notes []string, mild bool, err error) {
	start := factsOf(state).Start
	var layers []hooks.Layer
	if state.Open > 0 {
		layers, err = h.turnLayers(repo, state.Open, start)
	} else {
		var files []*hooks.Config
		h.files = nil // of another repository
		if files, err = h.layers(repo); err == nil {
			layers, err = h.policyLayers(repo, files)
		}
	}
	if err != nil {
		return nil, nil, false, err
	}
	settings := hooks.MergeHooks(layers...)
	tree := hookTree{policyTree: policyTree{repo.Tree(), repo}, until: time.Now().Add(walkTime)}
	if start != nil && start.Turn == state.Open && state.Open > 0 {
		tree.gitlinks, tree.known = start.Gitlinks, true
	}
	s := site(repo, filepath.ToSlash(h.base()))
	s.Tree, s.Outside = &tree, settings.Outside
	s.Scratch, s.Never = h.scratch(), h.never()
	s.Roots = append(s.Roots, h.given(repo)...)
	policy := hooks.NewPolicy(s, layers...)
	found, notes, err = h.event.Judge(policy, settings, func(name string) (bool, bool) {
		fi, err := os.Stat(h.absolute(name))
		return err == nil && !fi.IsDir(), err == nil && fi.IsDir()
	})
	return found, notes, settings.OnError == "allow", err
}

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
			memories, _ := filepath.Glob(filepath.Join(home, ".claude", "projects", "*", "memory"))
			candidates = append(candidates, memories...)
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

const (
	walkMost = 50_000 // entries of a directory that is removed
	walkTime = 200 * time.Millisecond
)

// A hookTree is the worktree as a hook looks at it: the submodules are known from
// the turn's begin, and it does not walk for long.
type hookTree struct {
	policyTree
	gitlinks []string
	known    bool
	until    time.Time
}

func (t *hookTree) Gitlinks() ([]string, error) {
	if t.known {
		return t.gitlinks, nil
	}
	return t.policyTree.Gitlinks()
}

var errTooMuch = errors.New("there is too much in it to look at in time")

func (t *hookTree) Walk(dir string, visit func(string) error) error {
	t.until = time.Now().Add(walkTime)
	n := 0
	return t.policyTree.Walk(dir, func(name string) error {
		if n++; n > walkMost || time.Now().After(t.until) {
			return errTooMuch
		}
		return visit(name)
	})
}

// post notes that a tool has run. It never opens a turn.
func (h *hookRun) post(ctx context.Context, repo *gitops.Repo) {
	ans := hooks.Answer{}
	state, err := repo.Session(h.session())
	if err == nil && state.Open > 0 {
		err = h.log(repo, true)
	}
	if err != nil {
		ans.Note = "chordgit: " + edit.Quote(err.Error())
	}
	ans.Context = h.context(ctx, repo)
	h.answer(ans)
}

// log appends a call to the session's log.
func (h *hookRun) log(repo *gitops.Repo, ended bool) error {
	e := h.event
	c := gitops.Call{ID: e.Call, Tool: e.Called, Kind: gitops.CallOther, Reads: e.Reads()}
	switch {
	case e.Tool == patchapply.KindShell:
		c.Kind = gitops.CallShell
	case e.MCP: // what else it writes nobody can tell
	case e.Tool == patchapply.KindRead:
		c.Kind = gitops.CallRead
	case e.Writes():
		c.Kind = gitops.CallEdit
	}
	if c.Kind == gitops.CallEdit || c.Kind == gitops.CallRead {
		if c.Kind == gitops.CallRead && !ended {
			return nil // its end says all
		}
		s := site(repo, filepath.ToSlash(h.base()))
		s.Tree = planTree{policyTree{repo.Tree(), repo}}
		s.Roots = append(s.Roots, h.given(repo)...)
		policy := hooks.NewPolicy(s)
		for _, name := range h.targets() {
			for _, n := range policy.Names(hooks.Operation{Path: name}) {
				if !slices.Contains(c.Paths, n) {
					c.Paths = append(c.Paths, n)
				}
			}
		}
		if len(c.Paths) == 0 && c.Kind == gitops.CallEdit {
			c.Kind = gitops.CallOther
		}
	}
	return repo.LogCall(h.session(), c, ended)
}
