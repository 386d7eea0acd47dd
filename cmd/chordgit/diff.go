package main

import (
	"bytes"
	"fmt"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

func (a *app) diffCommand() *cobra.Command {
	noPager := false
	cmd := &cobra.Command{
		Use:   "diff [N|CLONE/N]",
		Short: "Show what a turn changed, as a diff",
		Long: `Diff shows what turn N, by default the newest that is closed, changed, in git's
diff format. On a terminal it goes through the pager that git would use.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			repo, turn, err := a.turn(args)
			if err != nil {
				a.report(newFailure("diff", err))
				return nil
			}
			defer repo.Close()
			if turn.Status == gitops.StatusOpen {
				a.report(newFailure("diff", &edit.Error{Code: edit.NoTurn, Msg: fmt.Sprintf("turn %d is open: what it changed is known when it is closed", turn.N)}))
				return nil
			}
			changes, err := repo.Changes(turn)
			if err != nil {
				a.report(newFailure("diff", err))
				return nil
			}
			text := diffChanges(changes, repo.Content)
			if a.json {
				answer := map[string]any{"command": "diff", "status": "ok", "turn": turn.N, "diff": text}
				if turn.Clone != "" {
					answer["clone"] = turn.Clone
				}
				a.writeJSON(answer)
				return nil
			}
			pager := ""
			if !noPager && isFileTerminal(a.stdout) {
				pager = repo.Pager()
			}
			a.page(pager, a.paint(text))
			return nil
		},
	}
	cmd.Flags().BoolVar(&noPager, "no-pager", false, "no pager, even on a terminal")
	return cmd
}

// diffChanges renders changes in git's extended diff format.
func diffChanges(changes []edit.Change, content func(*edit.File) []byte) string {
	before := map[string]*edit.File{}
	moved := map[string]bool{}
	for _, c := range changes {
		before[c.Path] = c.Before
		if c.From != "" {
			moved[c.From] = true
		}
	}
	var b strings.Builder
	for _, c := range changes {
		if c.After == nil && moved[c.Path] {
			continue // shown with its target
		}
		from, old := c.Path, c.Before
		if c.From != "" {
			from, old = c.From, before[c.From]
		}
		diffOne(&b, from, c.Path, old, c.After, content)
	}
	return b.String()
}

func diffOne(b *strings.Builder, from, to string, old, now *edit.File, content func(*edit.File) []byte) {
	fmt.Fprintf(b, "diff --git %s %s\n", diffName("a/", from), diffName("b/", to))
	oldName, newName := diffName("a/", from), diffName("b/", to)
	switch {
	case old == nil:
		fmt.Fprintf(b, "new file mode %s\n", gitops.ModeString(now.Mode))
		oldName = "/dev/null"
	case now == nil:
		fmt.Fprintf(b, "deleted file mode %s\n", gitops.ModeString(old.Mode))
		newName = "/dev/null"
	default:
		if old.Mode != now.Mode {
			fmt.Fprintf(b, "old mode %s\nnew mode %s\n", gitops.ModeString(old.Mode), gitops.ModeString(now.Mode))
		}
		if from != to {
			fmt.Fprintf(b, "rename from %s\nrename to %s\n", diffName("", from), diffName("", to))
		}
	}
	x, y := content(old), content(now)
	if bytes.Equal(x, y) {
		return
	}
	if isBinary(x) || isBinary(y) {
		fmt.Fprintf(b, "Binary files %s and %s differ\n", oldName, newName)
		return
	}
	text, err := udiff.ToUnified(oldName, newName, string(x), udiff.Lines(string(x), string(y)), udiff.DefaultContextLines)
	if err != nil {
		fmt.Fprintf(b, "Files %s and %s differ (%v)\n", oldName, newName, err)
		return
	}
	b.WriteString(text)
}

func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0
}

// diffName quotes a name as git does where it holds what a line cannot.
func diffName(prefix, path string) string {
	name := prefix + path
	if !strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7F || r == '"' || r == '\\' || r == '\uFFFD' }) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < 0x20 || c >= 0x7F:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
