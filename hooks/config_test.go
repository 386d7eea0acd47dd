package hooks_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks"
)

func ptr[T any](v T) *T { return &v }

func TestDecodeConfig(t *testing.T) {
	full := hooks.Config{}
	full.Match.Ambiguous, full.Match.FinalNewline = "refuse", "preserve"
	full.Apply.Atomic = ptr(true)
	full.Limits.Request, full.Limits.File = 1<<20, 3<<30
	full.Memory.Dir = "docs/memories"
	full.Store.KeepTurns, full.Store.KeepDays, full.Store.MaxSize, full.Store.AutoPrune = 40, 7, 1<<20, ptr(false)
	const text = `# what our agents may do
version: 1
match:
  ambiguous: refuse # never guess
  final_newline: "preserve"
apply: {atomic: true}
limits:
  request: 1048576
  file: 3GiB
memory: {dir: docs/memories/}
store: {keep_turns: 40, keep_days: 7, max_size: 1MiB, auto_prune: false}
`
	partly := hooks.Config{}
	partly.Apply.Atomic = ptr(false)
	for _, tt := range []struct {
		name, text string
		want       hooks.Config
	}{
		{"empty", "", hooks.Config{}},
		{"blank lines", "\n\n", hooks.Config{}},
		{"comments only", "# version: 1\n\n# match:\n", hooks.Config{}},
		{"an empty document", "---\n# nothing\n...\n", hooks.Config{}},
		{"an empty map", "{}", hooks.Config{}},
		{"everything", text, full},
		{"CRLF", strings.ReplaceAll(text, "\n", "\r\n"), full},
		{"CR", strings.ReplaceAll(text, "\n", "\r"), full},
		{"byte order mark", "\uFEFF" + text, full},
		{"document markers", "---\n" + text + "...\n", full},
		{"one key", "apply:\n  atomic: false\n", partly},
		{"explicit keys", "? apply\n: {? atomic : False}\n", partly},
		{"tabs before a comment", "apply: {atomic: false}\t# x\n", partly},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := hooks.DecodeConfig(".chordgit.yaml", []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
		})
	}
}

