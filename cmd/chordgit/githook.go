package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/spf13/cobra"
)

// gitHookCommands are the hooks that git runs. They exit with 0 or 1.
func (a *app) gitHookCommands() []*cobra.Command {
	hook := func(name, short string, args cobra.PositionalArgs, run func(args []string) error) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: short, Args: args,
			RunE: func(_ *cobra.Command, args []string) error {
				a.gitHook(name, func() error { return run(args) })
				return nil
			},
		}
	}
	return []*cobra.Command{
		hook("pre-commit", "Judge what is about to be committed", cobra.ArbitraryArgs, func([]string) error { return a.preCommit(false) }),
		hook("pre-merge-commit", "Judge the commit of a merge", cobra.ArbitraryArgs, func([]string) error { return a.preCommit(true) }),
		hook("pre-push REMOTE [URL]", "Judge the commits that are pushed, and keep turns here", cobra.ArbitraryArgs, a.prePush),
		hook("pre-receive", "Judge the commits that a server receives", cobra.NoArgs, func([]string) error { return a.preReceive() }),
		hook("update REF OLD NEW", "Judge the commits that a server receives for one ref", cobra.ExactArgs(3), a.update),
	}
}

// errRefused says that everything was said on standard error.
var errRefused = errors.New("refused")

// gitHook runs a hook and says what it has to say as git shows it: on standard
// error.
func (a *app) gitHook(name string, run func() error) {
	name, _, _ = strings.Cut(name, " ")
	if a.getenv("CHORDGIT") == "0" {
		fmt.Fprintf(a.stderr, "chordgit: %s check skipped (CHORDGIT=0)\n", name)
		return
	}
	err := run()
	if err == nil {
		return
	}
	a.code = 1
	if errors.Is(err, errRefused) {
		return
	}
	for _, e := range toErrors(err) {
		fmt.Fprintf(a.stderr, "chordgit: %s: %s\n", name, edit.Quote(e.Error()))
	}
}

// inHook are the options for the repository that git runs a hook for.
func (a *app) inHook() gitops.Options {
	opt := a.repo
	opt.InHook = true
	return opt
}

// hookDir is where git started the hook.
func (a *app) hookDir() string {
	if a.dir != "" {
		return a.dir
	}
	return "."
}

func (a *app) userLayer() (hooks.Layer, error) {
	_, place := a.userFile()
	config, err := a.userConfig()
	return hooks.Layer{Name: "user", Place: place, Config: config}, err
}

// preCommit judges the index against the parents that the commit will have.
func (a *app) preCommit(merge bool) error {
	repo, err := gitops.Open(a.hookDir(), a.inHook())
	if err != nil {
		return err
	}
	defer repo.Close()
	k := &commitCheck{history: repo.History(), evidence: repo.Evidence(), agent: a.agent(), site: site(repo, ""), decoded: map[string]decoded{}}
	if k.agent == "" && a.getenv("CHORDGIT_SESSION") != "" {
		k.agent = "an agent"
	}
	var merging []string
	if merge {
		merging = a.mergedHeads()
	}
	c := &candidate{place: "index"}
	if c.parents, err = k.history.NextParents(merging); err != nil {
		return err
	}
	if c.tree, err = k.history.IndexTree(); err != nil {
		return err
	}
	c.changed = func() ([]gitops.CommitChange, error) { return k.history.Staged(c.parents) }
	if k.user, err = a.userLayer(); err != nil {
		return cannotDecide(err)
	}
	return a.verdict(k, k.check(c), "commit", "Unstage them (git restore --staged PATH), or change the policy in a commit of your own.")
}

// mergedHeads are what git merges when it says so by the environment alone:
// GITHEAD_<id>=name.
func (a *app) mergedHeads() (ids []string) {
	for _, v := range os.Environ() {
		if rest, ok := strings.CutPrefix(v, "GITHEAD_"); ok {
			id, _, _ := strings.Cut(rest, "=")
			ids = append(ids, id)
		}
	}
	return ids
}

// verdict says what was found, and turns it into the hook's error.
func (a *app) verdict(k *commitCheck, err error, what, way string) error {
	for _, n := range k.notes {
		fmt.Fprintln(a.stderr, "chordgit: "+n)
	}
	if len(k.found) == 0 {
		return err
	}
	fmt.Fprint(a.stderr, refusal(k.found, what, way))
	return errors.Join(err, errRefused)
}

