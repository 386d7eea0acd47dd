package hooks_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks"
)

// A siteTree is what exists, in memory: files, links, and directories that are
// named or implied.
type siteTree struct {
	entries  map[string]*edit.File
	gitlinks []string
}

func (t *siteTree) Lookup(name string) (*edit.File, error) {
	if t == nil {
		return nil, nil
	}
	return t.entries[name], nil
}

func (t *siteTree) Gitlinks() ([]string, error) { return t.gitlinks, nil }

func (t *siteTree) Walk(dir string, visit func(string) error) error {
	for name, f := range t.entries {
		if strings.HasPrefix(name, dir+"/") && !f.IsDir() {
			if err := visit(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// put makes an entry and the directories above it.
func (t *siteTree) put(name string, f *edit.File) {
	dir := &edit.File{Mode: fs.ModeDir | 0o755}
	for at := name; ; f = dir {
		t.entries[at] = f
		i := strings.LastIndexByte(at, '/')
		if i < 0 {
			return
		}
		at = at[:i]
	}
}

// A policyCase is a line of testdata/policy.txt.
type policyCase struct{ name, policy, setup, operation, tool, want string }

func policyCases(t testing.TB) (cases []policyCase) {
	data, err := os.ReadFile("testdata/policy.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for n, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, " | ")
		if len(f) != 6 || seen[f[0]] {
			t.Fatalf("line %d: %d fields, or a name that is taken: %s", n+1, len(f), line)
		}
		seen[f[0]] = true
		cases = append(cases, policyCase{f[0], f[1], f[2], f[3], f[4], f[5]})
	}
	return cases
}

// unescaped takes Go's escapes.
func unescaped(t testing.TB, s string) string {
	out, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return out
}

// layers writes the configuration of each layer and decodes it.
func (c policyCase) layers(t testing.TB) (layers []hooks.Layer) {
	texts := map[string][]string{}
	lists := map[string]map[string][]string{}
	for item := range strings.SplitSeq(c.policy, ", ") {
		if item == "-" {
			continue
		}
		layer := "HEAD"
		for _, name := range []string{"user", "turn"} {
			if rest, ok := strings.CutPrefix(item, name+" "); ok {
				layer, item = name, rest
			}
		}
		if lists[layer] == nil {
			lists[layer] = map[string][]string{}
		}
		key, value, _ := strings.Cut(item, " ")
		value = unescaped(t, value)
		if key == "permission" {
			value, verdict, _ := strings.Cut(value, "=")
			tool, glob, _ := strings.Cut(value, ":")
			if glob == "" {
				glob = "**"
			}
			lists[layer]["permission "+tool] = append(lists[layer]["permission "+tool], fmt.Sprintf("%q: %s", glob, verdict))
			continue
		}
		if key == "submodules" {
			texts[layer] = append(texts[layer], "  submodules: "+value)
			continue
		}
		lists[layer][key] = append(lists[layer][key], strconv.Quote(value))
	}
	for _, layer := range []string{"user", "HEAD", "turn"} {
		var policy, permission []string
		policy = texts[layer]
		for key, values := range lists[layer] {
			if tool, ok := strings.CutPrefix(key, "permission "); ok {
				permission = append(permission, fmt.Sprintf("  %q: {%s}", tool, strings.Join(values, ", ")))
				continue
			}
			line := fmt.Sprintf("  %s: [%s]", key, strings.Join(values, ", "))
			if op, list, ok := strings.Cut(key, "."); ok {
				line = fmt.Sprintf("  %s: {%s: [%s]}", op, list, strings.Join(values, ", "))
			}
			policy = append(policy, line)
		}
		if policy == nil && permission == nil {
			continue
		}
		text := ""
		if policy != nil {
			text += "policy:\n" + strings.Join(policy, "\n") + "\n"
		}
		if permission != nil {
			text += "permission:\n" + strings.Join(permission, "\n") + "\n"
		}
		place, decode := layer+":.chordgit.yaml", hooks.DecodeConfig
		if layer == "user" {
			place, decode = "~/.config/chordgit/config.yaml", hooks.DecodeUserConfig
		}
		config, err := decode(place, []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		layers = append(layers, hooks.Layer{Name: layer, Place: place, Config: config})
	}
	return layers
}

func (c policyCase) site(t testing.TB) hooks.Site {
	tree := &siteTree{entries: map[string]*edit.File{}}
	site := hooks.Site{Tree: tree, Roots: []string{"/r", "/private/r"}}
	for item := range strings.SplitSeq(c.setup, ", ") {
		word, value, _ := strings.Cut(unescaped(t, item), " ")
		switch word {
		case "-":
		case "file":
			tree.put(value, &edit.File{Mode: 0o644})
		case "dir":
			tree.put(value, &edit.File{Mode: fs.ModeDir | 0o755})
		case "link":
			name, target, _ := strings.Cut(value, " → ")
			tree.put(name, &edit.File{Mode: fs.ModeSymlink | 0o777, Data: []byte(target)})
		case "gitlink":
			tree.gitlinks = append(tree.gitlinks, value)
		case "ignorecase":
			site.FoldCase = true
		case "hookspath":
			site.HooksPath = value
		case "gitdir":
			site.GitDirs = append(site.GitDirs, value)
		case "scratch":
			site.Scratch = append(site.Scratch, value)
		case "never":
			site.Never = append(site.Never, value)
		case "outside":
			site.Outside = value
		case "made":
			site.Made = append(site.Made, value)
		default:
			t.Fatalf("unknown word %q", word)
		}
	}
	return site
}

func (c policyCase) op(t testing.TB) hooks.Operation {
	kind, names, _ := strings.Cut(unescaped(t, c.operation), " ")
	op := hooks.Operation{Kind: hooks.Kind(kind), Tool: strings.Trim(c.tool, "-")}
	op.Path, op.To, _ = strings.Cut(names, " → ")
	return op
}

func TestPolicy(t *testing.T) {
	for _, c := range policyCases(t) {
		t.Run(c.name, func(t *testing.T) {
			found := hooks.NewPolicy(c.site(t), c.layers(t)...).Judge(hooks.Agent, c.op(t))
			got := "allow"
			if len(found) > 0 {
				got = found[0].Verdict.String() + " " + found[0].Class
			}
			if got != c.want {
				t.Errorf("got %s, want %s: %+v", got, c.want, found)
			}
			for _, f := range found {
				if m := f.Message(); m == "" || strings.ContainsAny(m, "\n\r\x1b") {
					t.Errorf("message %q", m)
				}
			}
		})
	}
}

// TestPolicyWho: what binds an agent and what a person.
func TestPolicyWho(t *testing.T) {
	config, err := hooks.DecodeConfig("P", []byte("policy: {deny: [d], ask: [k]}\npermission: {edit: deny}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := hooks.NewPolicy(hooks.Site{}, hooks.Layer{Name: "HEAD", Place: "P", Config: config})
	for name, want := range map[string][3]string{
		"d":               {"deny rule", "deny rule", "deny rule"},
		"k":               {"deny permission", "deny permission", "ask ask"},
		"x":               {"deny permission", "deny permission", ""},
		".mcp.json":       {"deny protected", "deny permission", "allow protected"},
		".chordgit.yaml":  {"deny policy-file", "deny policy-file", "allow policy-file"},
		".git/hooks/x":    {"deny git", "deny git", "deny git"},
		".husky/pre-push": {"deny protected", "deny permission", "allow protected"},
	} {
		for who, want := range map[hooks.Who]string{hooks.Agent: want[0], hooks.Attended: want[1], hooks.Person: want[2]} {
			got := ""
			if found := p.Judge(who, hooks.Operation{Path: name, Tool: "edit"}); len(found) > 0 {
				got = found[0].Verdict.String() + " " + found[0].Class
			}
			if got != want {
				t.Errorf("%s, %v: got %q, want %q", name, who, got, want)
			}
		}
	}
	p = hooks.NewPolicy(hooks.Site{})
	if found := p.Judge(hooks.Attended, hooks.Operation{Path: ".mcp.json"}); hooks.Strictest(found) != hooks.Ask {
		t.Errorf("a person is not asked: %v", found)
	}
}

// TestFindingMessage: what is said of each class.
func TestFindingMessage(t *testing.T) {
	const text = `policy:
  deny:
    - {glob: "secret/**", reason: keys are rotated by the release job}
    - work/key
  ask: [go.mod]
  create: {allow: ["src/**", "secret/**", ".mcp.json"]}
permission:
  edit: {"docs/**": deny, "src/**": ask}
  write: deny
`
	config, err := hooks.DecodeConfig(".chordgit.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	tree := &siteTree{entries: map[string]*edit.File{}, gitlinks: []string{"vendor/sub"}}
	tree.put("link.txt", &edit.File{Mode: fs.ModeSymlink | 0o777, Data: []byte("secret/key")})
	tree.put("out", &edit.File{Mode: fs.ModeSymlink | 0o777, Data: []byte("/tmp/evil")})
	tree.put("work/n", &edit.File{Mode: 0o644})
	tree.put("all/secret.d/.mcp.json", &edit.File{Mode: 0o644})
	p := hooks.NewPolicy(hooks.Site{Tree: tree, Roots: []string{"/r"}}, hooks.Layer{Name: "HEAD", Place: ".chordgit.yaml", Config: config})
	for _, tt := range []struct {
		op   hooks.Operation
		want string
	}{
		{hooks.Operation{Path: "secret/k"}, `secret/k: create: policy.deny "secret/**" (.chordgit.yaml:3). keys are rotated by the release job`},
		{hooks.Operation{Path: "link.txt"}, `link.txt: create: policy.deny "secret/**" (.chordgit.yaml:3) via link.txt -> secret/key. keys are rotated by the release job`},
		{hooks.Operation{Path: "go.mod", Kind: hooks.Write}, `go.mod: write: needs the user's consent: policy.ask "go.mod" (.chordgit.yaml:5)`},
		{hooks.Operation{Path: "x"}, `x: create: not in policy.create.allow (.chordgit.yaml:6)`},
		{hooks.Operation{Path: "docs/a", Kind: hooks.Write, Tool: "edit"}, `docs/a: write: permission.edit: deny "docs/**" (.chordgit.yaml:8)`},
		{hooks.Operation{Path: "src/a", Kind: hooks.Write, Tool: "edit"}, `src/a: write: needs the user's consent: permission.edit: ask "src/**" (.chordgit.yaml:8)`},
		{hooks.Operation{Path: "src/a", Kind: hooks.Write, Tool: "write"}, `src/a: write: permission.write: deny (.chordgit.yaml:9)`},
		{hooks.Operation{Path: ".mcp.json"}, `.mcp.json: create: hook and agent settings are protected; policy.unprotect can lift it`},
		{hooks.Operation{Path: "work", Kind: hooks.Delete}, `work: delete: holds work/key, which: policy.deny "work/key" (.chordgit.yaml:4)`},
		{hooks.Operation{Path: "all", Kind: hooks.Delete}, `all: delete: holds all/secret.d/.mcp.json, which: hook and agent settings are protected; policy.unprotect can lift it`},
		{hooks.Operation{Path: "vendor/sub/x", Kind: hooks.Write}, `vendor/sub/x: write: belongs to submodule vendor/sub; policy.submodules: allow lets agents change it`},
		{hooks.Operation{Path: "out/x", Kind: hooks.Write}, `out/x: write: leaves the repository through out -> /tmp/evil`},
		{hooks.Operation{Path: "../x", Kind: hooks.Write}, `../x: write: outside the repository`},
		{hooks.Operation{Path: "~/x", Kind: hooks.Write}, `~/x: write: ~ is not expanded`},
		{hooks.Operation{Path: "", Kind: hooks.Write}, `write: is empty`},
		{hooks.Operation{Path: "a\x1b", Kind: hooks.Write}, `a\x1B: write: the path holds U+001B, which cannot be seen`},
	} {
		found := p.Judge(hooks.Agent, tt.op)
		if len(found) == 0 {
			t.Errorf("%v is allowed", tt.op)
			continue
		}
		err := found[0].Error()
		if err.Error() != tt.want || !errors.Is(err, &edit.Error{Code: hooks.Denied}) {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}

// A failing tree has a disk that cannot be read.
type failing struct{ siteTree }

func (failing) Lookup(string) (*edit.File, error) { return nil, fs.ErrPermission }

// crowded holds more than is looked at.
type crowded struct{ siteTree }

func (crowded) Lookup(name string) (*edit.File, error) {
	if name != "a" {
		return nil, nil
	}
	return &edit.File{Mode: fs.ModeDir | 0o755}, nil
}

func (crowded) Walk(dir string, visit func(string) error) error {
	for i := range 60_000 {
		if err := visit(fmt.Sprintf("%s/%d", dir, i)); err != nil {
			return err
		}
	}
	return nil
}

func TestPolicyUndecided(t *testing.T) {
	for name, tree := range map[string]hooks.Tree{"unreadable": &failing{}, "crowded": &crowded{}} {
		found := hooks.NewPolicy(hooks.Site{Tree: tree}).Judge(hooks.Agent, hooks.Operation{Kind: hooks.Delete, Path: "a"})
		if !slices.ContainsFunc(found, func(f hooks.Finding) bool { return f.Class == hooks.ClassUndecided && f.Verdict == hooks.Deny }) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