// badConfigs are texts and their errors.
var badConfigs = []struct{ name, text, want string }{
	{"unknown key at the top", "rules:\n  deny: [a]\n", `1:1: unknown key "rules"`},
	{"unknown key in a section", "match:\n  x: 1\n", `2:3: unknown key "x" in match`},
	{"two letters swapped", "macth: {}\nlimits:\n  flie: 1\n", `1:1: unknown key "macth" (did you mean "match"?)
3:3: unknown key "flie" in limits (did you mean "file"?)`},
	{"other letter case", "Version: 1\n", `1:1: unknown key "Version" (did you mean "version"?)`},
	{"three letters off", "mat: {}\nma: {}\n", `1:1: unknown key "mat" (did you mean "match"?)
2:1: unknown key "ma"`},
	{"dotted key", "apply.atomic: true\n", `1:1: unknown key "apply.atomic"`},
	{"a key that is no word", "1: a\nnull: b\n'': c\n", `1:1: unknown key "1"
2:1: unknown key "null"
3:1: unknown key ""`},
	{"control characters are shown", "\x1b[2J: 1\n", `1:1: unknown key "\x1b[2J"`},
	{"a long key is cut", strings.Repeat("ä", 100) + ": 1\n", `1:1: unknown key "` + strings.Repeat("ä", 30) + `…"`},
	{"repeated key", "version: 1\n\nmatch:\n  ambiguous: note\n  'ambiguous': warn\nversion: 2\n", `5:3: "ambiguous" is set twice (first at line 4)
6:1: "version" is set twice (first at line 1)`},
	{"repeated section", "limits: {file: 1}\nlimits: {file: 2}\n", `2:1: "limits" is set twice (first at line 1)`},

	{"version", "version: 2\n", `1:10: version: want 1`},
	{"version as a string", "version: '1'\n", `1:10: version: want 1`},
	{"version in another base", "version: 0x1\n", `1:10: version: want 1`},
	{"word", "match:\n  ambiguous: warn\n  final_newline: true\n", `2:14: match.ambiguous: want note or refuse, found "warn"
3:18: match.final_newline: want ensure or preserve, found true`},
	{"no word", "match:\n  ambiguous:\n    - note\n  final_newline: {}\n", `3:5: match.ambiguous: want note or refuse, found a list
4:18: match.final_newline: want ensure or preserve, found a map`},
	{"null", "match:\n  ambiguous: ~\n", `2:14: match.ambiguous: want note or refuse, found ~`},
	{"bool", "apply: {atomic: yes}\n", `1:17: apply.atomic: want true or false, found "yes"`},
	{"bool as a string", "apply: {atomic: \"true\"}\n", `1:17: apply.atomic: want true or false, found "true"`},
	{"bool as a number", "apply: {atomic: 1}\n", `1:17: apply.atomic: want true or false, found 1`},
	{"directory outside", "memory: {dir: ../m}\n", `1:15: memory.dir: want a directory inside the worktree, such as docs/memories, found "../m"`},
	{"directory that is absolute", "memory: {dir: /m}\n", `1:15: memory.dir: want a directory inside the worktree, such as docs/memories, found "/m"`},
	{"directory that is the root", "memory: {dir: ./}\n", `1:15: memory.dir: want a directory inside the worktree, such as docs/memories, found "./"`},
	{"directory that is a list", "memory: {dir: [m]}\n", `1:15: memory.dir: want a directory inside the worktree, such as docs/memories, found a list`},
	{"size without a unit that we know", "limits: {file: 64MB}\n", `1:16: limits.file: want a size like 1048576 or 64MiB (KiB, MiB, GiB), found "64MB"`},
	{"size with a blank", "limits: {file: 64 MiB}\n", `1:16: limits.file: want a size like 1048576 or 64MiB (KiB, MiB, GiB), found "64 MiB"`},
	{"size zero", "limits: {file: 0}\n", `1:16: limits.file: want a size like 1048576 or 64MiB (KiB, MiB, GiB), found 0`},
	{"size below zero", "limits: {file: -1}\n", `1:16: limits.file: want a size like 1048576 or 64MiB (KiB, MiB, GiB), found -1`},
	{"size that is octal to some", "limits: {file: 0100}\n", `1:16: limits.file: want a size like 1048576 or 64MiB (KiB, MiB, GiB), found 0100`},
	{"size with underscores", "limits: {file: 1_000}\n", `1:16: limits.file: want a size like 1048576 or 64MiB (KiB, MiB, GiB), found 1_000`},
	{"size of a unit alone", "limits: {file: MiB}\n", `1:16: limits.file: want a size like 1048576 or 64MiB (KiB, MiB, GiB), found "MiB"`},
	{"size with a fraction", "limits: {file: 1.5}\n", `1:16: limits.file: want a size like 1048576 or 64MiB (KiB, MiB, GiB), found 1.5`},
	{"count zero", "store: {keep_turns: 0}\n", `1:21: store.keep_turns: want a number from 1 to 1000000, found 0`},
	{"counts that are none", "store: {keep_turns: -1, keep_days: 1.5}\n", `1:21: store.keep_turns: want a number from 1 to 1000000, found -1
1:36: store.keep_days: want a number from 1 to 1000000, found 1.5`},
	{"counts in words and beyond counting", "store: {keep_turns: many, keep_days: 1000001}\n", `1:21: store.keep_turns: want a number from 1 to 1000000, found "many"
1:38: store.keep_days: want a number from 1 to 1000000, found 1000001`},
	{"size beyond counting", "limits: {file: 9999999999GiB, request: 99999999999999999999}\n", `1:16: limits.file: 9999999999GiB is too large
1:40: limits.request: 99999999999999999999 is too large`},
	{"section without keys", "match:\n", `1:8: match: want a map, found null`},
	{"section that is a scalar", "match: 1\napply: true\n", `1:8: match: want a map, found a number
2:8: apply: want a map, found a bool`},
	{"top level that is no map", "- version: 1\n", `1:1: want a map, found a list`},
	{"text", "version 1\n", `1:1: want a map, found a string`},

	{"endpoint", "providers: {p: {type: grpc}}\n", `1:23: providers.p.type: want responses, chat, messages, gemini or mcp, found "grpc"`},
	{"below a name", "providers:\n  p:\n    compat: {apply_patch: {enabled: yes, fresform: true}}\n    models: {m.1: {type: chat}}\n", `3:37: providers.p.compat.apply_patch.enabled: want true or false, found "yes"
3:42: unknown key "fresform" in providers.p.compat.apply_patch (did you mean "freeform"?)
4:20: unknown key "type" in providers.p.models.m.1`},
	{"a name twice", "providers:\n  p: {}\n  p: {}\n", `3:3: "p" is set twice (first at line 2)`},
	{"names that are no map", "providers: [p]\ncompat: {apply_patch: true}\n", `1:12: providers: want a map, found a list
2:23: compat.apply_patch: want a map, found a bool`},

	{"policy", "policy:\n  dney: [a]\n  deny: a\n  ask: {a: b}\n  allow: []\n  create: {deny: ~}\n  write: [a]\n  submodules: maybe\n", `2:3: unknown key "dney" in policy (did you mean "deny"?)
3:9: policy.deny: want a list of globs, found a string
4:8: policy.ask: want a list of globs, found a map
5:10: policy.allow is empty: remove the key to allow everything, or deny "**"
6:18: policy.create.deny: want a list of globs, found null
7:10: policy.write: want a map, found a list
8:15: policy.submodules: want deny or allow, found "maybe"`},
	{"rules", "policy:\n  deny:\n    - {glob: a, raeson: b}\n    - {reason: b}\n    - {glob: a, reason: \"a\\nb\"}\n    - ~\n    - [a]\n    - {glob: ~}\n", `3:17: unknown key "raeson" in policy.deny (did you mean "reason"?)
4:7: policy.deny: a rule needs a glob
5:25: policy.deny.reason: want one line of at most 200 characters
6:7: policy.deny: want a glob, found null
7:7: policy.deny: want a glob, found a list
8:14: policy.deny: want a glob, found null`},
	{"globs", "policy: {deny: [\"!x\", ./a, a//b, a/../b, /, ., \"\", \" a\", ~/x, \"[a\", \"[[:alpha:]]\", \"a[/]b\", \"src**\", 'src\\main', \"a}\"]}\n", `1:17: policy.deny "!x": negation is not supported; write a narrower deny
1:23: policy.deny "./a": write the path as git ls-files prints it
1:28: policy.deny "a//b": write the path as git ls-files prints it
1:34: policy.deny "a/../b": write the path as git ls-files prints it
1:42: policy.deny "/": write the path as git ls-files prints it
1:45: policy.deny ".": write the path as git ls-files prints it
1:48: policy.deny "": write the path as git ls-files prints it
1:52: policy.deny " a": write the path as git ls-files prints it
1:58: policy.deny "~/x": globs are relative to the repository
1:63: policy.deny "[a": bad pattern
1:69: policy.deny "[[:alpha:]]": POSIX classes are not supported
1:84: policy.deny "a[/]b": a class cannot hold /
1:93: policy.deny "src**": ** must be a whole component; write src/**
1:102: policy.deny "src\\main": use / between components
1:114: policy.deny "a}": bad pattern`},
	{"globs of captures", "snapshot:\n  include: [\"!x\", ./a, null, {glob: a}, \"src**\", ok]\n  exclude: build/**\n", `2:13: snapshot.include "!x": negation is not supported; write a narrower deny
2:19: snapshot.include "./a": write the path as git ls-files prints it
2:24: snapshot.include: want a glob, found null
2:30: snapshot.include: want a glob, found a map
2:41: snapshot.include "src**": ** must be a whole component; write src/**
3:12: snapshot.exclude: want a list of globs, found a string`},
	{"caps", "policy:\n  deny:\n    - " + strings.Repeat("a", 1025) + "\n    - \"" + strings.Repeat("{a,a}", 9) + "\"\n    - \"a\\tb\"\n", `3:7: policy.deny the glob has 1025 bytes, 1024 are allowed
4:7: policy.deny "` + strings.Repeat("{a,a}", 9) + `": the braces come to more than 256 alternatives
5:7: policy.deny "a\tb": a glob cannot hold control characters`},
	{"too many rules", "policy:\n  deny: [" + strings.Repeat("a,", 1001) + "a]\n", `2:2010: the file has more than 1000 rules`},
	{"unprotect", "policy:\n  unprotect: [\"**\", .git/hooks, .GIT, .chordgit.yaml, \"{x,.chordgit.yml}\", \"*/?\"]\n", `2:15: policy.unprotect "**": name what you unprotect
2:21: policy.unprotect ".git/hooks": .git cannot be unprotected
2:33: policy.unprotect ".GIT": .git cannot be unprotected
2:39: policy.unprotect ".chordgit.yaml": counts only in the user's file
2:55: policy.unprotect "{x,.chordgit.yml}": counts only in the user's file
2:76: policy.unprotect "*/?": name what you unprotect`},
	{"permission", "permission:\n  Edit: allow\n  apply_patch: deny\n  patch: allow\n  write: no\n  edit: {a: [b], \"!c\": deny, \"*\": ask, \"**\": ask}\n", `2:3: permission: unknown tool "Edit" (did you mean "edit"?)
4:3: patch is another name of apply_patch, which is set at line 3
5:10: permission.write: want allow, ask or deny, found "no"
6:13: permission.edit.a: want allow, ask or deny, found a list
6:18: permission.edit "!c": negation is not supported; write a narrower deny
6:40: * is another name of **, which is set at line 6`},

	{"alias and anchor", "match: &a {ambiguous: note}\napply: *a\n", `1:8: tags, anchors and aliases are not supported
2:8: tags, anchors and aliases are not supported`},
	{"merge key", "match:\n  <<: {ambiguous: note}\n", `2:3: tags, anchors and aliases are not supported`},
	{"tag", "version: !!int 1\n", `1:10: tags, anchors and aliases are not supported`},
	{"tag of the whole", "--- !config\nversion: 1\n", `1:5: tags, anchors and aliases are not supported`},
	{"directive", "%YAML 1.2\n---\nversion: 1\n", "1:1: directives are not supported\n2:1: second document"},
	{"second document", "version: 1\n---\nversion: 1\n---\n", "2:1: second document\n4:1: second document"},
	{"second document that is empty", "version: 1\n---\n", "2:1: second document"},
	{"second document without a marker", "version: 1\n...\nmatch: {}\n", "3:1: second document"},

	{"unquoted globs, reported with the rest", "deny:\n  - *.key\n  - \"*.pem\"\n  - !secret\n", `1:1: unknown key "deny"
2:5: a glob that starts with * must be quoted
4:5: a glob that starts with ! must be quoted`},
	{"unquoted globs that do not parse", "deny:\n  - **/*.key\n  - [a-z]*\n  - *\n", `2:5: a glob that starts with * must be quoted
3:10: a glob that starts with [ must be quoted
4:5: a glob that starts with * must be quoted`},
	{"unquoted @", "deny:\n  - @scope/x\n", "2:5: a glob that starts with @ must be quoted"},
	{"unquoted `", "deny:\n  - `x`\n", "2:5: a glob that starts with ` must be quoted"},
	{"unquoted %", "- %x\n", "1:3: a glob that starts with % must be quoted"},
	{"unquoted {", "deny:\n  - {a,b}/c\n", "2:10: value is not allowed in this context (a glob that starts with { must be quoted)"},
	{"unquoted key", "edit:\n  **: allow\n", `2:3: a glob that starts with * must be quoted`},
	{"unquoted in flow style", "edit: {*.go: ask}\ndeny: [a, *.go]\n", `1:8: a glob that starts with * must be quoted
2:11: a glob that starts with * must be quoted`},

	{"list that is not closed", "match: [\n", "1:8: sequence end token ']' not found"},
	{"indentation", "match:\n  ambiguous: note\n apply: {}\n", "3:2: value is not allowed in this context"},
	{"tab", "match:\n\tambiguous: note\n", `2:1: found character '\t' that cannot start any token`},
	{"invalid UTF-8", "é: \xff\nb\n\xe2\x82\n", "1:4: invalid UTF-8\n3:1: invalid UTF-8"},
	{"UTF-16", "\xff\xfev\x00", "1:1: invalid UTF-8"},
	{"too large", "#" + strings.Repeat(" ", hooks.ConfigLimit), "1:1: the file is larger than 256 KiB"},
	{"too long", strings.Repeat("#\n", 10_001), "10001:1: the file has more than 10000 lines"},
	{"too deep", "a: " + strings.Repeat("[", 100_000), "1:68: nested more than 64 deep"},
	{"too deep, lists", strings.Repeat("- ", 100_000), "1:129: nested more than 64 deep"},
	{"too many <", strings.Repeat("<", 100_000), "1:1: the line has more than 1000 < in a row"},
	{"too many tabs", "a: \"" + strings.Repeat("\t", 100_000), "1:1: the file has more than 1000 tabs"},
}

