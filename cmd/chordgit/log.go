package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

// A turnReport is one turn as log and show tell it.
type turnReport struct {
	Turn     int       `json:"turn"`
	Kind     string    `json:"kind"`
	Status   string    `json:"status"`
	Subject  string    `json:"subject"`
	Agent    string    `json:"agent,omitempty"`
	Session  string    `json:"session,omitempty"`
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	Parent   int       `json:"parent,omitempty"`
	Late     bool      `json:"late,omitempty"`
	Worktree string    `json:"worktree"`
	Head     string    `json:"head"`
	Undoes   []int     `json:"undoes,omitempty"`
	UndoneBy int       `json:"undone_by,omitempty"`
	Partial  bool      `json:"partial,omitempty"`
	Paths    paths     `json:"paths"`
	Stored   int64     `json:"stored_bytes"`
	Files    []file    `json:"files,omitempty"`
}

func newTurnReport(t *gitops.Turn, undoneBy int) turnReport {
	return turnReport{
		Turn: t.N, Kind: t.Kind, Status: t.Status, Subject: t.Subject(), Agent: t.Agent, Session: t.Session,
		Started: t.Started, Ended: t.Ended, Parent: t.Parent, Late: t.Late, Worktree: t.Worktree, Head: t.Head,
		Undoes: t.Undoes, UndoneBy: undoneBy, Partial: t.Partial, Paths: t.Paths, Stored: t.StoredBytes,
	}
}

func (a *app) logCommand() *cobra.Command {
	var most int
	var sizes bool
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List the turns of this worktree, newest first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			repo, err := a.open()
			if err != nil {
				a.report(newFailure("log", err))
				return nil
			}
			defer repo.Close()
			a.log(repo, most, sizes)
			return nil
		},
	}
	cmd.Flags().IntVarP(&most, "max-count", "n", 0, "show at most `N` turns (0: all)")
	cmd.Flags().BoolVar(&sizes, "sizes", false, "show how many bytes each turn added to the store, before compression")
	return cmd
}

func (a *app) log(repo *gitops.Repo, most int, sizes bool) {
	undone, err := repo.Undone()
	if err != nil {
		a.report(newFailure("log", err))
		return
	}
	reports := []turnReport{}
	var errs []error
	for t, err := range repo.Turns() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if most > 0 && len(reports) == most {
			break
		}
		reports = append(reports, newTurnReport(t, undone[t.N]))
	}
	if a.json {
		status := "ok"
		r := report{}
		if len(errs) > 0 {
			status, a.code = "partial", 1
			r.fail(toErrors(errors.Join(errs...)))
		}
		a.writeJSON(map[string]any{"command": "log", "status": status, "turns": reports, "failures": r.complete().Failures})
		return
	}
	for _, r := range reports {
		fmt.Fprintln(a.stdout, r.line(sizes))
	}
	if len(reports) == 0 && len(errs) == 0 && !a.quiet {
		fmt.Fprintln(a.stdout, "No turns yet.")
	}
	for _, err := range errs {
		fmt.Fprintln(a.stderr, "chordgit: "+edit.Quote(err.Error()))
		a.code = 1
	}
}

// line is a turn in one line.
func (r turnReport) line(sizes bool) string {
	what := r.Kind
	if len(r.Undoes) > 0 {
		what += " of " + numbers(r.Undoes)
	}
	if r.Partial {
		what += " (partial)"
	}
	parts := []string{fmt.Sprintf("%4d  %-14s  %-12s", r.Turn, ago(r.Ended), what)}
	if sizes {
		parts = append(parts, fmt.Sprintf("%10s", byteSize(r.Stored)))
	}
	if r.Subject != fmt.Sprintf("turn %d", r.Turn) {
		parts = append(parts, edit.Quote(r.Subject))
	}
	parts = append(parts, pathList(r.Paths))
	if r.Agent != "" {
		parts = append(parts, "by "+edit.Quote(r.Agent))
	}
	if r.UndoneBy > 0 {
		parts = append(parts, fmt.Sprintf("taken back by turn %d", r.UndoneBy))
	}
	if r.Status != gitops.StatusComplete {
		parts = append(parts, r.Status)
	}
	return strings.Join(parts, "  ")
}

