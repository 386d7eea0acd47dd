package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkPreEvent is what a hook does before an edit, without the start of its
// process, while a turn is open: it must not grow with the repository.
func BenchmarkPreEvent(b *testing.B) {
	for _, files := range []int{1_000, 20_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			dir := b.TempDir()
			var policy strings.Builder
			policy.WriteString("policy:\n  deny:\n")
			for i := range 100 {
				fmt.Fprintf(&policy, "    - \"secret%d/**\"\n", i)
			}
			if err := os.WriteFile(filepath.Join(dir, ".chordgit.yaml"), []byte(policy.String()), 0o644); err != nil {
				b.Fatal(err)
			}
			for i := range files {
				name := filepath.Join(dir, fmt.Sprintf("d%d", i/100), fmt.Sprintf("f%d", i))
				if i%100 == 0 {
					if err := os.Mkdir(filepath.Dir(name), 0o755); err != nil {
						b.Fatal(err)
					}
				}
				if err := os.WriteFile(name, []byte(name), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			say := func(event, more string) int {
				input := fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","prompt_id":"p","cwd":%q%s}`, event, dir, more)
				a := &app{stdin: strings.NewReader(input), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }}
				return a.run([]string{"hook", "claude"})
			}
			if code := say("UserPromptSubmit", ""); code != 0 {
				b.Fatal(code)
			}
			for b.Loop() {
				if code := say("PreToolUse", `,"tool_name":"Write","tool_input":{"file_path":"d1/new"}`); code != 0 {
					b.Fatal(code)
				}
			}
			if code := say("PreToolUse", `,"tool_name":"Write","tool_input":{"file_path":"secret99/new"}`); code != 2 {
				b.Fatal(code)
			}
		})
	}
}
