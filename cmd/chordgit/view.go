package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/patchapply"
)

// A view is what stands at a path that was only looked at.
type view struct {
	Path string `json:"path"`
	Text string `json:"text"`

	call int // index of the call that asked
}

// viewer answers the calls that only look: first those before any operation of
// the request, then, when the changes are made, the others. What cannot be seen
// is a failure of that call.
func viewer(repo *gitops.Repo, req *patchapply.Request, opt edit.Options, rep *report) func(first bool) {
	changing := len(req.Calls)
	for _, op := range req.Ops {
		changing = min(changing, op.Call)
	}
	return func(first bool) {
		for i, c := range req.Calls {
			if c.View == nil || first != (i < changing) {
				continue
			}
			p, text, err := look(repo, c.View, opt)
			if err != nil {
				errs := toErrors(err)
				for _, e := range errs {
					e.Call = i + 1
					if e.Path == "" {
						e.Path = c.View.Path
					}
				}
				rep.fail(errs)
				continue
			}
			rep.Views = append(rep.Views, view{Path: p, Text: text, call: i})
		}
	}
}

// look reads a file with line numbers, or a directory two levels deep.
func look(repo *gitops.Repo, v *patchapply.View, opt edit.Options) (p, text string, err error) {
	tree := repo.Tree()
	if p, err = edit.ResolvePath(tree, v.Path, opt); err != nil {
		return p, "", err
	}
	if p == "." {
		return p, listing(repo.Top(), p), nil
	}
	f, err := tree.Lookup(p)
	switch {
	case err != nil:
		return p, "", &edit.Error{Code: edit.Unreadable, Path: p, Err: err}
	case f == nil:
		return p, "", &edit.Error{Code: edit.Missing, Path: p, Msg: "file not found"}
	case f.IsDir() && v.From > 0:
		return p, "", &edit.Error{Code: edit.BadLine, Path: p, Msg: "is a directory, which has no lines"}
	case f.IsDir():
		return p, listing(repo.Top(), p), nil
	case !f.Regular():
		return p, "", &edit.Error{Code: edit.NotRegular, Path: p, Msg: "is " + f.KindName() + ", which is never opened"}
	}
	if err := tree.Load(p, f); err != nil {
		return p, "", err
	}
	data, err := edit.Text(f.Data)
	if err != nil {
		return p, "", err
	}
	text, err = numbered(data, v.From, v.To)
	return p, text, err
}

// numbered renders lines from up to to, each with its number.
func numbered(data []byte, from, to int) (string, error) {
	lines := splitLines(data)
	if from == 0 {
		from, to = 1, -1
	}
	if to == -1 || to == 0 {
		to = max(len(lines), from)
	}
	if from > max(len(lines), 1) || to > max(len(lines), 1) {
		return "", &edit.Error{Code: edit.BadLine, Msg: fmt.Sprintf("lines %d–%d do not exist: the file has %s", from, to, count(len(lines), "line"))}
	}
	var b strings.Builder
	for i := from; i <= to && i <= len(lines); i++ {
		fmt.Fprintf(&b, "%6d\t%s\n", i, lines[i-1])
	}
	return b.String(), nil
}

// splitLines splits a text at LF, CRLF or, if there is no LF, CR.
func splitLines(data []byte) [][]byte {
	if len(data) == 0 {
		return nil
	}
	brk := []byte{'\n'}
	if !bytes.Contains(data, brk) {
		brk = []byte{'\r'}
	}
	lines := bytes.Split(bytes.TrimSuffix(data, brk), brk)
	for i := range lines {
		lines[i] = bytes.TrimSuffix(lines[i], []byte{'\r'})
	}
	return lines
}

// listedMost is how many names of a directory are listed.
const listedMost = 1000

// listing names what a directory holds, two levels deep. Hidden names, git's
// own and what cannot be read are left out.
func listing(top, dir string) string {
	var names []string
	var walk func(rel string, depth int)
	walk = func(rel string, depth int) {
		entries, err := os.ReadDir(filepath.Join(top, filepath.FromSlash(rel)))
		if err != nil {
			return
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") || len(names) > listedMost || !utf8.ValidString(e.Name()) {
				continue
			}
			p := path.Join(rel, e.Name())
			if e.IsDir() {
				names = append(names, p+"/")
				if depth < 2 {
					walk(p, depth+1)
				}
				continue
			}
			names = append(names, p)
		}
	}
	walk(dir, 1)
	slices.Sort(names)
	var b strings.Builder
	b.WriteString(edit.Quote(dir) + "/\n")
	for _, n := range names[:min(len(names), listedMost)] {
		b.WriteString(edit.Quote(n) + "\n")
	}
	if len(names) > listedMost {
		b.WriteString("(more names are left out)\n")
	}
	return b.String()
}

// undoes is the path whose last change the request wants taken back, empty if
// it wants none.
func undoes(req *patchapply.Request) string {
	for _, c := range req.Calls {
		if c.Undo != "" {
			return c.Undo
		}
	}
	return ""
}

// undo takes back the newest turn of the session that changed a path.
func (a *app) undo(ctx context.Context, repo *gitops.Repo, name string, plan edit.Options, opt applyOptions) (*edit.Plan, *gitops.Turn, error) {
	p, err := edit.ResolvePath(repo.Tree(), name, plan)
	if err != nil {
		if e := new(edit.Error); errors.As(err, &e) && e.Path == "" {
			e.Path = name
		}
		return nil, nil, err
	}
	turn := a.turnOf(opt)
	undone, err := repo.Undone()
	if err != nil {
		return nil, nil, err
	}
	var last *gitops.Turn
	back := map[int]bool{} // turns of which this path is taken back already
	for t, err := range repo.Turns() {
		if err != nil {
			return nil, nil, err
		}
		switch {
		case !slices.Contains(t.Paths, p):
		case t.Kind == gitops.KindRewind && undone[t.N] == 0:
			for _, n := range t.Undoes {
				back[n] = true
			}
		case t.Session == turn.Session && t.Kind != gitops.KindRewind && undone[t.N] == 0 && !back[t.N]:
			last = t
		}
		if last != nil {
			break
		}
	}
	if last == nil {
		return nil, nil, &edit.Error{Code: edit.NoTurn, Path: p, Msg: "there is nothing to undo: no turn of this session that is not taken back changed the path"}
	}
	turn.Message = ""
	var res *gitops.Rewound
	err = a.holding(ctx, func(ctx context.Context) error {
		var err error
		res, err = repo.Rewind(ctx, last.N, gitops.RewindOptions{Turn: turn, DryRun: opt.dryRun, Atomic: true, Paths: []string{p}})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return res.Plan, res.Turn, nil
}

// undone says what an undo did.
func undone(plan *edit.Plan) string {
	for _, c := range plan.Changes {
		return "Took back the last change of " + edit.Quote(c.Path)
	}
	return "No changes: it is as before already"
}
