package hooks_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/hooks"
)

// A script is known again whatever the program is called, and one changed byte is
// seen.
func FuzzScript(f *testing.F) {
	f.Add("/usr/bin/chordgit", false, 40)
	f.Add("/a b/it's/chordgit", true, 60)
	f.Add("/odd\xff/chordgit", true, 200)
	f.Fuzz(func(t *testing.T, bin string, block bool, at int) {
		script := hooks.HookScript("pre-push", bin, block)
		s := hooks.ReadHookScript("pre-push", script)
		if bytes.ContainsRune([]byte(bin), '\n') {
			return // no installer writes one
		}
		if s.Kind != hooks.ScriptOurs || s.Bin != bin || s.Block != block {
			t.Fatalf("%q: %+v", bin, s)
		}
		if at < 0 || at >= len(script) {
			return
		}
		changed := append(bytes.Clone(script[:at]), script[at:]...)
		changed[at] ^= 1
		if s := hooks.ReadHookScript("pre-push", changed); s.Kind == hooks.ScriptOurs && s.Bin == bin && s.Block == block {
			t.Fatalf("a change at %d is not seen", at)
		}
	})
}

// So it is with a command of git's configuration, whatever stands there.
func FuzzHookCommand(f *testing.F) {
	f.Add("/usr/bin/chordgit", false, "exec true")
	f.Add("/a b/it's/chordgit", true, hooks.HookCommand("pre-push", "/x", true)+"; true")
	f.Add("/odd\xff/chordgit", true, "hook=pre-push\nbin=\nmissing=\n")
	f.Fuzz(func(t *testing.T, bin string, block bool, other string) {
		command := hooks.HookCommand("pre-push", bin, block)
		if s := hooks.ReadHookCommand("pre-push", command); !strings.Contains(bin, "\n") && (s.Kind != hooks.ScriptOurs || s.Bin != bin || s.Block != block) {
			t.Fatalf("%q: %+v", bin, s)
		}
		s := hooks.ReadHookCommand("pre-push", other)
		if s.Kind == hooks.ScriptOurs && hooks.HookCommand("pre-push", s.Bin, s.Block) != other {
			t.Fatalf("%q is taken for ours", other)
		}
		if hooks.ReadHookCommand("pre-commit", command).Kind == hooks.ScriptOurs {
			t.Fatal("a command is ours under another event")
		}
	})
}

func TestManager(t *testing.T) {
	for file, want := range map[string]string{
		".pre-commit-config.yaml": "pre-commit", "prek.toml": "prek", ".config/prek.toml": "", "lefthook.yml": "lefthook",
		".config/lefthook.toml": "lefthook", ".lefthook-local.jsonc": "lefthook", "lefthook.txt": "", ".chordgit.yaml": "",
	} {
		if got := hooks.Manager(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