// pathList names the first three paths and counts the rest.
func pathList(paths []string) string {
	shown := make([]string, 0, 3)
	for _, p := range paths[:min(3, len(paths))] {
		shown = append(shown, edit.Quote(p))
	}
	s := strings.Join(shown, ", ")
	if len(paths) > 3 {
		s += fmt.Sprintf(" and %d more", len(paths)-3)
	}
	return s
}

// ago is a time relative to now.
func ago(t time.Time) string {
	d := time.Since(t)
	switch {
	case d < 10*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// turn opens the repository and reads the turn that the arguments name, by
// default the newest.
func (a *app) turn(args []string) (*gitops.Repo, *gitops.Turn, error) {
	n := 0
	if len(args) == 1 {
		var err error
		if n, err = parseTurn(args[0]); err != nil {
			return nil, nil, err
		}
	}
	repo, err := a.open()
	if err != nil {
		return nil, nil, err
	}
	t, err := repo.Turn(n)
	if err != nil {
		repo.Close()
		return nil, nil, err
	}
	return repo, t, nil
}

func parseTurn(arg string) (int, error) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 {
		return 0, &edit.Error{Code: edit.Usage, Msg: fmt.Sprintf("%q is no turn number", arg)}
	}
	return n, nil
}

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show [N]",
		Short: "Show a turn and the files it changed",
		Long:  "Show tells about turn N, by default the newest: when, who, on what, and each file with its change.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			repo, turn, err := a.turn(args)
			if err != nil {
				a.report(newFailure("show", err))
				return nil
			}
			defer repo.Close()
			if err := a.show(repo, turn); err != nil {
				a.report(newFailure("show", err))
			}
			return nil
		},
	}
}

// owned adds who wrote each file of a captured turn. Those of the turn's own
// session come first.
func owned(files []file, turn *gitops.Turn) []file {
	if turn.Scope != gitops.ScopeWorktree {
		return files
	}
	for i := range files {
		files[i].Owner = turn.Owner(files[i].Path)
	}
	slices.SortStableFunc(files, func(a, b file) int {
		foreign := func(f file) int {
			if f.Owner == gitops.OwnerSelf {
				return 0
			}
			return 1
		}
		return foreign(a) - foreign(b)
	})
	return files
}

func (a *app) show(repo *gitops.Repo, turn *gitops.Turn) error {
	changes, err := repo.Changes(turn)
	if err != nil {
		return err
	}
	undone, err := repo.Undone()
	if err != nil {
		return err
	}
	rep := &report{}
	rep.plan(&edit.Plan{Changes: changes}, repo.Content)
	r := newTurnReport(turn, undone[turn.N])
	r.Files = owned(rep.Files, turn)
	if a.json {
		a.writeJSON(struct {
			Command string `json:"command"`
			Result  string `json:"result"`
			turnReport
		}{"show", "ok", r})
		return nil
	}
	w := a.stdout
	fmt.Fprintf(w, "Turn %d: %s, %s\n", r.Turn, r.Kind, r.Status)
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-9s %s\n", key+":", edit.Quote(value))
		}
	}
	if r.Subject != fmt.Sprintf("turn %d", r.Turn) {
		line("Subject", r.Subject)
	}
	line("Agent", r.Agent)
	line("Session", r.Session)
	line("When", fmt.Sprintf("%s (%s)", r.Ended.Local().Format("2006-01-02 15:04:05"), ago(r.Ended)))
	line("Worktree", r.Worktree)
	line("Head", r.Head)
	if len(r.Undoes) > 0 {
		line("Undoes", numbers(r.Undoes))
	}
	if r.Partial {
		line("Partial", "yes, not everything was taken back")
	}
	if r.UndoneBy > 0 {
		line("Undone", fmt.Sprintf("by turn %d", r.UndoneBy))
	}
	fmt.Fprintln(w)
	for _, f := range r.Files {
		text := f.String()
		if f.Added+f.Removed > 0 {
			text += fmt.Sprintf("  +%d −%d", f.Added, f.Removed)
		}
		if f.Mode != "" && f.Change != "add" {
			text += "  mode " + f.Mode
		}
		if f.Owner != "" && f.Owner != gitops.OwnerSelf {
			text += "  by " + edit.Quote(f.Owner)
		}
		fmt.Fprintln(w, text)
	}
	return nil
}
