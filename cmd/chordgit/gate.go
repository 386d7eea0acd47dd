package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/chordgit/chordgit/patchapply"
)

// policyLayers are the layers that have a say about what a command may do now:
// the user's file, the repository's file in HEAD and in the worktree. files are
// what [app.layers] returned.
func (a *app) policyLayers(repo *gitops.Repo, files []*hooks.Config) ([]hooks.Layer, error) {
	_, place := a.userFile()
	layers := []hooks.Layer{{Name: "user", Place: place, Config: files[1]}}
	if repo == nil {
		return layers, nil
	}
	worktree := hooks.Layer{Name: "worktree", Place: hooks.ConfigName, Config: files[0]}
	head := hooks.Layer{Name: "HEAD", Place: "HEAD:" + hooks.ConfigName}
	text, err := repo.HeadFile(hooks.ConfigName, hooks.ConfigLimit+1)
	if e := new(edit.Error); errors.As(err, &e) {
		return nil, err
	} else if err != nil {
		return nil, &edit.Error{Code: hooks.BadConfig, Err: err}
	}
	if text == nil {
		return append(layers, worktree), nil
	}
	if now, err := repositoryText(repo); err == nil && now != nil && string(now) == string(text) {
		head.Place, head.Config = hooks.ConfigName, files[0]
		return append(layers, head), nil
	}
	if head.Config, err = hooks.DecodeConfig(head.Place, text); err != nil {
		return nil, err
	}
	return append(layers, head, worktree), nil
}

// bindingLayers are the layers that bind what a command does now: while turns are
// open the versions that held as they began, so that nobody loosens the policy by a
// change of the file in a turn; otherwise those of [app.policyLayers].
func (a *app) bindingLayers(repo *gitops.Repo, files []*hooks.Config) (layers []hooks.Layer, err error) {
	open, err := repo.OpenTurns()
	if err != nil {
		return nil, err
	}
	if len(open) == 0 {
		return a.policyLayers(repo, files)
	}
	for _, t := range open {
		state, err := repo.Session(t.Session)
		if err != nil {
			return nil, err
		}
		of, err := a.turnLayers(repo, t.N, factsOf(state).Start)
		if err != nil {
			return nil, err
		}
		layers = append(layers, of...)
	}
	return layers, nil
}

// site is where a policy judges: the worktree, with names relative to base.
func site(repo *gitops.Repo, base string) hooks.Site {
	return hooks.Site{
		Tree: policyTree{repo.Tree(), repo}, Roots: repo.PlanOptions().Roots, Base: base,
		FoldCase: repo.FoldCase(), HooksPath: repo.HooksPath(), GitDirs: repo.GitDirs(),
	}
}

// policyTree is the worktree as a policy sees it.
type policyTree struct {
	edit.Tree
	repo *gitops.Repo
}

func (t policyTree) Walk(dir string, visit func(string) error) error { return t.repo.Walk(dir, visit) }
func (t policyTree) Gitlinks() ([]string, error)                     { return t.repo.Gitlinks() }

// planTree is the worktree as a policy sees it while a request is planned: the
// planner has refused submodules by then, and the index is not read again.
type planTree struct{ policyTree }

func (planTree) Gitlinks() ([]string, error) { return nil, nil }

// A gate asks policy about a request, and a person where policy says so. In a
// directory without a repository it lets everything through.
type gate struct {
	app    *app
	repo   *gitops.Repo
	layers []hooks.Layer
	site   hooks.Site
	who    hooks.Who
	turn   int         // of the session that is open; 0: none
	agreed []consented // in that turn, before

	policy  *hooks.Policy
	made    *edit.Plan // the last plan, nil if there is none
	asked   []hooks.Finding
	shown   *edit.Plan // the plan to which consent was given
	granted []hooks.Finding
}

// errConsent says that a plan needs a person's consent.
var errConsent = errors.New("needs consent")

func (a *app) newGate(place workplace, req *patchapply.Request, session string, options edit.Options) (*gate, error) {
	g := &gate{app: a}
	repo, ok := place.(*gitops.Repo)
	if !ok {
		return g, nil
	}
	files, err := a.layers(repo)
	if err != nil {
		return nil, err
	}
	if g.layers, err = a.bindingLayers(repo, files); err != nil {
		return nil, err
	}
	state, err := repo.Session(session)
	if err != nil {
		return nil, err
	}
	if facts := factsOf(state); turnIsOpen(repo, state) {
		g.turn, g.agreed = state.Open, facts.consentIn(state.Open)
	}
	g.repo, g.site = repo, site(repo, options.Base)
	g.site.Tree = planTree{policyTree{repo.Tree(), repo}}
	for i := range req.Ops {
		op := &req.Ops[i]
		for _, name := range []string{op.Path, op.MoveTo} {
			if name != "" && op.Kind != edit.Delete {
				g.site.Made = append(g.site.Made, name)
			}
		}
	}
	if tty := a.person(); tty != nil {
		tty.Close()
		g.who = hooks.Attended
	}
	return g, nil
}

