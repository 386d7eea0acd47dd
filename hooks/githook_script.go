package hooks

import (
	"bytes"
	"fmt"
	"strings"
)

// scriptVersion counts the forms that the script had.
const scriptVersion = 1

// scriptMark begins the second line of every hook script of ours.
const scriptMark = "# chordgit-hook "

// PrevSuffix is what the name of a hook gets that was there before ours, which
// runs it first.
const PrevSuffix = ".chordgit-prev"

// GitHooks are the hooks that are installed in a worktree's repository,
// ServerHooks those of a server's.
func GitHooks() []string { return []string{"pre-commit", "pre-merge-commit", "pre-push"} }

// ServerHooks are those of a bare repository that is pushed to.
func ServerHooks() []string { return []string{"pre-receive"} }

// scriptBody follows the settings. The hook that was there before gets the same
// arguments and input, and its refusal counts.
const scriptBody = `in=
case $hook in pre-push|pre-receive) in=$(cat) ;; esac
feed() { [ -z "$in" ] || printf '%s\n' "$in"; }
prev=${0%/*}/$hook.chordgit-prev
if [ -x "$prev" ]; then feed | "$prev" "$@" || exit $?; fi
` + scriptChecks + `feed | "$bin" hook "$hook" "$@"
`

// scriptChecks find the program, or end it.
const scriptChecks = `if [ "${CHORDGIT-}" = 0 ]; then echo "chordgit: $hook check skipped (CHORDGIT=0)" >&2; exit 0; fi
[ -x "$bin" ] || bin=$(command -v chordgit) || bin=
if [ -z "$bin" ]; then
  echo "chordgit: not found, $hook policy was NOT checked (chordgit hooks status)" >&2
  [ "$missing" = block ] && exit 1
  exit 0
fi
`

// HookScript is the script of a git hook. bin is the program's absolute path; block
// says that nothing passes where it is gone.
func HookScript(hook, bin string, block bool) []byte {
	return fmt.Appendf(nil, "#!/bin/sh\n%s%d %s\n%s%s", scriptMark, scriptVersion, hook, hookSettings(hook, bin, block), scriptBody)
}

// ShellQuote makes a text one word of the shell.
func ShellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// What a hook file is.
const (
	ScriptForeign = "foreign"
	ScriptOurs    = "ours"
	ScriptEdited  = "edited" // ours, and somebody changed it
)

// A ScriptState is what is known of a hook file.
type ScriptState struct {
	Kind  string
	Bin   string // the program that it calls
	Block bool
}

// ReadHookScript tells whose a hook file is. Ours is only what some version wrote,
// byte for byte, whatever program it calls.
func ReadHookScript(hook string, data []byte) ScriptState {
	lines := bytes.SplitN(data, []byte("\n"), 6)
	if len(lines) < 2 || !bytes.HasPrefix(lines[1], []byte(scriptMark)) {
		return ScriptState{Kind: ScriptForeign}
	}
	if len(lines) < 6 {
		return ScriptState{Kind: ScriptEdited}
	}
	return readSettings(string(lines[3]), string(lines[4]), func(bin string, block bool) bool {
		return bytes.Equal(HookScript(hook, bin, block), data)
	})
}

// Stanza is what a program that manages git hooks needs in its configuration, by
// the name of the program: pre-commit, prek, lefthook or husky.
func Stanza(manager string) string {
	switch manager {
	case "pre-commit", "prek":
		text := `repos:
  - repo: https://github.com/chordgit/chordgit
    rev: main
    hooks:
      - id: chordgit-policy
      - id: chordgit-policy-push
`
		if manager == "prek" {
			text = `[[repos]]
repo = "https://github.com/chordgit/chordgit"
rev = "main"
hooks = [{ id = "chordgit-policy" }, { id = "chordgit-policy-push" }]
`
		}
		return text + "\nthen: " + manager + " install -t pre-commit -t pre-merge-commit -t pre-push\n"
	case "lefthook":
		return `pre-commit:
  jobs:
    - name: chordgit
      run: chordgit hook pre-commit
pre-merge-commit:
  jobs:
    - name: chordgit
      run: chordgit hook pre-merge-commit
pre-push:
  jobs:
    - name: chordgit
      run: chordgit hook pre-push {1} {2}
      use_stdin: true

then: lefthook install
`
	}
	var b strings.Builder
	for _, hook := range GitHooks() {
		first := ""
		if HuskyFirst(hook) {
			first = " (before all that reads standard input)"
		}
		fmt.Fprintf(&b, ".husky/%s%s:\n  %s\n", hook, first, HuskyLine(hook))
	}
	return b.String()
}

// HuskyLine is the line that husky's file of a hook needs. What git says on
// standard input can be read once: the line of a hook that reads it keeps it for
// those that follow, as git lfs.
func HuskyLine(hook string) string {
	call := "chordgit hook " + hook + ` "$@"`
	if !HuskyFirst(hook) {
		return call
	}
	return `f=$(mktemp) && cat >"$f" && ` + call + ` <"$f" && exec <"$f" && rm -f "$f" || { rm -f "$f"; exit 1; }`
}

// HuskyFirst reports whether the line of a hook must stand before all that reads
// standard input.
func HuskyFirst(hook string) bool { return hook == "pre-push" }

// Manager names the program that manages a repository's git hooks by a file in
// its root or in .config, empty if the name is none of these.
func Manager(file string) string {
	name, config := strings.CutPrefix(file, ".config/")
	switch name {
	case ".pre-commit-config.yaml", ".pre-commit-config.yml":
		if !config {
			return "pre-commit"
		}
	case "prek.toml":
		if !config {
			return "prek"
		}
	}
	for _, end := range []string{".yml", ".yaml", ".toml", ".json", ".jsonc"} {
		stem, ok := strings.CutSuffix(name, end)
		if ok && (stem == "lefthook" || stem == ".lefthook" || stem == "lefthook-local" || stem == ".lefthook-local") {
			return "lefthook"
		}
	}
	return ""
}
