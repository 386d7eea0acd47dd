package hooks_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks"
)

var user = hooks.Installation{User: true, Bin: "/opt/bin/chordgit"}

// settingsFiles are texts that people have, in which nothing is ours.
var settingsFiles = []string{
	"{}", "{\n}\n", "{}\n", `{"a":1}`, `{ "a": 1.0, "b": [1,2] }`,
	"{\n\t\"permissions\": {\"allow\": [\"x\"]},\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\"type\": \"command\", \"command\": \"say done\"}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n\t\"n\": 1e3\n}\n",
	"{\r\n    \"a\": 1,\r\n    \"hooks\": {\r\n        \"PreToolUse\": [\r\n            { \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"lint\" } ] }\r\n        ]\r\n    }\r\n}\r\n",
	`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"my-chordgit-wrapper hooks x"}]}]},"z":"chordgit hook claude"}`,
	"{\n  \"hooks\": {},\n  \"b\": true\n}",
	"{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"x\"}]}}\n",
}

// A script is known again, whatever program it calls, and somebody else's is left.
func TestScriptsOfCline(t *testing.T) {
	files := hooks.FilesOf("cline")
	for _, f := range files {
		for _, in := range []hooks.Installation{{}, {Strict: true}, user, {User: true, Bin: "/a b/it's/chordgit"}} {
			made, err := f.Install(nil, in)
			if again, err2 := f.Install(made, in); err != nil || err2 != nil || !bytes.Equal(made, again) || !f.Executable {
				t.Errorf("%v, %v: %s", err, err2, again)
			}
			if have, want, _, err := f.Installed(made, in); have != 1 || want != 1 || err != nil || !hooks.CallsUs(made) {
				t.Errorf("%d of %d, %v: %s", have, want, err, made)
			}
			if bin := f.Program(made); bin != in.Bin {
				t.Errorf("program %q of %s", bin, made)
			}
			if left, err := f.Uninstall(made); left != nil || err != nil {
				t.Errorf("%q, %v is left", left, err)
			}
		}
		if _, err := f.Install([]byte("#!/bin/sh\n"), user); !errors.Is(err, &edit.Error{Code: hooks.CannotMerge}) {
			t.Error(err)
		}
	}
	if len(files) != 5 {
		t.Errorf("%d files", len(files))
	}
}

// What is installed is there once, takes nothing away, and goes without a trace.
func TestAgentFiles(t *testing.T) {
	for _, f := range hooks.AgentFiles() {
		if f.Agent == "opencode" || f.Executable {
			continue
		}
		for _, old := range settingsFiles {
			made := install(t, f, []byte(old), user)
			if again := install(t, f, made, user); !bytes.Equal(made, again) {
				t.Errorf("%s: installed twice:\n%s\n%s", f.Agent, made, again)
			}
			if have, want, _, err := f.Installed(made, user); have != want || err != nil {
				t.Errorf("%s: %d of %d, %v:\n%s", f.Agent, have, want, err, made)
			}
			if rest := without(t, made); !reflect.DeepEqual(rest, without(t, []byte(old))) {
				t.Errorf("%s: %s became %s", f.Agent, old, made)
			}
			back, err := f.Uninstall(made)
			if err != nil {
				t.Fatal(err)
			}
			if gone := strings.TrimSpace(strings.ReplaceAll(old, "\n", "")); back == nil && gone == "{}" {
				continue
			}
			if string(back) != old && !strings.Contains(old, `"hooks": {}`) {
				t.Errorf("%s: taken out again:\n%q\n%q", f.Agent, old, back)
			}
		}
		made := install(t, f, nil, user)
		if back, err := f.Uninstall(made); back != nil || err != nil {
			t.Errorf("%s: a file of ours leaves %q, %v", f.Agent, back, err)
		}
	}
}

func install(t *testing.T, f *hooks.AgentFile, old []byte, in hooks.Installation) []byte {
	t.Helper()
	made, err := f.Install(old, in)
	if err != nil {
		t.Fatalf("%s: %s: %v", f.Agent, old, err)
	}
	if !json.Valid(made) {
		t.Fatalf("%s: no JSON: %s", f.Agent, made)
	}
	return made
}

// without is the text as a value, without handlers of ours and what they leave.
func without(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	root := v.(map[string]any)
	all, _ := root["hooks"].(map[string]any)
	for event, list := range all {
		var kept []any
		for _, g := range list.([]any) {
			if data, _ := json.Marshal(g); !bytes.Contains(data, []byte("/chordgit hook ")) {
				kept = append(kept, g)
			}
		}
		if all[event] = kept; kept == nil {
			delete(all, event)
		}
	}
	if len(all) == 0 {
		delete(root, "hooks")
	}
	return v
}