// plan makes a plan that policy allows. errConsent comes with a plan that a
// person must agree to.
func (g *gate) plan(tree edit.Tree, ops []edit.Op, options edit.Options) (*edit.Plan, error) {
	g.made, g.asked = nil, nil
	if g.repo != nil {
		g.policy = hooks.NewPolicy(g.site, g.layers...)
		options.Policy = g.check
	}
	plan, err := edit.NewPlan(tree, ops, options)
	if err != nil {
		return nil, err
	}
	switch {
	case g.shown != nil && !(reflect.DeepEqual(plan.Changes, g.shown.Changes) && reflect.DeepEqual(g.asked, g.granted)):
		return nil, &edit.Error{Code: edit.Stale, Msg: "changed after planning: it is not what you were asked about"}
	case g.shown == nil && len(g.asked) > 0:
		g.made = plan
		return plan, errConsent
	}
	g.made = plan
	return plan, nil
}

// check is asked by the planner.
func (g *gate) check(op *edit.Op, c edit.Change) *edit.Error {
	name := op.Path
	if c.From != "" {
		name = op.MoveTo
	}
	if strings.HasPrefix(name, "~") || strings.HasPrefix(name, "file:") {
		name = "./" + name // the planner took it literally
	}
	o := hooks.Operation{Path: name, Tool: op.Tool, Moving: op.MoveTo != "", Also: []string{c.Path}}
	switch {
	case c.After == nil:
		o.Kind = hooks.Delete
	case c.From != "" && c.Before == nil:
		o.Kind = hooks.Create
	}
	found := unconsented(g.policy.Judge(g.who, o), g.agreed)
	if len(found) == 0 || found[0].Verdict == hooks.Allow {
		return nil
	}
	if found[0].Verdict == hooks.Ask && g.who == hooks.Attended {
		for _, f := range found {
			if f.Verdict == hooks.Ask {
				g.asked = append(g.asked, f)
			}
		}
		return nil
	}
	return found[0].Error()
}

// hypothetical is the error of a plan that is not carried out: consent is not
// asked for, the plan tells that it would be.
func (g *gate) hypothetical(plan *edit.Plan, err error) error {
	if !errors.Is(err, errConsent) {
		return err
	}
	for i := range g.asked {
		f := &g.asked[i]
		plan.Notes = append(plan.Notes, edit.Note{Code: "ask", Path: f.Path, Msg: "you will be asked: " + string(f.Op) + ": " + f.Message()})
	}
	return nil
}

// ask puts one question about all that needs consent. Nothing is locked.
func (g *gate) ask() error {
	g.shown, g.granted, g.made = g.made, g.asked, nil
	tty := g.app.person()
	if tty != nil {
		defer tty.Close()
		var lines []string
		for i := range g.granted {
			f := &g.granted[i]
			if l := "  " + edit.Quote(f.Path) + ": " + string(f.Op) + ": " + edit.Quote(f.Message()); !slices.Contains(lines, l) {
				lines = append(lines, l)
			}
		}
		fmt.Fprintf(tty, "This request needs your consent:\n%s\nApply it? [y/N] ", strings.Join(lines, "\n"))
		if answer, _ := bufio.NewReader(io.LimitReader(tty, 100)).ReadString('\n'); slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
			return nil
		}
	}
	var errs edit.Errors
	for i := range g.granted {
		errs = append(errs, g.granted[i].Error())
	}
	return errs
}

// person opens the controlling terminal, nil if there is none or an agent runs
// the command.
func (a *app) person() *os.File {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if a.getenv("CHORDGIT_SESSION") != "" || hooks.AgentFromEnv(a.getenv, true) != "" {
		tty.Close()
		return nil
	}
	return tty
}

// here is the current directory relative to the worktree's root.
func (a *app) here(repo *gitops.Repo) (string, error) {
	rel, err := repo.CommandDir(cmp.Or(a.dir, "."))
	if rel == "." {
		rel = ""
	}
	return rel, err
}
