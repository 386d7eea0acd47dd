package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

// verified is what verify says beyond failures and notes.
type verified struct {
	Turns    []int    `json:"turns"`
	Clones   []string `json:"clones,omitempty"` // turns of other clones
	Objects  int      `json:"objects"`
	Restored []int    `json:"restored"`
	Gaps     []int    `json:"gaps"`
}

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [N|CLONE/N...]",
		Short: "Check that the turns can be taken back, and put lost refs back",
		Long: `Verify reads and hashes every object that the turns of all worktrees need, by
default of all turns, those that were fetched of other clones too, and compares what their refs, tags and records say. A turn
whose ref was lost, as by git fetch --prune with refs/*, gets it back if all of
its objects are there. A damaged turn is named with the object and the file; it
is refused by rewind.`,
		Example: `  chordgit verify        all turns
  chordgit verify 7 8    turns 7 and 8
  chordgit verify 0a1b2c3d/7
                         turn 7 of another clone`,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.verify(cmd.Context(), args)
			return nil
		},
	}
}

func (a *app) verify(ctx context.Context, args []string) {
	for _, arg := range args {
		if _, _, err := parseName(arg); err != nil {
			a.report(newFailure("verify", err))
			return
		}
	}
	repo, err := a.open()
	if err != nil {
		a.report(newFailure("verify", err))
		return
	}
	defer repo.Close()
	var found *gitops.Verification
	err = a.holding(ctx, func(ctx context.Context) error {
		found, err = repo.Verify(ctx, args)
		return err
	})
	if err != nil {
		a.report(newFailure("verify", err))
		return
	}
	rep := &report{Command: "verify", Status: "ok", Verified: &verified{
		Turns: orNone(found.Turns), Clones: found.Clones, Objects: found.Objects, Restored: orNone(found.Restored), Gaps: orNone(found.Gaps),
	}}
	rep.note(found.Notes)
	rep.fail(found.Failures)
	if len(rep.Failures) > 0 {
		rep.Status = failed
	}
	for i := range rep.Failures {
		if f := &rep.Failures[i]; f.Code == edit.Damaged {
			f.Hint = "a damaged turn is not taken back; a clone or a backup of the repository may still have the object: copy it into .git/objects and verify again"
		}
	}
	a.report(rep)
}

// orNone is the list that JSON shows as [] instead of null.
func orNone(list []int) []int { return append([]int{}, list...) }

func (v *verified) text() string {
	if len(v.Turns)+len(v.Clones) == 0 {
		return "No turns to verify.\n"
	}
	var b strings.Builder
	of := ""
	if n := len(v.Clones); n > 0 {
		of = fmt.Sprintf(", %d of other clones", n)
	}
	fmt.Fprintf(&b, "Verified %s%s: %s read and hashed.\n", count(len(v.Turns)+len(v.Clones), "turn"), of, count(v.Objects, "object"))
	if len(v.Gaps) > 0 {
		fmt.Fprintf(&b, "Numbers without a turn, as after a rollback or a prune: %s\n", ranges(v.Gaps))
	}
	return b.String()
}

// ranges writes ascending numbers with runs drawn together: "1, 3–5".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if j == i {
			parts = append(parts, fmt.Sprint(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", list[i], list[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
