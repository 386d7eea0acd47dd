package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestConformance runs the data of real tools in real repositories. How many
// cases of each set pass is recorded in testdata/conformance.json, and may only
// go up: fewer fails, and so does more until the record is raised.
func TestConformance(t *testing.T) {
	dir := os.Getenv("CHORDGIT_CONFORMANCE")
	if dir == "" {
		t.Skip("CHORDGIT_CONFORMANCE does not name the folder of the conformance data")
	}
	recorded := map[string]int{}
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "conformance.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	sets := map[string]func(*testing.T, string) (passed, failed []string){
		"codex-scenarios":         scenarios,
		"two-timeouts":            twoTimeouts,
		"two-timeouts, meanwhile": twoTimeoutsMeanwhile,
		"edit-bugs":               editBugs,
		"aider-cases":             aiderCases,
		"codex-probes":            codexProbes,
		"codex-answers":           codexScenarios,
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		passed, failed := sets[name](t, dir)
		if len(passed)+len(failed) == 0 {
			t.Errorf("%s: no case was found", name)
			continue
		}
		t.Logf("%s: %d of %d pass", name, len(passed), len(passed)+len(failed))
		if len(passed) != recorded[name] {
			t.Errorf("%s: %d pass, %d are recorded; failing:\n%s", name, len(passed), recorded[name], strings.Join(failed, "\n"))
		}
	}
}

// A workspace is a fresh repository for one conformance case.
type workspace struct {
	t   *testing.T
	dir string
}

// newWorkspace makes and commits a repository of these files.
func newWorkspace(t *testing.T, files map[string]fixture) workspace {
	t.Helper()
	w := workspace{t, filepath.Join(t.TempDir(), "work")}
	w.git("init", "-q", "-b", "main", w.dir)
	for _, links := range []bool{false, true} { // a hard link needs its file
		for name, f := range files {
			if (f.Hardlink != "") == links {
				f.make(t, w.dir, name)
			}
		}
	}
	w.git("-C", w.dir, "add", "-A")
	w.git("-C", w.dir, "commit", "-q", "--allow-empty", "-m", "start")
	return w
}

// A fixture is a file of the conformance data: a text, or an object that says
// more.
type fixture struct {
	Text     string `json:"text"`
	Base64   []byte `json:"base64"`
	Mode     string `json:"mode"`
	Symlink  string `json:"symlink"`
	Hardlink string `json:"hardlink"`
	FIFO     bool   `json:"fifo"`
}

func (f *fixture) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &f.Text) == nil {
		return nil
	}
	type plain fixture // without this method
	if err := json.Unmarshal(data, (*plain)(f)); err != nil {
		return err
	}
	if f.Base64 != nil {
		f.Text = string(f.Base64)
	}
	return nil
}

