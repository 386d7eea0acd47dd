package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/spf13/cobra"
)

func (a *app) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Tell what agents may do to which paths, and why",
		Long: `Policy tells what .chordgit.yaml (in HEAD and in the worktree) and the user's
configuration say about changes that an agent wants to make. The strictest
counts. It changes nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.policyCheckCommand(), a.policyExplainCommand(), a.policyTestCommand())
	return cmd
}

// A policyQuestion is what the flags say.
type policyQuestion struct {
	op, tool string
	strict   bool
	scope    string // of a range
	source   []string
	github   bool
}

func (q *policyQuestion) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&q.op, "op", "", "`OPERATION`: create, write, delete or move (default create or write, by what exists)")
	f.StringSliceVar(&q.source, "source", nil, "which `VERSIONS` of the file count, beside the user's: head, index, worktree, turn:N (default head,worktree)")
	f.StringVar(&q.tool, "tool", "", "`TOOL` that does it: edit, apply_patch, write, delete or move (default any)")
}

func (q *policyQuestion) valid() error {
	if q.op != "" && !slices.Contains(hooks.Kinds(), q.op) {
		return fmt.Errorf("--op: want create, write, delete or move, found %q", q.op)
	}
	if q.tool != "" && !slices.Contains([]string{"edit", "apply_patch", "write", "delete", "move"}, q.tool) {
		return fmt.Errorf("--tool: want edit, apply_patch, write, delete or move, found %q", q.tool)
	}
	for _, s := range q.source {
		if _, _, err := sourceOf(s); err != nil {
			return err
		}
	}
	if q.scope != "" && q.scope != "agents" && q.scope != "all" {
		return fmt.Errorf("--scope: want agents or all, found %q", q.scope)
	}
	return nil
}

// operations are what is asked about: a move has two paths, all else one each.
func (q *policyQuestion) operations(args []string) ([]hooks.Operation, error) {
	kind := hooks.Kind(q.op)
	if kind == hooks.Move {
		if len(args) != 2 {
			return nil, errors.New("--op move: name the source and the target")
		}
		return []hooks.Operation{{Kind: kind, Path: args[0], To: args[1], Tool: q.tool}}, nil
	}
	var ops []hooks.Operation
	for _, name := range args {
		ops = append(ops, hooks.Operation{Kind: kind, Path: filepath.ToSlash(name), Tool: q.tool})
	}
	return ops, nil
}

func (a *app) policyCheckCommand() *cobra.Command {
	var q policyQuestion
	cmd := &cobra.Command{
		Use:   "check PATH… | RANGE",
		Short: "Tell for each path whether an agent may change it, or for commits whether they may be",
		Long: `Check prints a verdict for each path, and for what is not allowed the rule that
says so. The exit status is 0 if everything is allowed, 4 if something is denied
or needs a person's consent (with --strict: or is worth a note), 1 if it cannot be
decided.

Of a RANGE of commits, such as origin/main..HEAD, it judges what each commit
changes by the policy of its parents and its own: the check for a CI, which nobody
can skip.`,
		Example: `  chordgit policy check src/a.go go.mod
  chordgit policy check --op delete --tool apply_patch migrations
  chordgit policy check --op move a.txt secret/a.txt
  chordgit policy check origin/main..HEAD`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := q.valid(); err != nil {
				return err
			}
			if len(args) == 1 && cmd.ArgsLenAtDash() < 0 && strings.Contains(args[0], "..") {
				h, err := gitops.OpenHistory(cmp.Or(a.dir, "."), a.repo)
				if err == nil {
					defer h.Close()
					var yes bool
					if yes, err = isRange(h, args[0]); yes && q.source != nil {
						return errors.New("--source is about paths: commits are judged by the versions of their parents and their own")
					} else if yes {
						a.policyRange(h, args[0], &q)
						return nil
					}
				}
				if err != nil {
					a.policyFailure("policy check", err)
					return nil
				}
			}
			ops, err := q.operations(args)
			if err != nil {
				return err
			}
			a.policyCheck(ops, &q)
			return nil
		},
	}
	q.flags(cmd)
	cmd.Flags().BoolVar(&q.strict, "strict", false, "a note counts as a denial")
	cmd.Flags().StringVar(&q.scope, "scope", "", "of a RANGE judge the changes of `WHOM`: agents or all (default all)")
	cmd.Flags().BoolVar(&q.github, "github", false, "of a RANGE write findings as GitHub shows them beside the lines")
	return cmd
}

func (a *app) policyExplainCommand() *cobra.Command {
	var q policyQuestion
	cmd := &cobra.Command{
		Use:     "explain PATH",
		Short:   "Tell which rules decide about a path, in which file and line",
		Example: `  chordgit policy explain --op write link.txt`,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := q.valid(); err != nil {
				return err
			}
			ops, err := q.operations(args)
			if err != nil {
				return err
			}
			if len(ops) != 1 {
				return errors.New("explain takes one path")
			}
			a.policyExplain(ops[0], &q)
			return nil
		},
	}
	q.flags(cmd)
	return cmd
}

func (a *app) policyTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test [FILE]",
		Short: "Run cases of what policy is expected to say",
		Long: `Test reads cases from FILE, by default .chordgit.test.yaml in the worktree's root,
and prints TAP: paths are relative to that root. The exit status is 4 if a case
differs.`,
		Example: `  cases:
    - {path: src/a.go, want: allow}
    - {path: migrations/1.sql, op: delete, want: deny, class: rule}
    - {path: a.txt, op: move, to: secret/a.txt, tool: apply_patch, want: deny}`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			a.policyTest(args)
			return nil
		},
	}
}

// policyFailure reports that nothing can be decided.
func (a *app) policyFailure(command string, err error) {
	a.report(newFailure(command, err))
	a.code = 1
}

func (a *app) policyCheck(ops []hooks.Operation, q *policyQuestion) {
	policy, layers, repo, err := a.policyHere(q.source, false)
	if err != nil {
		a.policyFailure("policy check", err)
		return
	}
	defer repo.Close()
	answer := policyAnswer{Command: "policy check", Findings: []policyFinding{}, Notes: lint(repo, layers)}
	for _, op := range ops {
		found := policy.Judge(hooks.Agent, op)
		if len(found) == 0 {
			found = []hooks.Finding{{Verdict: hooks.Allow, Op: policy.KindOf(op), Path: op.Path}}
		}
		for i := range found {
			answer.add(&found[i])
			a.code = worse(a.code, findingExit(&found[i], q.strict))
		}
	}
	if answer.Status = policyStatus(a.code); q.strict && len(answer.Notes) > 0 {
		a.code = worse(a.code, exitDenied)
	}
	if a.json {
		a.writeJSON(answer)
		return
	}
	for _, f := range answer.Findings {
		if !a.quiet || f.Verdict != "allow" {
			fmt.Fprintln(a.stdout, f.line())
		}
	}
	for _, n := range answer.Notes {
		fmt.Fprintln(a.stderr, "Note: "+n.String())
	}
}
