package gitops

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

// TestMissCounts takes what is no table of counts for an empty one.
func TestMissCounts(t *testing.T) {
	for raw, want := range map[string]int{`{"f":2}`: 2, `null`: 0, `[1]`: 0, `{"f":"x"}`: 0} {
		counts := missCounts(map[string]json.RawMessage{misses: json.RawMessage(raw)})
		if counts == nil || counts["f"] != want {
			t.Errorf("%s: %v, want %d", raw, counts, want)
		}
	}
}

// TestModes keeps all twelve permission bits, listing exceptions only.
func TestModes(t *testing.T) {
	modes := map[string]fs.FileMode{
		"plain": 0o664, "plain2": 0o664, "secret": 0o600, "run": 0o775, "own": 0o700,
		"suid": 0o755 | fs.ModeSetuid, "sticky": 0o644 | fs.ModeSticky, "read": 0o444,
	}
	m := &meta{}
	var changes []edit.Change
	for path, mode := range modes {
		changes = append(changes, edit.Change{Path: path, Before: &edit.File{Mode: mode}, After: &edit.File{Mode: 0o664}})
	}
	m.setModes(&edit.Plan{Changes: changes})
	if m.Modes.Base["file"] != "0664" {
		t.Errorf("the usual mode is %q", m.Modes.Base["file"])
	}
	if len(m.Modes.After) != 0 {
		t.Errorf("usual modes are listed: %v", m.Modes.After)
	}
	for path, mode := range modes {
		if got := m.mode(path, mode&0o100 != 0, false); got != mode {
			t.Errorf("%s comes back as %v, was %v", path, got, mode)
		}
	}
}

// TestSubject keeps control characters and lengths out of the tag's subject.
func TestSubject(t *testing.T) {
	for _, tt := range []struct{ message, want string }{
		{"", "turn 7"},
		{"\n\n fix the login page \nand more", "fix the login page"},
		{"a\x1b[31mb", "a[31mb"},
		{strings.Repeat("x", 100), strings.Repeat("x", 71) + "…"},
	} {
		turn := Turn{N: 7, Message: tt.message}
		if got := turn.Subject(); got != tt.want {
			t.Errorf("%q gives %q, want %q", tt.message, got, tt.want)
		}
	}
}