func TestDecodeConfigErrors(t *testing.T) {
	for _, tt := range badConfigs {
		t.Run(tt.name, func(t *testing.T) {
			want := "P:" + strings.ReplaceAll(tt.want, "\n", "\nP:")
			for _, text := range []string{tt.text, strings.ReplaceAll(tt.text, "\n", "\r\n")} {
				c, err := hooks.DecodeConfig("P", []byte(text))
				if err == nil {
					t.Fatalf("no error, %+v", c)
				}
				if err.Error() != want {
					t.Errorf("got\n%v\nwant\n%s", err, want)
				}
				if c != nil || !errors.Is(err, &edit.Error{Code: hooks.BadConfig}) {
					t.Errorf("not nil, or not of code bad-config: %v, %#v", c, err)
				}
			}
		})
	}
}

func TestDecodeConfigReportsTwenty(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	_, err := hooks.DecodeConfig("P", []byte(b.String()))
	var all edit.Errors
	if !errors.As(err, &all) || len(all) != 20 {
		t.Fatalf("%d errors, want 20: %v", len(all), err)
	}
	if last := all[19]; last.Error() != `P:20:1: unknown key "key19"` || last.Lines[0] != 20 {
		t.Errorf("the last is %v, line %v", last, last.Lines)
	}
}

