package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/spf13/cobra"
)

// pruned is what prune took, or would take.
type pruned struct {
	Turns []prunedTurn `json:"turns"`
	Bytes int64        `json:"bytes"` // they stored; git gc frees what nothing else uses
}

type prunedTurn struct {
	Turn  int    `json:"turn"`
	Tag   string `json:"tag"`
	Bytes int64  `json:"bytes"`
	Why   string `json:"why"`
}

type pruneFlags struct {
	turns, days int
	size        string
	all, dryRun bool
}

func (a *app) pruneCommand() *cobra.Command {
	var f pruneFlags
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Forget old turns",
		Long: `Prune removes turns that are over the limits, the oldest first, and those of
linked worktrees that were removed. A turn of the last 24 hours, an open turn and
one that a kept rewind took back stay, unless --all is given, which forgets every
closed turn. The limits count the turns of all worktrees together; those not given
here are the settings store.keep_turns, store.keep_days and store.max_size.

Only refs are removed. The space is freed by the next git gc; until then
"git update-ref refs/chordgit/turns/N TAG" brings a turn back (--json has the tag).`,
		Example: `  chordgit prune --dry-run
  chordgit prune --keep-days 7
  chordgit prune --max-size 100MiB
  chordgit prune --all && git gc --prune=now    forget everything now`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.prune(cmd.Context(), f, cmd.Flags().Changed)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.turns, "keep-turns", 0, "keep at most the newest `N` turns")
	flags.IntVar(&f.days, "keep-days", 0, "keep the turns of the last `N` days")
	flags.StringVar(&f.size, "max-size", "", "keep at most so much of what turns stored (`SIZE`: bytes, or with KiB, MiB, GiB)")
	flags.BoolVar(&f.all, "all", false, "forget every closed turn, also of the last 24 hours")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would go, change nothing")
	return cmd
}

