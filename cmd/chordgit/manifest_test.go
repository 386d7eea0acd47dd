package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The hooks that pre-commit finds in the repository are ones that there are.
func TestPreCommitManifest(t *testing.T) {
	name := filepath.Join("..", "..", ".pre-commit-hooks.yaml")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ ID, Entry string }
	if err := yaml.Unmarshal(data, &all); err != nil || len(all) != 2 {
		t.Fatalf("%v, %d hooks", err, len(all))
	}
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }}
	for _, h := range all {
		cmd, rest, err := a.root().Find(strings.Fields(h.Entry)[1:])
		if err != nil || len(rest) > 0 || !strings.HasPrefix(h.Entry, cmd.CommandPath()) {
			t.Errorf("%s: %q is no command", h.ID, h.Entry)
		}
	}
	program, err := exec.LookPath("pre-commit")
	if err != nil {
		t.Skip("pre-commit is not installed: its own check of the file is left out")
	}
	var major, minor int
	version, _ := exec.Command(program, "--version").Output()
	if fmt.Sscanf(string(version), "pre-commit %d.%d", &major, &minor); major < 3 || major == 3 && minor < 2 {
		t.Skipf("%s is older than the names of stages in the file, which need 3.2", strings.TrimSpace(string(version)))
	}
	if out, err := exec.Command(program, "validate-manifest", name).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
