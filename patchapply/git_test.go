package patchapply

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

// The tests of this file compare with git's own program.

// A gitDir is a repository for git to work in.
type gitDir struct {
	t   *testing.T
	dir string
}

func newGitDir(t *testing.T) *gitDir {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git program to compare with")
	}
	g := &gitDir{t, t.TempDir()}
	g.run(nil, "init", "-q")
	return g
}

// run runs git and fails the test if that fails.
func (g *gitDir) run(stdin []byte, args ...string) string {
	g.t.Helper()
	out, err := g.try(stdin, args...)
	if err != nil {
		g.t.Fatalf("git %v: %v", args, err)
	}
	return out
}

func (g *gitDir) try(stdin []byte, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "core.fileMode=true", "-c", "core.autocrlf=false", "-c", "core.quotePath=true"}, args...)...)
	cmd.Dir, cmd.Stdin = g.dir, bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_DIR="+filepath.Join(g.dir, ".git"), "LC_ALL=C")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%w: %s", err, errs.String())
	}
	return out.String(), nil
}

// apply is what git makes of a tree by a diff.
func (g *gitDir) apply(before edit.MapTree, diff string, args ...string) (edit.MapTree, error) {
	g.t.Helper()
	entries, err := os.ReadDir(g.dir)
	for _, e := range entries {
		if e.Name() != ".git" && err == nil {
			err = os.RemoveAll(filepath.Join(g.dir, e.Name()))
		}
	}
	for name, f := range before {
		p := filepath.Join(g.dir, filepath.FromSlash(name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(p), 0o755)
		}
		if err == nil {
			err = os.WriteFile(p, f.Data, f.Mode)
		}
	}
	if err != nil {
		g.t.Fatal(err)
	}
	if out, err := g.try([]byte(diff), append([]string{"apply", "--whitespace=nowarn"}, args...)...); err != nil {
		return nil, fmt.Errorf("%w %s", err, out)
	}
	after := edit.MapTree{}
	err = filepath.WalkDir(g.dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		rel, _ := filepath.Rel(g.dir, p)
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		after[filepath.ToSlash(rel)] = &edit.File{Mode: info.Mode(), Data: data}
		return err
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return after, nil
}

// A world makes random trees and changes of them.
type world struct{ *rand.Rand }

var vocabulary = []string{"", "", "{", "}", "\treturn nil", "if x > 0 {", "x := 1", "x := 2", "größe = 3", "漢字", "  indented", "// a", "--- a", "+++ b", "@@ -1 +1 @@", "-- "}

func (w world) line() string {
	if w.IntN(3) == 0 {
		return vocabulary[w.IntN(len(vocabulary))]
	}
	return fmt.Sprintf("line %d", w.IntN(1000))
}

func (w world) text() []byte {
	if w.IntN(12) == 0 {
		data := make([]byte, 100+w.IntN(300))
		for i := range data {
			data[i] = byte(w.IntN(256))
		}
		data[7] = 0
		return data
	}
	var lines []string
	for range w.IntN(60) {
		lines = append(lines, w.line())
	}
	return w.join(lines)
}

func (w world) join(lines []string) []byte {
	text := strings.Join(lines, "\n")
	if len(lines) > 0 && w.IntN(5) > 0 {
		text += "\n"
	}
	return []byte(text)
}

// changed is a text after some edits.
func (w world) changed(text []byte) []byte {
	if bytes.IndexByte(text, 0) >= 0 {
		return append(slices.Clone(text), 'x', byte(w.IntN(256)))
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for range 1 + w.IntN(4) {
		i := w.IntN(len(lines) + 1)
		switch n := w.IntN(3); {
		case n == 0 && i < len(lines):
			lines = slices.Delete(lines, i, min(i+1+w.IntN(3), len(lines)))
		case n == 1 && i < len(lines):
			lines[i] = w.line()
		default:
			lines = slices.Insert(lines, i, w.line())
		}
	}
	if w.IntN(4) == 0 {
		return w.join(lines)
	}
	out := []byte(strings.Join(lines, "\n"))
	if len(out) > 0 && (len(text) == 0 || text[len(text)-1] == '\n') {
		out = append(out, '\n')
	}
	return out
}

var fileNames = []string{"f", "g.go", "d/f", "d/e/h.txt", "with blank", "größe", "it's", "quo\"te", "z"}

func (w world) mode() fs.FileMode { return []fs.FileMode{0o644, 0o644, 0o755}[w.IntN(3)] }

func (w world) tree() edit.MapTree {
	t := edit.MapTree{}
	for _, name := range fileNames {
		if w.IntN(2) == 0 {
			t[name] = &edit.File{Mode: w.mode(), Data: w.text()}
		}
	}
	return t
}

// after is a tree after some operations.
func (w world) after(t edit.MapTree) edit.MapTree {
	out := edit.MapTree{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		f := t[name]
		g := &edit.File{Mode: f.Mode, Data: f.Data}
		switch w.IntN(8) {
		case 0:
			continue
		case 1, 2:
			g.Mode = w.mode()
		case 3:
			out["new "+name] = &edit.File{Mode: f.Mode, Data: w.changed(f.Data)}
			continue
		case 4:
			out["copy of "+name] = &edit.File{Mode: f.Mode, Data: f.Data}
		}
		if w.IntN(3) > 0 {
			g.Data = w.changed(f.Data)
		}
		out[name] = g
	}
	for _, name := range fileNames {
		if t[name] == nil && out[name] == nil && w.IntN(4) == 0 {
			out[name] = &edit.File{Mode: w.mode(), Data: w.text()}
		}
	}
	return out
}

// imported puts trees into the repository and returns their names.
func (g *gitDir) imported(trees []edit.MapTree) []string {
	var b bytes.Buffer
	names := make([]string, len(trees))
	for i, t := range trees {
		names[i] = fmt.Sprintf("refs/t/%d", i)
		fmt.Fprintf(&b, "reset %s\ncommit %s\ncommitter a <a@localhost> 0 +0000\ndata 0\n\n", names[i], names[i])
		for name, f := range t {
			mode := 0o644 | f.Mode&0o111
			fmt.Fprintf(&b, "M 100%03o inline %q\ndata %d\n", mode, name, len(f.Data))
			b.Write(f.Data)
			b.WriteByte('\n')
		}
	}
	g.run(b.Bytes(), "fast-import", "--quiet")
	return names
}

// planned is what we make of a tree by a diff.
func planned(t *testing.T, before edit.MapTree, diff string) (*edit.Plan, edit.MapTree, []edit.Op) {
	t.Helper()
	req, err := Parse([]byte(diff), Options{Format: "git-diff", Exists: func(name string) bool { return before[name] != nil }})
	if err != nil {
		t.Fatalf("%v\n%s", err, diff)
	}
	plan, err := edit.NewPlan(before, req.Ops, edit.Options{Umask: 0o022})
	if err != nil {
		t.Fatalf("%v\n%s", err, diff)
	}
	return plan, before.Apply(plan), req.Ops
}

func show(f *edit.File) string {
	if f == nil {
		return "nothing"
	}
	return fmt.Sprintf("%v %q", f.Mode, f.Data)
}

func sameFile(a, b *edit.File) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Data, b.Data) && a.Mode&0o100 == b.Mode&0o100
}