// refusal is the text of a refused commit or push.
func refusal(found []commitFinding, what, way string) string {
	agents := ""
	for _, f := range found {
		if f.Agent != "" {
			agents = " that agents changed"
		}
	}
	paths := "1 path"
	if len(found) != 1 {
		paths = fmt.Sprintf("%d paths", len(found))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "chordgit: %s refused: policy denies %s%s\n", what, paths, agents)
	width := 0
	for _, f := range found {
		width = max(width, len(edit.Quote(f.Path)))
	}
	const most = 20
	for i, f := range found {
		if i == most {
			fmt.Fprintf(&b, "  and %d more\n", len(found)-most)
			break
		}
		b.WriteString("  " + f.line(width) + "\n")
	}
	b.WriteString(way + "\n")
	return b.String()
}

// line is a finding in one line: commit, operation, path, why, and who.
func (f *commitFinding) line(width int) string {
	s := ""
	if f.Commit != "" {
		s = short(f.Commit) + "  "
	}
	s += fmt.Sprintf("%-6s  %-*s   %s", f.Op, width, edit.Quote(f.Path), edit.Quote(f.Message()))
	switch {
	case f.Turn != 0:
		s += fmt.Sprintf("   turn %d, %s", f.Turn, edit.Quote(f.Agent))
	case f.Agent != "":
		s += "   " + edit.Quote(f.Agent)
	}
	return s
}

// prePush judges the commits that the remote does not have yet. A program that
// manages hooks may tell by the environment what git tells on standard input.
func (a *app) prePush(args []string) error {
	stdin, err := io.ReadAll(a.stdin)
	if err != nil {
		return &edit.Error{Code: edit.Unreadable, Msg: "what git says about the push cannot be read", Err: err}
	}
	updates, err := hooks.ParsePrePush(string(stdin))
	if err != nil {
		return err
	}
	history, err := gitops.OpenHistory(a.hookDir(), a.inHook())
	if err != nil {
		return err
	}
	defer history.Close()
	remote := ""
	if len(args) > 0 {
		remote = args[0]
	}
	if to := a.getenv("PRE_COMMIT_TO_REF"); len(updates) == 0 && to != "" {
		u := hooks.RefUpdate{Local: a.getenv("PRE_COMMIT_LOCAL_BRANCH"), Ref: a.getenv("PRE_COMMIT_REMOTE_BRANCH"), Old: history.Resolve(a.getenv("PRE_COMMIT_FROM_REF")), New: history.Resolve(to)}
		if u.New == "" {
			return &edit.Error{Code: edit.Unreadable, Msg: fmt.Sprintf("PRE_COMMIT_TO_REF is %q, which is no commit", to)}
		}
		remote, updates = a.getenv("PRE_COMMIT_REMOTE_NAME"), []hooks.RefUpdate{u}
	}
	if len(updates) == 0 {
		return nil
	}
	if refused := hooks.Guarded(updates, history.CloneID()); len(refused) > 0 {
		a.guarded("push", refused)
		return errRefused
	}
	k := &commitCheck{history: history, decoded: map[string]decoded{}, site: hooks.Site{FoldCase: history.FoldCase()}}
	if !history.Bare() {
		repo, err := gitops.Open(a.hookDir(), a.inHook())
		if err != nil {
			return err
		}
		defer repo.Close()
		k.evidence, k.site = repo.Evidence(), site(repo, "")
	}
	if k.user, err = a.userLayer(); err != nil {
		return cannotDecide(err)
	}
	ids, err := pushed(history, updates, remote)
	if err != nil {
		return err
	}
	return a.verdict(k, k.made(ids), "push", "Take them out of these commits (git rebase -i), or ask for a change of the policy.")
}

// guarded says which refs are not pushed.
func (a *app) guarded(what string, refused []hooks.RefUpdate) {
	fmt.Fprintf(a.stderr, "chordgit: %s refused: %s\n", what, hooks.GuardText)
	for _, u := range refused {
		fmt.Fprintf(a.stderr, "  %s\n", edit.Quote(strings.TrimSpace(u.Local+" -> "+u.Ref)))
	}
}

// pushed lists the commits that a push brings. What the remote's branches have
// by what is known here was judged before.
func pushed(h *gitops.History, updates []hooks.RefUpdate, remote string) ([]string, error) {
	var tips []string
	var not []string
	for _, u := range updates {
		if u.Deletes() {
			continue
		}
		c, err := h.Commit(u.New)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue // a tag of a file or a tree
		}
		tips = append(tips, c.ID)
		if !hooks.IsZeroID(u.Old) && h.Has(u.Old) {
			if old, err := h.Commit(u.Old); err == nil && old != nil {
				not = append(not, "^"+old.ID)
			}
		}
	}
	if len(tips) == 0 {
		return nil, nil
	}
	args := append(tips, not...)
	if remote != "" && !strings.ContainsAny(remote, "*?[\\:") {
		args = append(args, "--not", "--remotes="+remote)
	}
	return h.Commits(args...)
}
