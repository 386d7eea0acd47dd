package hooks_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/hooks"
)

// What Codex keeps of hooks, by the settings that it writes.
func TestTrust(t *testing.T) {
	codex := hooks.FilesOf("codex")[0]
	text, err := codex.Install(nil, hooks.Installation{})
	if err != nil {
		t.Fatal(err)
	}
	const file = "/home/u/.codex/hooks.json"
	// The text of a hook is written out here as Codex makes it for its hash.
	entry := func(at, text string) string {
		return fmt.Sprintf("[hooks.state.%q]\ntrusted_hash = \"sha256:%x\"\n", file+":"+at, sha256.Sum256([]byte(text)))
	}
	handler := func(timeout int) string {
		return fmt.Sprintf(`"hooks":[{"async":false,"command":"chordgit hook codex","timeout":%d,"type":"command"}]`, timeout)
	}
	var all []string
	for _, h := range []struct {
		at, event, matcher string
		timeout            int
	}{
		{"user_prompt_submit:0:0", "user_prompt_submit", "", 30},
		{"pre_tool_use:0:0", "pre_tool_use", `,"matcher":"apply_patch|Bash"`, 10}, {"pre_tool_use:1:0", "pre_tool_use", `,"matcher":"mcp__.*"`, 10},
		{"post_tool_use:0:0", "post_tool_use", `,"matcher":"apply_patch|Bash"`, 10}, {"post_tool_use:1:0", "post_tool_use", `,"matcher":"mcp__.*"`, 10},
		{"stop:0:0", "stop", "", 120}, {"session_end:0:0", "session_end", "", 3},
	} {
		all = append(all, entry(h.at, fmt.Sprintf(`{"event_name":%q,%s%s}`, h.event, handler(h.timeout), h.matcher)))
	}
	n := len(all)
	changed := strings.ReplaceAll(strings.Join(all, ""), "sha256:", "sha256:0")
	for _, c := range []struct {
		name, settings string
		want           hooks.Trust
	}{
		{"none", "model = \"x\"\n", hooks.Trust{All: n}},
		{"all", strings.Join(all, "\n"), hooks.Trust{All: n, Trusted: n}},
		{"all but one", strings.Join(all[1:], "\n"), hooks.Trust{All: n, Trusted: n - 1}},
		{"in another form", changed, hooks.Trust{All: n, Changed: n}},
		{"of another file", strings.ReplaceAll(strings.Join(all, ""), "/home/u/", "/home/v/"), hooks.Trust{All: n}},
		{"of a plugin", "[hooks.state.\"p@m:hooks/hooks.json:stop:0:0\"]\ntrusted_hash = \"x\"\n", hooks.Trust{All: n}},
		{"an odd entry beside", strings.Join(all, "") + "[hooks.state.\"x\"]\nenabled = \"no\"\n", hooks.Trust{All: n, Trusted: n}},
		{"switched off", strings.Join(all, "") + "enabled = false\n", hooks.Trust{All: n, Trusted: n - 1, Off: "hooks.state: session_end:0:0 enabled = false"}},
		{"the feature off", "[features]\nhooks = false\n", hooks.Trust{All: n, Off: "features.hooks = false"}},
		{"not TOML", "[hooks.state\n", hooks.Trust{}},
		{"twice", all[0] + all[0], hooks.Trust{}},
	} {
		if got := codex.Trust(text, []byte(c.settings), func(name string) bool { return name == file }); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := hooks.FilesOf("claude")[0].Trust(text, nil, nil); got != (hooks.Trust{}) {
		t.Errorf("of an agent that does not tell: %+v", got)
	}
}

func FuzzTrust(f *testing.F) {
	f.Add([]byte(`{"hooks":{"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"chordgit hook codex"}]}]}}`),
		[]byte("[hooks.state.\"/h:stop:0:0\"]\ntrusted_hash = \"x\"\n"))
	f.Add([]byte(`{"hooks":[]}`), []byte("hooks.state = 1\n[features]\nhooks = 1\n"))
	f.Add([]byte(`{"hooks":{"ÄB":[{"hooks":[null,1,{}]}]}}`), []byte("\xff"))
	f.Fuzz(func(t *testing.T, text, settings []byte) {
		got := hooks.FilesOf("codex")[0].Trust(text, settings, func(string) bool { return true })
		if got.Trusted > 0 && !strings.Contains(string(settings), "sha256:") {
			t.Errorf("%+v without a hash", got)
		}
		if got.Trusted+got.Changed > 0 && got.All == 0 {
			t.Errorf("%+v", got)
		}
		if named, err := hooks.NamesHooks(settings); named && err != nil {
			t.Error("both", err)
		}
	})
}
