package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// demoFiles is what the demo's repository starts with: one line that stands
// twice.
var demoFiles = map[string]string{
	"settings.py": `def development(limits):
    limits.timeout = 30


def production(limits):
    limits.timeout = 30
`,
	"run.sh":  "#!/bin/sh\nexec python3 app.py\n",
	"old.txt": "notes of last year\n",
}

const demoPatch = `*** Begin Patch
*** Update File: settings.py
@@ def production(limits):
-    limits.timeout = 30
+    limits.timeout = 60
*** Add File: docs/limits.md
+# Limits
+Production waits 60 seconds.
*** Delete File: old.txt
*** End Patch
`

const demoEdit = `{"file_path": "settings.py", "old_string": "limits.timeout = 30", "new_string": "limits.timeout = 5"}`

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "See apply, begin, end, log, show, rewind and redo in a throwaway repository",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.demo(); err != nil {
				a.report(newFailure("demo", err))
			}
			return nil
		},
	}
}

// demo runs real commands on a real repository and prints both.
func (a *app) demo() error {
	dir, err := os.MkdirTemp("", "chordgit-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// An empty repository is four entries; that spares the demo the git program.
	for _, d := range []string{".git/objects", ".git/refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	files := map[string]string{
		".git/HEAD":   "ref: refs/heads/main\n",
		".git/config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n",
	}
	for name, text := range demoFiles {
		files[name] = text
	}
	for name, text := range files {
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			return err
		}
	}
	d := &demo{app: a, dir: dir}
	d.say("A repository with settings.py (one line stands in it twice), run.sh and old.txt.")
	d.say("An agent sends a patch for three files; the anchor after @@ says which line is meant:")
	d.run(demoPatch, "apply")
	d.say("An edit whose text stands twice is refused, not guessed:")
	d.run(strings.Replace(demoEdit, "= 30", "=", 1), "apply")
	d.say("With a text that stands once it lands:")
	d.run(demoEdit, "apply")
	d.say("Both are turns:")
	d.run("", "log")
	d.run("", "show", "1")
	d.run("", "diff", "2")
	d.say("Take the newest one back, then the other:")
	d.run("", "rewind")
	d.run("", "rewind")
	d.say("A rewind is a turn, too. It is taken back in the same way:")
	d.run("", "redo")
	if _, err := exec.LookPath("sh"); err == nil {
		d.captured()
	}
	return d.err
}

// captured shows a turn of which no request tells: a shell's.
func (d *demo) captured() {
	d.say("What a shell does between begin and end is a turn, whatever program wrote it:")
	d.run("", "begin", "--agent", "demo")
	d.shell("sed 's/= 30/= 10/' settings.py > new; cat new > settings.py; rm new")
	d.shell("chmod -x run.sh; mkdir build; echo made > build/out.txt")
	d.run("", "end")
	d.say("Then you add a line to settings.py:")
	d.shell("echo '# checked by hand' >> settings.py")
	d.say("The turn goes, in the same file too, and your line stays:")
	d.run("", "rewind")
	d.shell("cat settings.py; ls -F")
}

type demo struct {
	*app
	dir string
	err error
}

func (d *demo) say(text string) { fmt.Fprintf(d.stdout, "# %s\n", text) }

// shell prints a line for the shell and runs it.
func (d *demo) shell(line string) {
	fmt.Fprintln(d.stdout, "$ "+line)
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = d.dir
	out, err := cmd.CombinedOutput()
	fmt.Fprint(d.stdout, string(out))
	if err != nil {
		d.err = fmt.Errorf("%s: %w", line, err)
	}
	fmt.Fprintln(d.stdout)
}

// run prints a command, its input and what it answers.
func (d *demo) run(input string, args ...string) {
	line := "$ chordgit " + strings.Join(args, " ")
	if input != "" {
		line += " <<'EOF'\n" + strings.TrimRight(input, "\n") + "\nEOF"
	}
	fmt.Fprintln(d.stdout, line)
	// Both streams go to one buffer, as at a terminal.
	var out bytes.Buffer
	c := &app{stdin: strings.NewReader(input), stdout: &out, stderr: &out, getenv: func(string) string { return "" }, repo: d.repo}
	code := c.run(append([]string{"-C", d.dir}, args...))
	fmt.Fprint(d.stdout, out.String())
	if code != 0 {
		fmt.Fprintf(d.stdout, "(exit status %d)\n", code)
	}
	if code == 1 {
		d.err = fmt.Errorf("chordgit %s failed", args[0])
	}
	fmt.Fprintln(d.stdout)
}
