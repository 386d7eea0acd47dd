package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// ApplyIndexed is Apply that stages the results, too, as git apply --index does.
// Files that differ from their index entry are told by the tree's entries, to
// be refused under edit.Options.Index; an index that is locked refuses the
// request beforehand. The git program does the work, with the repository's own
// filters; if it cannot stage although the files are changed, a note says so.
func (r *Repo) ApplyIndexed(ctx context.Context, t Turn, plan func(edit.Tree) (*edit.Plan, error)) (*Turn, error) {
	if !repo.HasGit() {
		return nil, &edit.Error{Code: edit.Usage, Msg: "--index", Err: repo.ErrNeedsGit}
	}
	return r.apply(ctx, t, func(tree edit.Tree) (*edit.Plan, error) {
		if name := r.layout.IndexLock(); name != "" {
			return nil, &edit.Error{Code: edit.Locked, Msg: fmt.Sprintf("the index is locked by a git command, or by one that died (%s)", edit.Quote(name))}
		}
		return plan(r.Indexed(tree))
	}, r.stage)
}

// Indexed is one of the repository's trees that asks how files differ from their
// index entries, too.
func (r *Repo) Indexed(tree edit.Tree) edit.Tree { return indexedTree{tree, r} }

type indexedTree struct {
	edit.Tree
	r *Repo
}

// Entries is the tree's, and looks at what the files hold.
func (t indexedTree) Entries(paths []string) ([]*edit.Entry, error) {
	entries, err := t.Tree.Entries(paths)
	if err != nil {
		return nil, err
	}
	differ, err := t.r.modified(paths)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		if e != nil {
			e.Differs = e.Unmerged || differ[paths[i]]
		}
	}
	return entries, nil
}

// pathsMost is how many paths stand on a command line; the system bounds its
// length.
const pathsMost = 500

// modified returns which tracked paths hold other content on disk than in the
// index. git compares, as it would on adding them: with its filters. The raw
// records name what may differ, by stat; the numbers of lines tell whether the
// content does (older git has zeros where it does not). No porcelain: git diff would write the index.
func (r *Repo) modified(paths []string) (map[string]bool, error) {
	args := []string{"--literal-pathspecs", "diff-files", "--raw", "--numstat", "-z", "--text", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all", "--"}
	if len(paths) <= pathsMost {
		args = append(args, paths...)
	}
	out, err := r.layout.Command(args...).Output()
	if err != nil {
		return nil, gitTrouble("diff-files", err)
	}
	differ := map[string]bool{}
	for rest := string(out); rest != ""; {
		var record, path string
		record, rest, _ = strings.Cut(rest, "\x00")
		if raw := strings.Fields(record); strings.HasPrefix(record, ":") && len(raw) == 5 {
			path, rest, _ = strings.Cut(rest, "\x00")
			if raw[0][1:] != raw[1] { // gone, of another kind, another mode
				differ[path] = true
			}
			continue
		}
		if lines := strings.SplitN(record, "\t", 3); len(lines) == 3 && (lines[0] != "0" || lines[1] != "0") {
			differ[lines[2]] = true
		}
	}
	return differ, nil
}

// stage puts the results of a plan into the index.
func (r *Repo) stage(p *edit.Plan) {
	changes := slices.Clone(p.Changes)
	slices.SortStableFunc(changes, func(a, b edit.Change) int { // a file that makes room goes first
		switch {
		case a.After == nil && b.After != nil:
			return -1
		case a.After != nil && b.After == nil:
			return 1
		}
		return 0
	})
	var in bytes.Buffer
	for _, c := range changes {
		in.WriteString(c.Path)
		in.WriteByte(0)
	}
	cmd := r.layout.Command("update-index", "--add", "--remove", "-z", "--stdin")
	cmd.Stdin = &in
	if _, err := cmd.Output(); err != nil {
		p.Notes = append(p.Notes, edit.Note{Code: "not-staged", Msg: fmt.Sprintf("the files are changed, but not staged: %v", gitTrouble("update-index", err))})
	}
}

// gitTrouble is the error of a git command with what the command said.
func gitTrouble(what string, err error) error {
	said := ""
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		said, _, _ = strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		said = ": " + edit.Quote(said)
	}
	return fmt.Errorf("git %s: %w%s", what, err, said)
}
