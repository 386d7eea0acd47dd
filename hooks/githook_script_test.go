package hooks_test

import (
	"bytes"
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
		script := hooks.Script("pre-push", bin, block)
		s := hooks.ReadScript("pre-push", script)
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
		if s := hooks.ReadScript("pre-push", changed); s.Kind == hooks.ScriptOurs && s.Bin == bin && s.Block == block {
			t.Fatalf("a change at %d is not seen", at)
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