// A diff that git made is applied as git applies it. If the files have changed
// since, we never do anything else than git: we do the same, or refuse; and where
// git refuses, a change without a note is one that stood exactly as stated.
func TestGitApply(t *testing.T) {
	g := newGitDir(t)
	const rounds = 60
	w := world{rand.New(rand.NewPCG(1, 11))}
	var trees []edit.MapTree
	for range rounds {
		before := w.tree()
		trees = append(trees, before, w.after(before))
	}
	names := g.imported(trees)
	same, moved, refused := 0, 0, 0
	for i := range rounds {
		before, after := trees[2*i], trees[2*i+1]
		context := []int{0, 1, 3, 3, 8}[w.IntN(5)]
		args := []string{"diff-tree", "-p", "--no-color", "--no-ext-diff", "--binary", "-r", fmt.Sprintf("-U%d", context)}
		args = append(args, [][]string{{"--no-renames"}, {"-M"}, {"-C"}, {"-C", "--find-copies-harder"}}[w.IntN(4)]...)
		diff := g.run(nil, append(args, names[2*i], names[2*i+1])...)
		if diff == "" {
			continue
		}
		compareReaders(t, diff)
		plan, ours, _ := planned(t, before, diff)
		zero := []string{"--unidiff-zero"}[min(context, 1):]
		theirs, err := g.apply(before, diff, zero...)
		if err != nil {
			t.Fatalf("%v\n%s", err, diff)
		}
		if len(plan.Failures) > 0 {
			t.Fatalf("round %d: %v\n%s", i, plan.Failures, diff)
		}
		for name := range union(ours, theirs, after) {
			if !sameFile(ours[name], theirs[name]) || !sameFile(theirs[name], after[name]) {
				t.Fatalf("round %d: %q is %s, by git %s\n%s", i, name, show(ours[name]), show(theirs[name]), diff)
			}
		}
		same++
		if context == 0 {
			continue // by numbers alone git glues lines together where the last newline differs
		}

		drifted := edit.MapTree{}
		for _, name := range slices.Sorted(maps.Keys(before)) {
			f := before[name]
			drifted[name] = &edit.File{Mode: f.Mode, Data: f.Data}
			if w.IntN(2) == 0 {
				drifted[name].Data = w.changed(f.Data)
			}
		}
		plan, ours, ops := planned(t, drifted, diff)
		theirs, err = g.apply(drifted, diff)
		noted, ended := map[int]bool{}, map[string]bool{}
		for _, n := range plan.Notes {
			noted[n.Op] = true
			// git takes a last line without newline for one with it; we say so.
			if n.Code == "no-newline-marker" {
				ended[n.Path], ended[ops[n.Op-1].MoveTo] = true, true
			}
		}
		if err == nil {
			for name := range union(ours, theirs) {
				if !sameFile(ours[name], theirs[name]) && len(plan.Failures) == 0 && !ended[name] {
					t.Fatalf("round %d: %q is %s, by git %s\n%s", i, name, show(ours[name]), show(theirs[name]), diff)
				}
			}
			moved++
			continue
		}
		refused++
		for k, op := range ops {
			if o := plan.Outcomes[k]; o.OK && !noted[k+1] && op.Kind == edit.Diff && op.Binary == nil {
				if want, ok := byNumber(drifted[op.Path].Data, op.Hunks); !ok || !bytes.Equal(ours[o.Path].Data, want) {
					t.Fatalf("round %d: %q is changed without a note, and git says: %v\n%q\n%q\n%s", i, op.Path, err, ours[o.Path].Data, want, diff)
				}
			}
		}
	}
	if same < rounds/2 || moved == 0 || refused == 0 {
		t.Errorf("%d as they were, %d changed since, %d refused by git: too few to tell", same, moved, refused)
	}
}

