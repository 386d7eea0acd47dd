package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tools runs one "chordgit tools" in a directory; home is the user's.
func tools(dir, home string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(name string) string {
		return map[string]string{"HOME": home, "AppData": filepath.Join(home, ".config")}[name]
	}}
	code = a.run(append([]string{"-C", dir, "tools"}, args...))
	return code, out.String(), errs.String()
}

// goldenTools are the files of testdata/tools and the arguments that print them.
var goldenTools = map[string]string{
	"responses_patch":    "--model gpt-5.5 --endpoint responses",
	"responses_builtin":  "--model gpt-5.5 --endpoint responses --builtin",
	"responses_function": "--model gpt-5.5 --endpoint responses --provider gateway",
	"responses_edit":     "--model o3 --endpoint responses",
	"chat_patch":         "--model openai/gpt-5-mini",
	"chat_edit":          "--model qwen3-coder --endpoint chat",
	"messages_patch":     "--model claude-opus-4-5 --provider patching",
	"messages_edit":      "--model claude-opus-4-5 --endpoint messages",
	"gemini_patch":       "--model gemini-3-pro --endpoint gemini --provider patching",
	"gemini_edit":        "--model gemini-3-pro --endpoint gemini",
	"mcp_patch":          "--model gpt-5.5 --endpoint mcp",
	"mcp_edit":           "--model glm-4.6 --endpoint mcp",
}

const goldenConfig = `providers:
  gateway: {compat: {apply_patch: {freeform: false}}}
  patching: {type: messages, compat: {apply_patch: {enabled: true}}}
`

// TestToolsGolden compares what is printed with testdata/tools, byte for byte.
func TestToolsGolden(t *testing.T) {
	w := newWorkspace(t, map[string]fixture{".chordgit.yaml": {Text: goldenConfig}})
	dir := filepath.Join("..", "..", "testdata", "tools")
	for name, args := range goldenTools {
		code, stdout, stderr := tools(w.dir, t.TempDir(), strings.Fields(args)...)
		want, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			t.Error(err)
		}
		if code != 0 || stdout != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("%s (%s): exit %d, got\n%s%s", name, args, code, stdout, stderr)
		}
		if custom := name == "responses_patch"; strings.Contains(stderr, "compat.apply_patch.freeform: false") != custom {
			t.Errorf("%s: the advice about gateways belongs to custom tools: %q", name, stderr)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != len(goldenTools) {
		t.Errorf("%d files for %d runs: %v", len(files), len(goldenTools), err)
	}
}

// TestToolsConfig: which files decide, and that one with errors decides nothing.
func TestToolsConfig(t *testing.T) {
	const enabled, disabled = "compat: {apply_patch: {enabled: true}}\n", "compat: {apply_patch: {enabled: false}}\n"
	for _, tt := range []struct {
		name, repository, user string
		args                   string
		code                   int
		want                   []string // visible, or phrases of stderr
	}{
		{"nothing is said", "", "", "--model gpt-5", 0, []string{"apply_patch"}},
		{"the repository", disabled, "", "--model gpt-5", 0, []string{"edit", "write", "delete"}},
		{"the user", "", enabled, "--model o3", 0, []string{"apply_patch"}},
		{"the repository is nearer", disabled, enabled, "--model o3", 0, []string{"edit", "write", "delete"}},
		{"both files have errors", "compat: {apply_patch: {enabled: 1, freform: true}}\n", "providers: []\n", "--model o3", 1,
			[]string{".chordgit.yaml:1:33: ", `.chordgit.yaml:1:36: unknown key "freform"`, "~/.config/chordgit/config.yaml:1:12: "}},
		{"no model", "", "", "", 1, []string{"--model"}},
		{"unknown endpoint", "", "", "--model o3 --endpoint soap", 1, []string{"responses, chat, messages, gemini, mcp"}},
		{"builtin elsewhere", "", "", "--model gpt-5 --builtin", 1, []string{"--builtin", "chat"}},
		{"argument", "", "", "--model gpt-5 x", 1, []string{"x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]fixture{"a": {Text: "a"}}
			if tt.repository != "" {
				files[".chordgit.yaml"] = fixture{Text: tt.repository}
			}
			w := newWorkspace(t, files)
			home := t.TempDir()
			if tt.user != "" {
				fixture{Text: tt.user}.make(t, home, ".config/chordgit/config.yaml")
			}
			code, stdout, stderr := tools(w.dir, home, append(strings.Fields(tt.args), "--json")...)
			if code != tt.code {
				t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
			}
			var answer struct {
				Command, Status string
				Visible         []string
			}
			if err := json.Unmarshal([]byte(stdout), &answer); err != nil || answer.Command != "tools" {
				t.Fatalf("%v\n%s", err, stdout)
			}
			if code == 0 {
				if !slices.Equal(answer.Visible, tt.want) || answer.Status != "ok" {
					t.Errorf("got %+v, want %q", answer, tt.want)
				}
				return
			}
			if answer.Status != failed {
				t.Errorf("status %s", answer.Status)
			}
			_, stdout, stderr = tools(w.dir, home, strings.Fields(tt.args)...)
			for _, phrase := range tt.want {
				if !strings.Contains(stderr, phrase) {
					t.Errorf("%q is not said:\n%s", phrase, stderr)
				}
			}
			if stdout != "" {
				t.Errorf("beside an error there is output: %s", stdout)
			}
		})
	}
}

// TestToolsOutside: outside a repository the user's file alone counts. What
// freeform cannot do is told once.
func TestToolsOutside(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	fixture{Text: "compat: {apply_patch: {enabled: true, freeform: true}}\n"}.make(t, home, ".config/chordgit/config.yaml")
	code, stdout, stderr := tools(dir, home, "--model", "o3")
	if code != 0 || !strings.HasPrefix(stdout, `[{"type":"function","function":{"name":"apply_patch",`) || strings.Count(stderr, "freeform: true has no effect") != 1 {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = tools(dir, home, "--model", "o3", "--instructions")
	if code != 0 || !strings.HasPrefix(stdout, "Change files with apply_patch alone") || stderr != "" {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr = tools(dir, home, "--model", "o3", "--quiet"); code != 0 || stdout == "" || stderr != "" {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}
