package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks"
	"github.com/chordgit/chordgit/patchapply"
	"golang.org/x/tools/txtar"
)

// TestCases runs testdata/cases: requests against trees in memory. The format
// is told in testdata/README.md.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "cases", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			runCase(t, readCase(t, file))
		})
	}
}

// A testCase is one case file, decoded.
type testCase struct {
	args          []string
	request       string
	before, after edit.MapTree // after is nil where nothing may change
	want          []string
	answer        string // empty where it is not compared
	// seen is what the agent saw last of paths that somebody changed since its turn
	// began; a nil file is an absent one.
	seen edit.MapTree
}

// A watchedTree is a tree in which somebody else changed paths meanwhile.
type watchedTree struct {
	edit.MapTree
	seen   edit.MapTree
	logged bool
}

func (t watchedTree) Meanwhile(path string, _ *edit.File) (*edit.Meanwhile, error) {
	f, changed := t.seen[path]
	if !changed {
		return nil, nil
	}
	return &edit.Meanwhile{Seen: f, Logged: t.logged}, nil
}

var sectionName = regexp.MustCompile(`^(before|after|seen)/(.+?)(?: \((link|fifo|absent|[0-7]{4})\))?$`)

func readCase(t testing.TB, file string) testCase {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := testCase{before: edit.MapTree{}, seen: edit.MapTree{}}
	for _, f := range ar.Files {
		switch f.Name {
		case "args":
			c.args = strings.Fields(string(f.Data))
		case "want":
			for line := range strings.Lines(string(f.Data)) {
				if line = strings.TrimRight(line, "\n"); line != "" {
					c.want = append(c.want, line)
				}
			}
		case "answer":
			c.answer = decodeCase(t, string(f.Data))
		case "request":
			c.request = decodeCase(t, string(f.Data))
		default:
			m := sectionName.FindStringSubmatch(f.Name)
			if m == nil {
				t.Fatalf("unknown section %q", f.Name)
			}
			node := &edit.File{Mode: 0o644, Data: []byte(decodeCase(t, string(f.Data)))}
			switch m[3] {
			case "":
			case "link":
				node.Mode = fs.ModeSymlink | 0o777
				node.Data = []byte(strings.TrimSuffix(string(node.Data), "\n"))
			case "fifo":
				node.Mode = fs.ModeNamedPipe | 0o644
			case "absent":
				node = nil
			default:
				bits, _ := strconv.ParseUint(m[3], 8, 32)
				node.Mode = fs.FileMode(bits)
			}
			switch m[1] {
			case "before":
				c.before[m[2]] = node
				continue
			case "seen":
				c.seen[m[2]] = node
				continue
			}
			if c.after == nil {
				c.after = edit.MapTree{}
			}
			c.after[m[2]] = node
		}
	}
	return c
}

// decodeCase resolves the escapes of a case file.
func decodeCase(t testing.TB, s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '^' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			t.Fatal("a lone ^ at the end of a section")
		}
		rest := s[i:]
		switch {
		case rest[0] == '\n': // joins lines
		case rest[0] == 'M':
			b.WriteByte('\r')
		case rest[0] == 'J':
			b.WriteByte('\n')
		case rest[0] == 'I':
			b.WriteByte('\t')
		case rest[0] == 'S':
			b.WriteByte(' ')
		case rest[0] == '@':
			b.WriteByte(0)
		case rest[0] == '^':
			b.WriteByte('^')
		case strings.HasPrefix(rest, "{"), strings.HasPrefix(rest, "x{"):
			open := strings.IndexByte(rest, '{')
			end := strings.IndexByte(rest, '}')
			v, err := strconv.ParseUint(rest[open+1:max(end, open+1)], 16, 32)
			if err != nil {
				t.Fatalf("bad escape ^%s", rest[:min(len(rest), 10)])
			}
			if open == 1 {
				b.WriteByte(byte(v))
			} else {
				b.WriteRune(rune(v))
			}
			i += end
		default:
			t.Fatalf("bad escape ^%c", rest[0])
		}
	}
	return b.String()
}

// planCase reads and plans a case's request and reports on it.
func planCase(t *testing.T, c testCase) (*report, *patchapply.Request, *edit.Plan) {
	t.Helper()
	opt := patchapply.Options{Exists: func(p string) bool { return c.before[p] != nil }}
	popt := edit.Options{Umask: 0o022, Roots: []string{"/repo"}}
	model := ""
	for i := 0; i < len(c.args); i++ {
		switch c.args[i] {
		case "--format":
			i++
			opt.Format = c.args[i]
		case "--path":
			i++
			opt.Path = c.args[i]
		case "--compat":
			i++
			popt.Compat = map[string]edit.Compat{"chord": edit.Chord, "codex": edit.Codex, "aider": edit.Aider}[c.args[i]]
			opt.Strict, opt.Aider = popt.Compat == edit.Codex, popt.Compat == edit.Aider
		case "--offered":
			i++
			opt.Offered = c.args[i]
		case "--model":
			i++
			model = c.args[i]
		case "--memory":
			i++
			opt.MemoryDir = c.args[i]
		case "--answer":
			i++ // told by runCase
		case "--ambiguous=refuse":
			popt.RefuseAmbiguous = true
		case "--final-newline=preserve":
			popt.PreserveFinalNewline = true
		case "--atomic":
			popt.Atomic = true
		case "--force":
			popt.Force = true
		case "--logged": // of the tree
		default:
			t.Fatalf("unknown argument %q", c.args[i])
		}
	}
	opt.Offers = (&app{getenv: func(string) string { return "" }}).offers(nil, model, "", make([]*hooks.Config, 2))
	rep := &report{Command: "apply"}
	req, err := patchapply.Parse([]byte(c.request), opt)
	if req != nil {
		rep.Format = req.Format
		rep.note(req.Notes)
		popt.Base = req.Base
		rep.DryRun = req.DryRun
	}
	var plan *edit.Plan
	if err == nil {
		plan, err = edit.NewPlan(watchedTree{c.before, c.seen, slices.Contains(c.args, "--logged")}, req.Ops, popt)
	}
	if err != nil {
		rep.refuse(toErrors(err))
		return rep, req, nil
	}
	rep.plan(plan, func(f *edit.File) []byte {
		if f == nil {
			return nil
		}
		return f.Data
	})
	return rep, req, plan
}

