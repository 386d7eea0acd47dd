package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops"
)

// A codexExpect is what a run of the drop-in answers and leaves.
type codexExpect struct {
	Exit      int                `json:"exit"`
	Stdout    string             `json:"stdout"`
	Stderr    string             `json:"stderr"` // "*" is any text
	Files     map[string]fixture `json:"files"`
	EmptyDirs []string           `json:"empty_dirs"`
}

// A codexProbe is one case of codex-probes.json.
type codexProbe struct {
	Name    string             `json:"name"`
	Files   map[string]fixture `json:"files"`
	Argv    []fixture          `json:"argv"`
	Stdin   fixture            `json:"stdin"`
	Expect  codexExpect        `json:"expect"`
	Also    []codexExpect      `json:"also"`
	GitSame []string           `json:"git_same"`
}

// codexProbes are the answers of Codex's own binary, and what is deliberately
// different: under the name apply_patch, and with --compat codex where the patch
// can come on standard input.
func codexProbes(t *testing.T, dir string) (passed, failed []string) {
	var probes struct {
		Cases     []codexProbe `json:"cases"`
		Different []codexProbe `json:"deliberately_different"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "codex-probes.json"))
	if err != nil {
		return nil, nil
	}
	if err := json.Unmarshal(data, &probes); err != nil {
		t.Fatal(err)
	}
	told := differences(t)
	for _, p := range probes.Different {
		if !told[p.Name] {
			failed = append(failed, p.Name+": testdata/differences.md does not tell of it")
		}
	}
	for _, p := range slices.Concat(probes.Cases, probes.Different) {
		why := ""
		for _, way := range p.ways() {
			if why == "" {
				why = p.run(t, way)
			}
		}
		if why == "" {
			passed = append(passed, p.Name)
		} else {
			failed = append(failed, p.Name+": "+why)
		}
	}
	return passed, failed
}

// codexScenarios are Codex's scenarios with the answers of its binary.
func codexScenarios(t *testing.T, dir string) (passed, failed []string) {
	dir = filepath.Join(dir, "codex-scenarios")
	data, err := os.ReadFile(filepath.Join(dir, "reference-output.json"))
	if err != nil {
		return nil, nil
	}
	var answers map[string]codexExpect
	if err := json.Unmarshal(data, &answers); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		patch, err := os.ReadFile(filepath.Join(dir, name, "patch.txt"))
		if err != nil {
			t.Fatal(err)
		}
		p := codexProbe{Files: toFixtures(readFiles(t, filepath.Join(dir, name, "input"))), Argv: []fixture{{Text: string(patch)}}, Expect: answers[name]}
		p.Expect.Files = toFixtures(readFiles(t, filepath.Join(dir, name, "expected")))
		why := ""
		for _, way := range p.ways() {
			if why == "" {
				why = p.run(t, way)
			}
		}
		if why == "" {
			passed = append(passed, name)
		} else {
			failed = append(failed, name+": "+why)
		}
	}
	return passed, failed
}

// The ways to run a probe.
const (
	asGiven    = "as given"
	onStdin    = "on standard input"
	withCompat = "--compat codex"
)

func (p codexProbe) ways() []string {
	switch {
	case len(p.Argv) == 1 && p.Argv[0].Base64 == nil:
		return []string{asGiven, onStdin, withCompat}
	case len(p.Argv) == 0 && p.Stdin.Text != "":
		return []string{asGiven, withCompat}
	}
	return []string{asGiven} // what is wrong is the command line
}

// run runs the probe in a fresh repository and says what is not as expected. A
// run that changed something is taken back afterwards: every byte that went must
// be in its turn.
func (p codexProbe) run(t *testing.T, way string) (why string) {
	w := newWorkspace(t, p.Files)
	root, err := filepath.EvalSymlinks(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, arg := range p.Argv {
		args = append(args, strings.ReplaceAll(arg.Text, "{ROOT}", root))
	}
	before, git := detailed(t, w.dir), gitFiles(t, w.dir, p.GitSame)
	var out, errs bytes.Buffer
	a := &app{dir: w.dir, stdin: strings.NewReader(p.Stdin.Text), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }, repo: gitops.Options{NoSync: true}}
	var code int
	if way != asGiven && len(args) == 1 {
		a.stdin, args = strings.NewReader(args[0]), nil
	}
	if way == withCompat {
		code = a.run([]string{"-C", w.dir, "apply", "--compat", "codex"})
	} else {
		code = a.dropIn(args)
	}
	after := detailed(t, w.dir)
	for _, e := range append([]codexExpect{p.Expect}, p.Also...) {
		e.Stdout = strings.ReplaceAll(e.Stdout, "{ROOT}", root)
		e.Stderr = strings.ReplaceAll(e.Stderr, "{ROOT}", root)
		tree := e.tree(p.Files)
		if code == e.Exit && out.String() == e.Stdout && (errs.String() == e.Stderr || e.Stderr == "*" && errs.Len() > 0) && maps.Equal(after, tree) {
			why = ""
			break
		}
		why = fmt.Sprintf("%s: exit %d\nstdout %q\nstderr %q\ntree %q, want %q", way, code, out.String(), errs.String(), after, tree)
	}
	switch {
	case why != "":
	case !maps.Equal(gitFiles(t, w.dir, p.GitSame), git):
		why = way + ": the git directory changed"
	case changed(before, after) != "":
		code, out, errs := w.command("rewind")
		if now := changed(before, detailed(t, w.dir)); code != 0 || now != "" {
			why = fmt.Sprintf("%s: taken back, exit %d: %s\n%s%s", way, code, now, out, errs)
		}
	}
	return why
}

// changed names what differs between two trees beside empty directories.
func changed(before, after map[string]string) string {
	var names []string
	for name := range before {
		if before[name] != "dir" && after[name] != before[name] {
			names = append(names, name)
		}
	}
	for name := range after {
		if after[name] != "dir" && before[name] == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func (w workspace) command(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }, repo: gitops.Options{NoSync: true}}
	code = a.run(append([]string{"-C", w.dir}, args...))
	return code, out.String(), errs.String()
}

// tree is the expected tree as detailed sees it; what lies beside the worktree
// stays as it was.
func (e codexExpect) tree(before map[string]fixture) map[string]string {
	out := map[string]string{}
	put := func(name string, f fixture, all map[string]fixture) {
		mode := f.Mode
		if mode == "" {
			mode = "0644"
		}
		switch {
		case f.Symlink != "":
			out[name] = "-> " + f.Symlink
		case f.FIFO:
			out[name] = "fifo"
		case f.Hardlink != "":
			out[name] = "0644 " + all[f.Hardlink].Text
		default:
			out[name] = mode + " " + f.Text
		}
	}
	for name, f := range e.Files {
		put(name, f, e.Files)
	}
	for name, f := range before {
		if strings.HasPrefix(name, "../") {
			put(name, f, before)
		}
	}
	for _, dir := range e.EmptyDirs {
		out[dir] = "dir"
	}
	return out
}

// detailed is everything in a worktree, and beside it: contents with modes,
// links, FIFOs and empty directories.
func detailed(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(filepath.Dir(dir), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		rel, _ := filepath.Rel(dir, p)
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir():
			names, err := os.ReadDir(p)
			if err == nil && len(names) == 0 {
				out[rel] = "dir"
			}
			return err
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(p)
			out[rel] = "-> " + target
			return err
		case d.Type() == fs.ModeNamedPipe:
			out[rel] = "fifo"
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		out[rel] = fmt.Sprintf("%04o %s", info.Mode().Perm(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// gitFiles are the contents of files of a repository, "absent" where there is none.
func gitFiles(t *testing.T, dir string, names []string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if out[name] = string(data); err != nil {
			out[name] = "absent"
		}
	}
	return out
}

// differences are the probes that testdata/differences.md lists.
func differences(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "differences.md"))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for i, name := range strings.Split(cells[len(cells)-2], "`") {
			if i%2 == 1 {
				told[name] = true
			}
		}
	}
	return told
}
