package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

// showFlags say how much of a turn is shown.
type showFlags struct{ stat, nameOnly bool }

func (a *app) showCommand() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "show [N|CLONE/N]",
		Short: "Show a turn and the files it changed",
		Long: `Show tells about turn N, by default the newest that is closed: when, who, on
what, and each file with its change. Of a turn of the whole worktree it tells who
else wrote files meanwhile, what git moved, and what is not covered.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			repo, turn, err := a.turn(args)
			if err != nil {
				a.report(newFailure("show", err))
				return nil
			}
			defer repo.Close()
			if err := a.show(repo, turn, f); err != nil {
				a.report(newFailure("show", err))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&f.stat, "stat", false, "draw how much of each file changed")
	cmd.Flags().BoolVar(&f.nameOnly, "name-only", false, "only the names of the changed files")
	return cmd
}

// A shown is a turn with all that show tells.
type shown struct {
	Command string `json:"command"`
	Result  string `json:"result"`
	turnReport
	Files      []file         `json:"files"`
	Moved      []gitops.Moved `json:"moved,omitempty"`
	NotCovered []leftOut      `json:"not_covered,omitempty"`
	Ignored    []string       `json:"ignored,omitempty"`
	// Appeared are the files that the end found where the start did not look.
	Appeared []string `json:"appeared,omitempty"`
}

func (a *app) show(repo *gitops.Repo, turn *gitops.Turn, f showFlags) error {
	changes, err := repo.Changes(turn)
	if err != nil {
		return err
	}
	undone, err := repo.Undone()
	if err != nil {
		return err
	}
	if turn.Clone != "" {
		undone = repo.CloneUndone(turn.Clone)
	}
	content := repo.Content
	if f.nameOnly {
		content = nil
	}
	rep := &report{}
	rep.plan(&edit.Plan{Changes: changes}, content)
	s := &shown{Command: "show", Result: "ok", turnReport: newTurnReport(turn, undone[turn.N]), Files: rep.complete().Files}
	if turn.Scope == gitops.ScopeWorktree {
		s.captured(repo, turn, changes)
	}
	appeared, err := repo.Appeared(turn)
	if err != nil {
		return err
	}
	for _, c := range appeared {
		s.Appeared = append(s.Appeared, gitops.EncodePath(c.Path))
	}
	switch {
	case a.json:
		a.writeJSON(s)
	case f.nameOnly:
		for _, x := range s.Files {
			fmt.Fprintln(a.stdout, edit.Quote(x.Path))
		}
	default:
		s.write(a.stdout, f.stat)
	}
	return nil
}

// captured adds what only turns of the whole worktree have: the owners of paths,
// those of the turn's own session first, moves of git, and what is not covered.
func (s *shown) captured(repo *gitops.Repo, turn *gitops.Turn, changes []edit.Change) {
	s.Paths = []string{}
	for _, c := range changes {
		s.Paths = append(s.Paths, c.Path)
	}
	for i := range s.Files {
		s.Files[i].Owner = turn.Owner(s.Files[i].Path)
	}
	slices.SortStableFunc(s.Files, func(x, y file) int { return x.foreign() - y.foreign() })
	s.Moved = repo.Moved(turn)
	for _, n := range turn.Uncovered() {
		s.NotCovered = append(s.NotCovered, leftOut{n.Path, n.Msg})
	}
	s.Ignored = turn.Ignored()
}

func (s *shown) write(w io.Writer, stat bool) {
	s.header(w)
	fmt.Fprintln(w)
	if s.Status == gitops.StatusOpen {
		fmt.Fprintln(w, "The turn is open: what it changed is known when it is closed.")
	}
	group := 0
	for _, f := range s.Files {
		if f.foreign() != group {
			group = f.foreign()
			title := "Not written by this session alone:"
			if group == cameWithGit {
				title = s.came() + ":"
			}
			fmt.Fprintln(w, "\n"+title)
		}
		fmt.Fprintln(w, f.line(stat, s.widest()))
	}
	if len(s.NotCovered) > 0 {
		fmt.Fprintln(w, "\nNot covered:")
		var list []said
		for _, n := range s.NotCovered {
			list = append(list, said{cmp.Or(n.Path, "."), uncoveredWhy(n.Why)})
		}
		for _, l := range collapsed(list) {
			fmt.Fprintln(w, "  "+l)
		}
	}
	if n := len(s.Appeared); n > 0 {
		fmt.Fprintf(w, "\nNobody knows: %s\n", appearedText(n))
	}
	if len(s.Ignored) > 0 {
		fmt.Fprintf(w, "\nIgnored and not covered: %s\n", pathList(s.Ignored))
	}
}

// header is what is known of the turn as a whole.
func (s *shown) header(w io.Writer) {
	fmt.Fprintf(w, "Turn %s: %s, %s\n", s.name(), s.Kind, s.Status)
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-9s %s\n", key+":", edit.Quote(value))
		}
	}
	if s.Subject != fmt.Sprintf("turn %d", s.Turn) {
		line("Subject", s.Subject)
	}
	line("Agent", s.Agent)
	line("Session", s.Session)
	at, since := s.Started, "open since "
	if s.Ended != nil {
		at, since = *s.Ended, ""
	}
	line("When", fmt.Sprintf("%s (%s%s)", at.Local().Format("2006-01-02 15:04:05"), since, ago(at)))
	line("Worktree", s.Worktree)
	line("Head", s.Head)
	if s.Move != nil {
		line("Moved", fmt.Sprintf("%s → %s by %s", s.Move.From, s.Move.To, s.Move.With()))
	}
	for _, m := range s.Moved {
		if s.Move == nil || m.Name != "HEAD" { // said above
			line("Git", m.String())
		}
	}
	if s.Parent > 0 {
		line("Inside", fmt.Sprintf("turn %d", s.Parent))
	}
	if len(s.Undoes) > 0 {
		line("Undoes", turnNumbers(s.Undoes))
	}
	if s.Partial {
		line("Partial", "yes, not everything was taken back")
	}
	if s.Late {
		line("Late", "closed late, may hold your own changes")
	}
	if s.UndoneBy > 0 {
		line("Undone", fmt.Sprintf("by turn %d", s.UndoneBy))
	}
}

// cameWithGit is the last group of a turn's files.
const cameWithGit = 2

// foreign is 0 for what the turn's own session wrote, cameWithGit for what a move
// of HEAD brought, 1 for anything else.
func (f file) foreign() int {
	switch f.Owner {
	case "", gitops.OwnerSelf:
		return 0
	case gitops.OwnerGit:
		return cameWithGit
	}
	return 1
}

// came says with what the files came that a move of HEAD brought.
func (s *shown) came() string {
	if s.Move == nil {
		return "Came with a move of HEAD"
	}
	return s.Move.Came()
}

// widest is the most changed file's count of lines.
func (s *shown) widest() int {
	most := 0
	for _, f := range s.Files {
		most = max(most, f.Added+f.Removed)
	}
	return most
}

// line tells one file; drawn, beside the widest of the turn, if asked for.
func (f file) line(stat bool, widest int) string {
	text := f.String()
	if f.Added+f.Removed > 0 {
		text += fmt.Sprintf("  +%d −%d", f.Added, f.Removed)
	}
	if f.Mode != "" && f.Change != "add" {
		text += "  mode " + f.Mode
	}
	if f.foreign() == 1 {
		text += "  by " + edit.Quote(f.Owner)
	}
	const columns = 40
	if stat && f.Added+f.Removed > 0 {
		scale := func(n int) int {
			if widest <= columns || n == 0 {
				return n
			}
			return max(1, n*columns/widest)
		}
		text += "  " + strings.Repeat("+", scale(f.Added)) + strings.Repeat("-", scale(f.Removed))
	}
	return text
}