// layer is what the flags say of the settings.
func (f pruneFlags) layer(given func(string) bool) (*hooks.Config, error) {
	c := &hooks.Config{}
	c.Store.KeepTurns, c.Store.KeepDays = f.turns, f.days
	var errs edit.Errors
	usage := func(format string, args ...any) {
		errs = append(errs, &edit.Error{Code: edit.Usage, Msg: fmt.Sprintf(format, args...)})
	}
	if given("keep-turns") && f.turns < 1 {
		usage("--keep-turns %d: want at least 1; --all forgets every turn", f.turns)
	}
	if given("keep-days") && (f.days < 1 || f.days > daysMost) {
		usage("--keep-days %d: want 1 to %d", f.days, daysMost)
	}
	if given("max-size") {
		size, err := hooks.ParseSize(f.size)
		if err != nil {
			usage("--max-size %q: %v", f.size, err)
		}
		c.Store.MaxSize = size
	}
	if f.all && (given("keep-turns") || given("keep-days") || given("max-size")) {
		usage("--all forgets every turn: it goes with no limit")
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return c, nil
}

// daysMost is the most days that fit a [time.Duration].
const daysMost = 100_000

// retention are the settings in the terms of the store.
func retention(s hooks.Settings) gitops.Retention {
	days := min(s.KeepDays, daysMost)
	return gitops.Retention{Turns: s.KeepTurns, Age: time.Duration(days) * 24 * time.Hour, Size: s.MaxSize}
}

func (a *app) prune(ctx context.Context, f pruneFlags, given func(string) bool) {
	layer, err := f.layer(given)
	if err != nil {
		a.report(newFailure("prune", err))
		return
	}
	repo, err := a.open()
	if err != nil {
		a.report(newFailure("prune", err))
		return
	}
	defer repo.Close()
	settings, err := a.settings(repo, layer)
	if err != nil {
		a.report(newFailure("prune", err))
		return
	}
	opt := gitops.PruneOptions{Keep: retention(settings), All: f.all, DryRun: f.dryRun}
	var taken []gitops.Pruned
	err = a.holding(ctx, func(ctx context.Context) error {
		taken, err = repo.Prune(ctx, opt)
		return err
	})
	rep := &report{Command: "prune", Status: unchanged, DryRun: f.dryRun, Pruned: newPruned(taken)}
	if len(taken) > 0 {
		rep.Status = applied
	}
	if err != nil {
		rep.fail(toErrors(err))
		if rep.Status = failed; len(taken) > 0 {
			rep.Status = partial
		}
	}
	a.report(rep)
}

func newPruned(taken []gitops.Pruned) *pruned {
	p := &pruned{Turns: []prunedTurn{}}
	for _, t := range taken {
		p.Turns = append(p.Turns, prunedTurn{Turn: t.Turn, Tag: t.Tag, Bytes: t.Bytes, Why: t.Why})
		p.Bytes += t.Bytes
	}
	return p
}

// reasons say why turns went.
var reasons = map[string]string{
	"turns":    "more turns than are kept",
	"age":      "older than is kept",
	"size":     "more bytes than are kept",
	"worktree": "the worktree was removed",
	"lost":     "nothing was left of them",
	"all":      "all were asked for",
}

func (p *pruned) text(dryRun bool) string {
	if len(p.Turns) == 0 {
		return "No turn goes.\n"
	}
	did := "Forgot"
	if dryRun {
		did = "Would forget"
	}
	by := map[string][]int{}
	for _, t := range p.Turns {
		by[t.Why] = append(by[t.Why], t.Turn)
	}
	var lines []string
	for why, list := range by {
		lines = append(lines, fmt.Sprintf("  %s: %s\n", ranges(list), reasons[why]))
	}
	slices.Sort(lines)
	return fmt.Sprintf("%s %s that stored %s; git gc frees what nothing else uses:\n", did, count(len(p.Turns), "turn"), byteSize(p.Bytes)) + strings.Join(lines, "")
}

// byteSize is a size for people.
func byteSize(n int64) string {
	unit, size := "bytes", float64(n)
	for _, u := range []string{"KiB", "MiB", "GiB"} {
		if size < 1024 {
			break
		}
		unit, size = u, size/1024
	}
	if unit == "bytes" {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

// retainAsSet is retain for a command that needs the settings for nothing else.
// Those that cannot be read take nothing away.
func (a *app) retainAsSet(ctx context.Context, repo *gitops.Repo) {
	if settings, err := a.settings(repo, &hooks.Config{}); err == nil {
		a.retain(ctx, repo, settings)
	}
}

// retain keeps the store within its limits after a turn. It costs a look at the
// list of turns where there is nothing to do. What goes wrong is told and is no
// failure of the command.
func (a *app) retain(ctx context.Context, repo *gitops.Repo, settings hooks.Settings) {
	keep := retention(settings)
	over, err := repo.Exceeds(keep)
	if over == "" && err == nil {
		return
	}
	say := func(format string, args ...any) {
		if !a.quiet {
			fmt.Fprintln(a.stderr, "chordgit: "+edit.Quote(fmt.Sprintf(format, args...)))
		}
	}
	var taken []gitops.Pruned
	switch {
	case err != nil:
	case !settings.AutoPrune:
		say("the turns are over a limit (%s); chordgit prune forgets the oldest", reasons[over])
	default:
		err = a.holding(ctx, func(ctx context.Context) error {
			taken, err = repo.Prune(ctx, gitops.PruneOptions{Keep: keep})
			return err
		})
	}
	if len(taken) > 0 {
		p := newPruned(taken)
		numbers := make([]int, len(taken))
		for i, t := range taken {
			numbers[i] = t.Turn
		}
		say("forgot turns %s (%s), which stored %s; git gc frees what nothing else uses", ranges(numbers), reasons[over], byteSize(p.Bytes))
	}
	if err != nil {
		say("the turns were not pruned: %v", err)
	}
}
