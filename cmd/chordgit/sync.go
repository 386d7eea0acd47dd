package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/spf13/cobra"
)

// A syncAnswer is what sync has to say.
type syncAnswer struct {
	Command string   `json:"command"`
	Status  string   `json:"status"`
	Clone   string   `json:"clone,omitempty"`
	Turns   []string `json:"turns"` // that are new at the other end
	Prompts int      `json:"prompts,omitempty"`
	Ignored []string `json:"ignored,omitempty"` // files that git ignores, which went along
}

func (a *app) syncCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Send turns to another repository, or fetch those of other clones",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "push REMOTE [N…]",
		Short: "Send turns: those named, or all that are closed",
		Long: `Push sends turns to REMOTE, under a name of this clone's own. Nothing that is
there is replaced. Turns hold prompts, and files that git ignores: what goes along
is said first.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var turns []int
			for _, arg := range args[1:] {
				n, err := parseTurn(arg)
				if err != nil {
					a.report(newFailure("sync push", err))
					return nil
				}
				turns = append(turns, n)
			}
			a.syncPush(cmd, args[0], turns)
			return nil
		},
	}, &cobra.Command{
		Use:   "fetch REMOTE",
		Short: "Fetch the turns that other clones sent to REMOTE",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.syncFetch(cmd, args[0])
			return nil
		},
	})
	return cmd
}

func (a *app) syncPush(cmd *cobra.Command, remote string, turns []int) {
	repo, err := a.open()
	if err != nil {
		a.report(newFailure("sync push", err))
		return
	}
	defer repo.Close()
	p, err := repo.Pack(cmd.Context(), turns)
	if err != nil {
		a.report(newFailure("sync push", err))
		return
	}
	if !a.quiet && len(p.Turns) > 0 {
		fmt.Fprintf(a.stderr, "Sending %s to %s, as clone %s: with %s", count(len(p.Turns), "turn"), edit.Quote(remote), p.Clone, count(p.Prompts, "prompt"))
		if n := len(p.Ignored); n > 0 {
			const most = 10
			var names []string
			for _, name := range p.Ignored[:min(n, most)] {
				names = append(names, edit.Quote(name))
			}
			more := ""
			if n > most {
				more = ", …"
			}
			fmt.Fprintf(a.stderr, " and %s that git ignores (%s%s)", count(n, "file"), strings.Join(names, ", "), more)
		}
		fmt.Fprintln(a.stderr, ".")
	}
	sent, err := repo.Send(cmd.Context(), remote, p, a.stderr)
	if err != nil {
		a.report(newFailure("sync push", err))
		return
	}
	answer := syncAnswer{Command: "sync push", Status: "sent", Clone: p.Clone, Turns: []string{}, Prompts: p.Prompts, Ignored: p.Ignored}
	for _, n := range sent {
		answer.Turns = append(answer.Turns, strconv.Itoa(n))
	}
	a.tellSync(&answer, fmt.Sprintf("%s sent, %d there already", count(len(sent), "turn"), len(p.Turns)-len(sent)))
}

func (a *app) syncFetch(cmd *cobra.Command, remote string) {
	repo, err := a.open()
	if err != nil {
		a.report(newFailure("sync fetch", err))
		return
	}
	defer repo.Close()
	fetched, err := repo.Fetch(cmd.Context(), remote, a.stderr)
	if err != nil {
		a.report(newFailure("sync fetch", err))
		return
	}
	answer := syncAnswer{Command: "sync fetch", Status: "fetched", Turns: append([]string{}, fetched...)}
	text := count(len(fetched), "turn") + " fetched"
	if len(fetched) > 0 {
		text += ": chordgit log --clones lists them"
	}
	a.tellSync(&answer, text)
}

func (a *app) tellSync(answer *syncAnswer, text string) {
	switch {
	case a.json:
		if len(answer.Turns) == 0 {
			answer.Status = unchanged
		}
		a.writeJSON(answer)
	case !a.quiet:
		fmt.Fprintln(a.stdout, text)
	}
}