// The file's own way of writing is kept.
func TestAgentFileForm(t *testing.T) {
	f := hooks.FilesOf("claude")[0]
	made := string(install(t, f, []byte(settingsFiles[5]), hooks.Installation{}))
	if !strings.HasPrefix(made, settingsFiles[5][:strings.Index(settingsFiles[5], "\n\t\t]\n\t},")]) || !strings.HasSuffix(made, ",\n\t\"n\": 1e3\n}\n") {
		t.Errorf("other bytes changed:\n%s", made)
	}
	if strings.Contains(made, "\n  ") {
		t.Errorf("indented with blanks:\n%s", made)
	}
	if made := string(install(t, f, []byte(settingsFiles[6]), hooks.Installation{})); strings.Count(made, "\n") != strings.Count(made, "\r\n") {
		t.Errorf("line ends:\n%q", made)
	}
	if made := install(t, f, []byte(settingsFiles[3]), hooks.Installation{}); bytes.Contains(made, []byte("\n")) {
		t.Errorf("one line became several:\n%s", made)
	}
}

// Entries of an older version, or of a program at another place, are replaced
// where they stand.
func TestAgentFileStale(t *testing.T) {
	f := hooks.FilesOf("claude")[0]
	made := install(t, f, []byte(settingsFiles[5]), hooks.Installation{User: true, Bin: "/old place/it's/chordgit"})
	if !bytes.Contains(made, []byte(`'/old place/it'\\''s/chordgit' hook claude`)) {
		t.Fatalf("the path is not quoted:\n%s", made)
	}
	old := bytes.ReplaceAll(made, []byte(`"Edit|MultiEdit|Write|NotebookEdit|Bash|PowerShell"`), []byte(`"Edit|Write"`))
	old = bytes.Replace(old, []byte(`"Stop": [`), []byte(`"Gone": [{"hooks":[{"command":"chordgit.exe hook claude"}]}], "Stop": [`), 1)
	again := install(t, f, old, user)
	if want := install(t, f, []byte(settingsFiles[5]), user); !sameValue(t, again, want) {
		t.Errorf("got\n%s\nwant\n%s", again, want)
	}
	if bytes.Contains(again, []byte("old place")) || bytes.Contains(again, []byte("Gone")) {
		t.Errorf("left behind:\n%s", again)
	}
}

func sameValue(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

func TestAgentFileRefuses(t *testing.T) {
	for _, bad := range []string{
		"// mine\n{}", `{"a":1,}`, `{`, `[]`, `{"hooks":[]}`, `{"hooks":{"Stop":{}}}`, `{"hooks":{},"hooks":{}}`, "\xef\xbb\xbf{}", `{"hooks":null}`,
	} {
		made, err := hooks.FilesOf("claude")[0].Install([]byte(bad), user)
		if !errors.Is(err, &edit.Error{Code: hooks.CannotMerge}) {
			t.Errorf("%s: %s, %v", bad, made, err)
		}
	}
	// Gemini CLI reads comments, and keeps them.
	f := hooks.FilesOf("gemini")[0]
	old := "{\n  // mine\n  \"a\": 1, /* too */\n}\n"
	made, err := f.Install([]byte(old), user)
	if err != nil || !bytes.Contains(made, []byte("  // mine\n  \"a\": 1, /* too */")) {
		t.Errorf("%s, %v", made, err)
	}
	if again, err := f.Install(made, user); err != nil || !bytes.Equal(made, again) {
		t.Errorf("%s, %v", again, err)
	}
	if _, err := hooks.FilesOf("opencode")[0].Install([]byte("export const x = 1\n"), user); err == nil {
		t.Error("a foreign plugin was replaced")
	}
}

// Whatever the file holds: it is refused, or what is not ours is as before, and a
// second time changes nothing.
func FuzzAgentFile(f *testing.F) {
	for _, text := range settingsFiles {
		f.Add([]byte(text))
		for _, a := range hooks.AgentFiles() {
			if made, err := a.Install([]byte(text), user); err == nil {
				f.Add(made)
			}
		}
	}
	f.Fuzz(func(t *testing.T, old []byte) {
		for _, a := range hooks.AgentFiles() {
			made, err := a.Install(old, user)
			if err != nil {
				if !errors.Is(err, &edit.Error{Code: hooks.CannotMerge}) {
					t.Fatal(err)
				}
				continue
			}
			again, err := a.Install(made, user)
			if err != nil || !bytes.Equal(made, again) {
				t.Fatalf("%s: %q, then %q, %v", a.Agent, made, again, err)
			}
			if have, want, _, err := a.Installed(made, user); have != want || err != nil {
				t.Fatalf("%s: %q: %d of %d, %v", a.Agent, made, have, want, err)
			}
			if back, err := a.Uninstall(made); err != nil || bytes.Contains(back, []byte(user.Bin+" hook ")) && !bytes.Contains(old, []byte(user.Bin)) {
				t.Fatalf("%s: %q leaves %q, %v", a.Agent, made, back, err)
			}
		}
	})
}