func union(trees ...edit.MapTree) map[string]bool {
	names := map[string]bool{}
	for _, t := range trees {
		for name := range t {
			names[name] = true
		}
	}
	return names
}

// byNumber applies hunks where they say, if all their old lines stand there.
func byNumber(text []byte, hunks []edit.Hunk) ([]byte, bool) {
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out strings.Builder
	at := 0
	for _, h := range hunks {
		for ; at < h.At-1; at++ {
			if at == len(lines) {
				return nil, false
			}
			out.WriteString(lines[at])
		}
		for i, l := range h.Lines {
			if l.Kind == edit.Added {
				if out.Len() > 0 && !strings.HasSuffix(out.String(), "\n") {
					out.WriteByte('\n') // the last line of a file without a newline
				}
				out.WriteString(l.Text)
				if !h.NewBare || slices.ContainsFunc(h.Lines[i+1:], func(l edit.Line) bool { return l.Kind != edit.Removed }) {
					out.WriteByte('\n')
				}
				continue
			}
			if at == len(lines) || strings.TrimSuffix(lines[at], "\n") != l.Text {
				return nil, false
			}
			if l.Kind == edit.Context {
				out.WriteString(lines[at])
			}
			at++
		}
	}
	for ; at < len(lines); at++ {
		out.WriteString(lines[at])
	}
	return []byte(out.String()), true
}

// An envelope whose hunks stand exactly once gives the bytes that git gives for
// the same change as a unified diff.
func TestEnvelopeAsGit(t *testing.T) {
	g := newGitDir(t)
	w := world{rand.New(rand.NewPCG(2, 22))}
	for round := range 30 {
		n := 1 + w.IntN(50)
		lines := make([]string, n)
		for i := range lines {
			lines[i] = fmt.Sprintf("%s #%d", w.line(), i) // no two are alike
		}
		before := edit.MapTree{"f": {Mode: 0o644, Data: []byte(strings.Join(lines, "\n") + "\n")}}
		var envelope, diff strings.Builder
		envelope.WriteString("*** Begin Patch\n*** Update File: f\n")
		diff.WriteString("--- a/f\n+++ b/f\n")
		shift := 0
		for at := 0; at < n; {
			from := max(at, at+w.IntN(12))
			if from >= n {
				break
			}
			var body []string
			removed, added := 0, 0
			for i := range 1 + w.IntN(3) {
				if from+i < n {
					body = append(body, "-"+lines[from+i])
					removed++
				}
			}
			for range w.IntN(4) {
				body = append(body, fmt.Sprintf("+%s ##%d", w.line(), w.IntN(1000)))
				added++
			}
			head, tail := min(3, from-at), min(3, n-from-removed)
			for i := range head {
				body = slices.Insert(body, i, " "+lines[from-head+i])
			}
			for i := range tail {
				body = append(body, " "+lines[from+removed+i])
			}
			text := strings.Join(body, "\n") + "\n"
			start := from - head + 1
			fmt.Fprintf(&diff, "@@ -%d,%d +%d,%d @@\n%s", start, head+removed+tail, start+shift, head+added+tail, text)
			fmt.Fprintf(&envelope, "@@\n%s", text)
			shift += added - removed
			at = from + removed + tail
		}
		if !strings.Contains(diff.String(), "@@") {
			continue
		}
		envelope.WriteString("*** End Patch\n")
		theirs, err := g.apply(before, diff.String())
		if err != nil {
			t.Fatalf("%v\n%s", err, diff.String())
		}
		req, err := Parse([]byte(envelope.String()), Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, envelope.String())
		}
		plan, err := edit.NewPlan(before, req.Ops, edit.Options{Umask: 0o022})
		if err != nil || len(plan.Failures) > 0 || len(plan.Notes) > 0 {
			t.Fatalf("%v %+v\n%s", err, plan, envelope.String())
		}
		_, viaDiff, _ := planned(t, before, diff.String())
		for _, ours := range []edit.MapTree{before.Apply(plan), viaDiff} {
			if !sameFile(ours["f"], theirs["f"]) {
				t.Fatalf("round %d: %q, by git %q\n%s", round, ours["f"].Data, theirs["f"].Data, envelope.String())
			}
		}
	}
}
