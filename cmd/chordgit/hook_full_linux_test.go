package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHookFullDisk: a prompt is never lost because the disk is full, the user is told
// that the turn cannot be taken back, tools are judged all the same, and with space
// again the next turn is recorded.
func TestHookFullDisk(t *testing.T) {
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{".chordgit.yaml": "policy: {deny: [\"secret/**\"]}\n", "a": "a\n"}))}
	git := filepath.Join(v.dir, ".git")
	if err := os.Rename(git, git+".kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(git, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", git, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	defer unix.Unmount(git, unix.MNT_DETACH)
	if err := os.CopyFS(git, os.DirFS(git+".kept")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(git + ".kept"); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(git, "filler")
	fill := func() {
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, size := range []int{1 << 16, 1 << 10, 1} {
			for range 1 << 12 {
				if _, err := f.Write(make([]byte, size)); err != nil {
					break
				}
			}
		}
	}
	said := func(event string, more string) (stdout, stderr string, code int) {
		cmd := v.command("hook", "claude")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","cwd":%q%s}`, event, v.dir, more))
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run() // its status is looked at
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	fill()
	out, errs, code := said("UserPromptSubmit", `,"prompt_id":"p1","prompt":"one"`)
	if code != 0 || errs != "" || !strings.HasPrefix(out, `{"systemMessage":"chordgit: this turn cannot be taken back: `) {
		t.Errorf("prompt: %d, %q, %q", code, out, errs)
	}
	if out, errs, code = said("PreToolUse", `,"tool_name":"Write","tool_input":{"file_path":"secret/k"}`); code != 2 || !strings.Contains(errs, "secret/k") {
		t.Errorf("denied tool: %d, %q, %q", code, out, errs)
	}
	if out, errs, code = said("PreToolUse", `,"tool_name":"Write","tool_input":{"file_path":"b"}`); code != 0 || !strings.HasPrefix(out, `{"systemMessage":"`) {
		t.Errorf("allowed tool: %d, %q, %q", code, out, errs)
	}
	if out, errs, code = said("Stop", ""); code != 0 || errs != "" {
		t.Errorf("stop: %d, %q, %q", code, out, errs)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if out, errs, code = said("UserPromptSubmit", `,"prompt_id":"p2","prompt":"two"`); code != 0 || strings.Contains(out, "cannot be taken back") {
		t.Errorf("with space again: %d, %q, %q", code, out, errs)
	}
	said("PreToolUse", `,"tool_name":"Bash","tool_use_id":"b","tool_input":{"command":"make"}`)
	if err := os.WriteFile(filepath.Join(v.dir, "a"), []byte("b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	said("PostToolUse", `,"tool_name":"Bash","tool_use_id":"b","tool_input":{"command":"make"}`)
	if out, errs, code = said("Stop", ""); code != 0 || out+errs != "" {
		t.Errorf("stop with space again: %d, %q, %q", code, out, errs)
	}
	v.run(nil, "", "rewind", "--yes")
	if got := v.files()["a"]; got != "a\n" {
		t.Errorf("after the rewind a holds %q", got)
	}
}