func (f fixture) make(t *testing.T, dir, name string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(p), 0o755)
	mode := uint32(0o644)
	fmt.Sscanf(f.Mode, "%o", &mode)
	switch {
	case err != nil:
	case f.Symlink != "":
		err = os.Symlink(f.Symlink, p)
	case f.FIFO:
		err = exec.Command("mkfifo", p).Run()
	case f.Hardlink != "":
		err = os.Link(filepath.Join(dir, filepath.FromSlash(f.Hardlink)), p)
	default:
		if err = os.WriteFile(p, []byte(f.Text), 0o644); err == nil {
			err = os.Chmod(p, os.FileMode(mode))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tree is what a set of fixtures looks like to readFiles.
func tree(files map[string]fixture) map[string]string {
	out := map[string]string{}
	for name, f := range files {
		out[name] = f.Text
		if f.Symlink != "" {
			out[name] = "-> " + f.Symlink
		}
		if f.Hardlink != "" {
			out[name] = files[f.Hardlink].Text
		}
	}
	return out
}

func (w workspace) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// apply runs one apply and returns its status and output.
func (w workspace) apply(input string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(input), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	a.repo.NoSync = true // hundreds of requests: nothing here is about what a crash leaves
	code = a.run(append([]string{"-C", w.dir, "apply"}, args...))
	return code, out.String(), errs.String()
}

// files are the contents of the worktree.
func (w workspace) files() map[string]string {
	return readFiles(w.t, w.dir)
}

func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		rel, _ := filepath.Rel(dir, p)
		rel = filepath.ToSlash(rel)
		if d.Type() == fs.ModeSymlink {
			target, err := os.Readlink(p)
			files[rel] = "-> " + target
			return err
		}
		data, err := os.ReadFile(p)
		files[rel] = string(data)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}

func toFixtures(files map[string]string) map[string]fixture {
	out := map[string]fixture{}
	for name, text := range files {
		out[name] = fixture{Text: text}
	}
	return out
}

// scenarios are Codex's own, with what the default mode makes of them.
func scenarios(t *testing.T, dir string) (passed, failed []string) {
	dir = filepath.Join(dir, "codex-scenarios")
	var expectations struct {
		Scenarios map[string]struct {
			Same   bool              `json:"same_tree_as_codex"`
			Exit   []int             `json:"exit"`
			Status []string          `json:"status"`
			Files  map[string]string `json:"files"`
		} `json:"scenarios"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "default-expectations.json"))
	if err != nil {
		return nil, nil
	}
	if err := json.Unmarshal(data, &expectations); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(expectations.Scenarios)) {
		want := expectations.Scenarios[name]
		w := newWorkspace(t, toFixtures(readFiles(t, filepath.Join(dir, name, "input"))))
		patch, err := os.ReadFile(filepath.Join(dir, name, "patch.txt"))
		if err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := w.apply(string(patch), "--json")
		files := want.Files
		if want.Same {
			files = readFiles(t, filepath.Join(dir, name, "expected"))
		}
		var answer report
		err = json.Unmarshal([]byte(stdout), &answer)
		if err == nil && slices.Contains(want.Exit, code) && slices.Contains(want.Status, answer.Status) && maps.Equal(w.files(), files) {
			passed = append(passed, name)
			continue
		}
		failed = append(failed, fmt.Sprintf("%s: exit %d, %v, tree %q, want %q\n%s%s", name, code, err, w.files(), files, stdout, stderr))
	}
	return passed, failed
}

// twoTimeouts are the worked requests, under the options that they name.
func twoTimeouts(t *testing.T, dir string) (passed, failed []string) {
	dir = filepath.Join(dir, "..", "examples", "two-timeouts")
	settings, err := os.ReadFile(filepath.Join(dir, "settings.py"))
	if err != nil {
		return nil, nil
	}
	for _, c := range []struct {
		file          string
		args          []string
		exit          int
		first, second string
		stdout        []string // phrases that must be in the answer
		not           string   // one that must not
	}{
		{"01-codex-bare.patch", nil, 0, "60", "30", []string{"Applied patch:\nM settings.py\nTurn 1. Take back with: chordgit rewind 1\nNote: settings.py: hunk 1 also matches at line 10\n"}, "Hint"},
		{"02-codex-anchor.patch", nil, 0, "30", "60", []string{"M settings.py"}, "Note"},
		{"03-codex-context.patch", nil, 0, "30", "60", []string{"M settings.py"}, "Note"},
		{"04-codex-missing-anchor.patch", nil, 3, "30", "30", []string{"def staging(limits):", "5, 10", "[ambiguous]"}, "Turn"},
		{"05-edit-ambiguous.json", nil, 3, "30", "30", []string{`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_five","is_error":true,`, "old_string found 2 times", "5, 10", "set replace_all"}, "Turn"},
		{"06-edit-unique.json", nil, 0, "30", "60", []string{`"tool_use_id":"toolu_six"`, "Replaced 1 occurrence in settings.py at line 9"}, "is_error"},
		{"07-edit-all.json", nil, 0, "60", "60", []string{"Replaced 2 occurrences in settings.py at lines 5, 10"}, "is_error"},
		{"10-responses-bare.json", nil, 0, "60", "30", []string{`{"type":"apply_patch_call_output","call_id":"call_ten","status":"completed","output":"Updated settings.py\nNote: settings.py: hunk 1 also matches at line 10"}` + "\n"}, "Turn"},
		{"11-responses-anchor.json", nil, 0, "30", "60", []string{`{"type":"apply_patch_call_output","call_id":"call_eleven","status":"completed","output":"Updated settings.py"}` + "\n"}, "Note"},
		{"10-responses-bare.json", []string{"--ambiguous=refuse"}, 3, "30", "30", []string{`"call_id":"call_ten","status":"failed","output":"settings.py: `, "[ambiguous]", "5, 10"}, "Turn"},
		{"08-aider-ambiguous.md", nil, 3, "30", "30", []string{"[ambiguous]", "5, 10", "Note: text around"}, "Turn"},
		{"09-aider-unique.md", nil, 0, "30", "60", []string{"M settings.py", "Note: text around"}, "also matches"},
		{"12-aider-whole.md", nil, 0, "30", "60", []string{"M settings.py"}, "failed"},
		{"08-aider-ambiguous.md", []string{"--compat=aider"}, 0, "60", "30", []string{"M settings.py", "at line 10"}, "failed"},
		{"01-codex-bare.patch", []string{"--compat=codex"}, 0, "60", "30", []string{"Success. Updated the following files:\nM settings.py\n"}, "Note"},
		{"02-codex-anchor.patch", []string{"--compat=codex"}, 0, "30", "60", []string{"Success. Updated the following files:\nM settings.py\n"}, "Note"},
		{"03-codex-context.patch", []string{"--compat=codex"}, 0, "30", "60", []string{"Success. Updated the following files:\nM settings.py\n"}, "Note"},
		{"04-codex-missing-anchor.patch", []string{"--compat=codex"}, 1, "30", "30", []string{"Failed to find context 'def staging(limits):' in /", "/settings.py\n"}, "Note"},
		{"01-codex-bare.patch", []string{"--ambiguous=refuse"}, 3, "30", "30", []string{"[ambiguous]", "5, 10"}, "Turn"},
	} {
		name := c.file + strings.Join(c.args, " ")
		w := newWorkspace(t, map[string]fixture{"settings.py": {Text: string(settings)}})
		request, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := w.apply(string(request), c.args...)
		all := stdout + stderr
		ok := code == c.exit && w.files()["settings.py"] == timeouts(settings, "3", c.first, c.second) && !strings.Contains(all, c.not)
		for _, phrase := range c.stdout {
			ok = ok && strings.Contains(all, phrase)
		}
		if ok && c.exit == 0 {
			var out bytes.Buffer
			a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &out, getenv: func(string) string { return "" }}
			ok = a.run([]string{"-C", w.dir, "rewind"}) == 0 && w.files()["settings.py"] == string(settings)
		}
		if ok {
			passed = append(passed, name)
			continue
		}
		failed = append(failed, fmt.Sprintf("%s: exit %d\n%s", name, code, all))
	}
	return passed, failed
}

