package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

// An initReport is what init has to say.
type initReport struct {
	Command     string    `json:"command"`
	Status      string    `json:"status"` // recorded, or unchanged: all of it was stored
	Covered     int       `json:"covered"`
	Read        int       `json:"read"`
	ReadBytes   int64     `json:"read_bytes"`
	StoredBytes int64     `json:"stored_bytes"`
	NotCovered  []leftOut `json:"not_covered"`
	Failures    []failure `json:"failures"`
	Notes       []note    `json:"notes"`
	took        time.Duration
}

// leftOut is a path that captures do not cover, and the reason.
type leftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Record the worktree ahead of the first turn, and say what turns cover",
		Long: `Init reads all of the worktree once, so that the first turn begins quickly, and
says what turns will cover and what not. It makes no turn, and needs not be run:
the first "chordgit begin" does the same where it was not.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.initialise(cmd.Context())
			return nil
		},
	}
}

func (a *app) initialise(ctx context.Context) {
	repo, bar, err := a.capturing()
	if err != nil {
		a.report(captureFailure("init", err))
		return
	}
	defer repo.Close()
	begun := time.Now()
	found, err := repo.Init(ctx)
	bar.done()
	if err != nil {
		a.report(captureFailure("init", err))
		return
	}
	r := newInitReport(found)
	r.took = time.Since(begun)
	if a.json {
		a.writeJSON(r)
	} else if !a.quiet {
		fmt.Fprint(a.stdout, r.text(a.verbose))
	}
}

func newInitReport(found *gitops.Initial) *initReport {
	rep := &report{}
	rep.note(found.Notes)
	rep = rep.complete()
	r := &initReport{
		Command: "init", Status: unchanged, Covered: found.Files, Read: found.Read, ReadBytes: found.ReadBytes,
		StoredBytes: found.StoredBytes, NotCovered: []leftOut{}, Failures: rep.Failures, Notes: rep.Notes,
	}
	if found.StoredBytes > 0 {
		r.Status = recorded
	}
	for _, n := range found.Uncovered {
		r.NotCovered = append(r.NotCovered, leftOut{n.Path, n.Msg})
	}
	return r
}

// text tells a person. Of each reason the first paths are named, all of them if
// asked for.
func (r *initReport) text(all bool) string {
	var b strings.Builder
	if r.Read == 0 {
		fmt.Fprintf(&b, "Turns cover %s. Nothing had to be read, all is known (%s).\n", count(r.Covered, "file"), roundly(r.took))
	} else {
		fmt.Fprintf(&b, "Turns cover %s. Read %s, %s; stored %s (%s).\n", count(r.Covered, "file"), count(r.Read, "file"), bytesOf(r.ReadBytes), bytesOf(r.StoredBytes), roundly(r.took))
	}
	most := 5
	if all {
		most = len(r.NotCovered)
	}
	paths := map[string][]string{}
	var reasons []string
	for _, n := range r.NotCovered {
		if paths[n.Why] == nil {
			reasons = append(reasons, n.Why)
		}
		paths[n.Why] = append(paths[n.Why], n.Path)
	}
	for _, why := range reasons {
		list := paths[why]
		fmt.Fprintf(&b, "%s (%d):\n", capital(uncoveredWhy(why)), len(list))
		for _, p := range list[:min(most, len(list))] {
			if p == "" {
				p = "."
			}
			b.WriteString("  " + edit.Quote(p) + "\n")
		}
		if len(list) > most {
			fmt.Fprintf(&b, "  and %d more; --verbose names all\n", len(list)-most)
		}
	}
	for i, n := range r.Notes {
		if i == most && !all {
			fmt.Fprintf(&b, "Note: and %d more like this; --verbose names all\n", len(r.Notes)-most)
			break
		}
		b.WriteString("Note: " + n.String() + "\n")
	}
	b.WriteString("Next: \"chordgit run -- COMMAND\" or \"chordgit begin\" records a turn, \"chordgit apply\" applies a change as one.\n")
	return b.String()
}

// capital is a text with a capital at its start.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func roundly(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// bytesOf is a size in the unit that fits.
func bytesOf(n int64) string {
	if n < 1<<10 {
		return count(int(n), "byte")
	}
	f := float64(n)
	for _, unit := range []string{"KiB", "MiB", "GiB"} {
		if f /= 1 << 10; f < 1<<10 || unit == "GiB" {
			return fmt.Sprintf("%.1f %s", f, unit)
		}
	}
	return ""
}