func runCase(t *testing.T, c testCase) {
	rep, req, plan := planCase(t, c)
	got := c.before
	if plan != nil && !rep.DryRun {
		got = c.before.Apply(plan)
	}
	want := c.after
	if want == nil {
		want = c.before
	}
	compareTrees(t, got, want)
	if plan != nil && !rep.DryRun {
		untouched(t, req, plan, c.before)
		back := got.Apply(fill(plan, c.before, got).Invert())
		compareTrees(t, back, c.before)
	}
	if len(c.want) == 0 {
		t.Error("the case says nothing of the answer")
	}
	compareFacts(t, rep, req, plan, c.want)
	if c.answer == "" {
		return
	}
	form := patchapply.Form("")
	if i := slices.Index(c.args, "--answer"); i >= 0 {
		form = patchapply.Form(c.args[i+1])
	}
	var out bytes.Buffer
	a := &app{stdout: &out, stderr: &out}
	a.answer(rep, req, plan, form)
	if got := out.String(); got != c.answer {
		t.Errorf("the answer is\n%s\nwant\n%s", got, c.answer)
	}
}

// fill gives moved files their bytes, as a store would.
func fill(p *edit.Plan, before, after edit.MapTree) *edit.Plan {
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.Before != nil && c.Before.Data == nil {
			c.Before.Data = before[c.Path].Data
		}
		if c.After != nil && c.After.Data == nil {
			c.After.Data = after[c.Path].Data
		}
	}
	return p
}

func compareTrees(t *testing.T, got, want edit.MapTree) {
	t.Helper()
	for _, p := range slices.Sorted(maps.Keys(want)) {
		switch g := got[p]; {
		case g == nil:
			t.Errorf("%s is missing", p)
		case string(g.Data) != string(want[p].Data) || g.Mode != want[p].Mode:
			t.Errorf("%s is %v %q, want %v %q", p, g.Mode, g.Data, want[p].Mode, want[p].Data)
		}
	}
	for p, g := range got {
		if want[p] == nil {
			t.Errorf("%s should not be there: %q", p, g.Data)
		}
	}
}

// compareFacts compares the answer's facts, as exact sets, with the lines of
// want.
func compareFacts(t *testing.T, rep *report, req *patchapply.Request, plan *edit.Plan, want []string) {
	t.Helper()
	var got []string                   // facts that are listed in full
	withLines := map[string][]string{} // one a fact of that code and path
	fact := func(kind string, code edit.Code, path string, lines []int) string {
		if path == "" {
			path = "-"
		}
		f := fmt.Sprintf("%s %s %s", kind, code, path)
		withLines[f] = append(withLines[f], strings.ReplaceAll(numbers(lines), " ", ""))
		got = append(got, f)
		return f
	}
	got = append(got, "status "+rep.Status)
	for _, f := range rep.Files {
		f.Replacements = 0
		got = append(got, f.String())
	}
	for _, n := range rep.Notes {
		if n.Code == "hard-link" {
			continue
		}
		fact("note", n.Code, n.Path, n.Lines)
	}
	messages := map[string]string{}
	for _, f := range rep.Failures {
		messages[fact("fail", f.Code, f.Path, f.Lines)] += f.full() + "\n"
	}
	var sentences []string
	if plan != nil {
		for i := range req.Ops {
			sentences = append(sentences, sentence(&req.Ops[i], plan, plan.Outcomes[i]))
		}
	}
	last := ""
	var wanted []string
	for _, line := range want {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "|"):
			phrase := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "|"))
			if !strings.Contains(messages[last], phrase) {
				t.Errorf("the message of %q lacks %q:\n%s", last, phrase, messages[last])
			}
		case word == "says":
			if !slices.Contains(sentences, rest) {
				t.Errorf("the answer lacks %q: %q", rest, sentences)
			}
		case word == "ops":
			if fmt.Sprint(rep.groups) != rest {
				t.Errorf("%d groups were not applied, want %s", rep.groups, rest)
			}
		case word == "note" || word == "fail":
			fields := strings.Fields(line)
			last = strings.Join(fields[:min(3, len(fields))], " ")
			wanted = append(wanted, last)
			if len(fields) > 3 && !slices.Contains(withLines[last], fields[3]) {
				t.Errorf("%q names lines %s, want %s", last, withLines[last], fields[3])
			}
		default:
			wanted = append(wanted, line)
		}
	}
	slices.Sort(got)
	slices.Sort(wanted)
	if !slices.Equal(got, wanted) {
		t.Errorf("facts:\n%s\nwant:\n%s\nmessages: %q, notes: %v", strings.Join(got, "\n"), strings.Join(wanted, "\n"), messages, rep.Notes)
	}
}