// TestDecodeConfigTime: the worst files that the limits let pass take the parser
// about a second, beyond them it takes minutes or all memory. The time allowed is
// that of a busy machine under the race detector.
func TestDecodeConfigTime(t *testing.T) {
	for name, text := range map[string]string{
		"keys":            strings.Repeat("a:\n", 9_999),
		"literal":         "a: |\n" + strings.Repeat("  \n", 9_998),
		"tabs in a quote": "\"" + strings.Repeat(" \t", 999) + strings.Repeat("a", 250_000),
		"flow":            strings.Repeat("[", 200_000),
		"closed flow":     strings.Repeat("[]", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if _, err := hooks.DecodeConfig("P", []byte(text)); err == nil {
				t.Error("no error")
			}
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			}
		})
	}
}

func TestMergeConfig(t *testing.T) {
	config := func(text string) *hooks.Config {
		c, err := hooks.DecodeConfig("P", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	defaults := hooks.Settings{RequestLimit: 64 << 20, FileLimit: 512 << 20, KeepTurns: 500, KeepDays: 30, MaxSize: 2 << 30, AutoPrune: true}
	with := func(change func(*hooks.Settings)) hooks.Settings {
		s := defaults
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name             string
		repository, user *hooks.Config
		want             hooks.Settings
	}{
		{"no files", nil, nil, defaults},
		{"files that say nothing", config(""), config("version: 1\n"), defaults},
		{"the user's refuse stands", config("match: {ambiguous: note}"), config("match: {ambiguous: refuse}"), with(func(s *hooks.Settings) { s.RefuseAmbiguous = true })},
		{"the repository's refuse stands", config("match: {ambiguous: refuse}"), config("match: {ambiguous: note}"), with(func(s *hooks.Settings) { s.RefuseAmbiguous = true })},
		{"the repository is nearer", config("match: {final_newline: ensure}\napply: {atomic: false}\nlimits: {file: 1KiB}"), config("match: {final_newline: preserve}\napply: {atomic: true}\nlimits: {file: 2KiB, request: 3}"), with(func(s *hooks.Settings) { s.FileLimit, s.RequestLimit = 1<<10, 3 })},
		{"the repository's store", config("store: {keep_turns: 3, auto_prune: false}"), config("store: {keep_turns: 4, keep_days: 5, auto_prune: true}"), with(func(s *hooks.Settings) { s.KeepTurns, s.KeepDays, s.AutoPrune = 3, 5, false })},
		{"the user alone", config(""), config("match: {final_newline: preserve}\napply: {atomic: true}"), with(func(s *hooks.Settings) { s.KeepFinalNewline, s.Atomic = true, true })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := hooks.MergeConfig(tt.repository, tt.user); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestCheckConfigName(t *testing.T) {
	for name, bad := range map[string]bool{
		".chordgit.yaml": false, "chordgit.yaml": false, ".chordgit.yaml.orig": false, ".chordgit": false, "README.md": false,
		".chordgit.yml": true, ".chordgit.toml": true, ".chordgit.json": true, ".Chordgit.yaml": true, ".CHORDGIT.YML": true,
	} {
		err := hooks.CheckConfigName(name)
		switch {
		case !bad && err != nil:
			t.Errorf("%s: %v", name, err)
		case bad && (err == nil || err.Error() != name+": the policy file is .chordgit.yaml" || !errors.Is(err, &edit.Error{Code: hooks.BadConfig})):
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// FuzzDecodeConfig: no panic; a Config or errors; each error names its code and a
// line of the text.
func FuzzDecodeConfig(f *testing.F) {
	for _, tt := range badConfigs {
		if len(tt.text) < 1000 {
			f.Add([]byte(tt.text))
		}
	}
	f.Add([]byte("\uFEFFversion: 1\r\nmatch: {ambiguous: refuse}\nlimits:\n  file: 1GiB\n...\n"))
	f.Add([]byte("compat: {apply_patch: {enabled: true}}\nproviders:\n  p: {type: chat, models: {m: {compat: {apply_patch: {freeform: false}}}}}\n"))
	f.Add([]byte("policy:\n  deny: [\"secret/**\", {glob: \"**/*.pem\", reason: r}]\n  delete: {allow: [1.0, \"[!a-z]{b,c}\"]}\n  unprotect: [.husky/pre-commit]\npermission: {edit: allow, \"*\": {\"*\": ask, \"a?\": deny}}\n"))
	f.Add([]byte("? match\n: ambiguous: |-\n    refuse\n\n  final_newline: >-\n\n    ensure\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := hooks.DecodeConfig("P", data)
		if (c == nil) == (err == nil) {
			t.Fatalf("config %v, error %v", c, err)
		}
		if err == nil {
			return
		}
		var all edit.Errors
		if !errors.As(err, &all) || len(all) == 0 || len(all) > 20 {
			t.Fatalf("%d errors: %#v", len(all), err)
		}
		lines := 1 + strings.Count(string(data), "\n") + strings.Count(string(data), "\r")
		before := 1
		for _, e := range all {
			if e.Code != hooks.BadConfig || len(e.Lines) != 1 || e.Lines[0] < before || e.Lines[0] > lines || strings.ContainsAny(e.Error(), "\n\r\t\x1b") {
				t.Fatalf("of %d lines, after line %d: %#v", lines, before, e)
			}
			before = e.Lines[0]
		}
	})
}

func ExampleDecodeConfig() {
	_, err := hooks.DecodeConfig(".chordgit.yaml", []byte("match:\n  ambigous: refuse\napply:\n  atomic: maybe\n"))
	fmt.Println(err)
	// Output:
	// .chordgit.yaml:2:3: unknown key "ambigous" in match (did you mean "ambiguous"?)
	// .chordgit.yaml:4:11: apply.atomic: want true or false, found "maybe"
}

func ExampleMergeConfig() {
	repository, err := hooks.DecodeConfig(".chordgit.yaml", []byte("match: {ambiguous: refuse}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	var flags hooks.Config
	flags.Limits.Request = 1 << 20
	s := hooks.MergeConfig(&flags, repository, nil)
	fmt.Println(s.RefuseAmbiguous, s.Atomic, s.RequestLimit)
	// Output: true false 1048576
}