// aiderCases are replies in Aider's formats.
func aiderCases(t *testing.T, dir string) (passed, failed []string) {
	files, err := filepath.Glob(filepath.Join(dir, "aider-cases", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c toolCase
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if why := c.run(t); why != "" {
			failed = append(failed, c.Name+": "+why)
		} else {
			passed = append(passed, c.Name)
		}
	}
	return passed, failed
}

// A toolCase is one request with its right outcome, and further ones that are
// right, too.
type toolCase struct {
	Name     string             `json:"name"`
	Format   string             `json:"format"`
	Files    map[string]fixture `json:"files"`
	Input    json.RawMessage    `json:"input"`
	Args     []string           `json:"args"`
	Expect   expectation        `json:"expect"`
	Also     []expectation      `json:"also"`
	Runnable *bool              `json:"runnable"`
	Variants []struct {
		Args   []string      `json:"args"`
		Expect expectation   `json:"expect"`
		Also   []expectation `json:"also"`
	} `json:"variants"`
}

type expectation struct {
	Error     string             `json:"error"`
	Files     map[string]fixture `json:"files"`
	NoteLines []int              `json:"note_lines"`
	FailLines []int              `json:"fail_lines"`
	Notebook  string             `json:"notebook"` // instead of Files: only the source of this one's cell differs
	Cell      string             `json:"cell"`
	Source    string             `json:"source"`
}

// run tells what is wrong with the outcome, "" if nothing is.
func (c *toolCase) run(t *testing.T) string {
	why := c.one(t, c.Args, append(c.Also, c.Expect))
	for _, v := range c.Variants {
		if why == "" {
			why = c.one(t, v.Args, append(v.Also, v.Expect))
		}
	}
	return why
}

func (c *toolCase) one(t *testing.T, args []string, want []expectation) string {
	var input string
	if json.Unmarshal(c.Input, &input) != nil {
		input = string(c.Input)
	}
	w := newWorkspace(t, c.Files)
	code, stdout, stderr := w.apply(input, append([]string{"--json", "--format", c.Format}, args...)...)
	var answer report
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		return fmt.Sprintf("no JSON: %v\n%s%s", err, stdout, stderr)
	}
	var noted, failedAt []int
	for _, n := range answer.Notes {
		noted = append(noted, n.Lines...)
	}
	for _, f := range answer.Failures {
		failedAt = append(failedAt, f.Lines...)
	}
	for _, e := range want {
		if e.Notebook != "" {
			e.Files = maps.Clone(c.Files)
			e.Files[e.Notebook] = fixture{Text: withSource(t, c.Files[e.Notebook].Text, e.Cell, e.Source)}
		}
		ok := (code == 0) == (e.Error == "") && maps.Equal(w.files(), tree(e.Files))
		// A refusal for want of the format is not the right refusal.
		ok = ok && !slices.ContainsFunc(answer.Failures, func(f failure) bool { return f.Code == "unsupported" || f.Code == "usage" })
		for _, l := range e.NoteLines {
			ok = ok && slices.Contains(noted, l)
		}
		for _, l := range e.FailLines {
			ok = ok && slices.Contains(failedAt, l)
		}
		if ok {
			return ""
		}
	}
	return fmt.Sprintf("exit %d, tree %q\n%s%s", code, w.files(), stdout, stderr)
}

// editBugs are faults reported for edit tools, with the right outcome.
func editBugs(t *testing.T, dir string) (passed, failed []string) {
	var cases []toolCase
	data, err := os.ReadFile(filepath.Join(dir, "edit-bugs.json"))
	if err != nil {
		return nil, nil
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Runnable != nil && !*c.Runnable {
			continue
		}
		if why := c.run(t); why != "" {
			failed = append(failed, c.Name+": "+why)
		} else {
			passed = append(passed, c.Name)
		}
	}
	return passed, failed
}

// withSource is the text of a notebook whose lists of lines stand one line each,
// where the only line of a cell's source is another.
func withSource(t *testing.T, text, id, source string) string {
	t.Helper()
	at := strings.Index(text, `"id": "`+id+`"`)
	if at < 0 {
		t.Fatalf("no cell %s", id)
	}
	from := at + strings.Index(text[at:], "\"source\": [\n    ") + len("\"source\": [\n    ")
	line, err := json.Marshal(source)
	if err != nil {
		t.Fatal(err)
	}
	return text[:from] + string(line) + text[from+strings.Index(text[from:], "\n"):]
}
