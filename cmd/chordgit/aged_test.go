//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// rewrite makes turn n of a repository again, with meta.json and the tag's text
// changed, and gives its ref and line the new tag. "open/7" is the open mark of
// turn 7, which has no line.
func rewrite(dir, n string, meta, tag func(string) string) error {
	git := func(stdin string, args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.Output()
		return string(out), err
	}
	name := "refs/chordgit/turns/" + n
	open := strings.HasPrefix(n, "open/")
	if open {
		name = "refs/chordgit/" + n
	}
	old, err := git("", "rev-parse", name)
	if err != nil {
		return err
	}
	text, err := git("", "cat-file", "tag", name)
	if err != nil {
		return err
	}
	data, err := git("", "cat-file", "blob", name+":meta.json")
	if err != nil {
		return err
	}
	id, err := git(meta(data), "hash-object", "-w", "--stdin")
	if err != nil {
		return err
	}
	tree, err := git("", "ls-tree", name+"^{tree}")
	if err != nil {
		return err
	}
	tree = regexp.MustCompile(`[0-9a-f]+\tmeta\.json`).ReplaceAllString(tree, strings.TrimSpace(id)+"\tmeta.json")
	if tree, err = git(tree, "mktree"); err != nil {
		return err
	}
	text = regexp.MustCompile(`^object [0-9a-f]+`).ReplaceAllString(text, "object "+strings.TrimSpace(tree))
	made, err := git(tag(text), "hash-object", "-t", "tag", "-w", "--stdin")
	if err != nil {
		return err
	}
	if _, err = git("", "update-ref", name, strings.TrimSpace(made)); err != nil || open {
		return err
	}
	common, err := git("", "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return err
	}
	list := filepath.Join(strings.TrimSpace(common), "chordgit", "turns")
	lines, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	return os.WriteFile(list, []byte(strings.Replace(string(lines), strings.TrimSpace(old), strings.TrimSpace(made), 1)), 0o644)
}

// age makes a turn end so many hours ago.
func age(dir, n string, hours int) error {
	at := time.Now().UTC().Add(-time.Duration(hours) * time.Hour)
	stamp := regexp.MustCompile(`"(started|ended)": "[^"]*"`)
	return rewrite(dir, n, func(meta string) string {
		return stamp.ReplaceAllString(meta, fmt.Sprintf(`"$1": "%s"`, at.Format(time.RFC3339)))
	}, func(tag string) string { return tag })
}

// cmdAge makes turns old: `age DIR HOURS N…`.
func cmdAge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: age DIR HOURS N...")
	}
	var hours int
	_, err := fmt.Sscan(args[1], &hours)
	ts.Check(err)
	for _, n := range args[2:] {
		ts.Check(age(ts.MkAbs(args[0]), n, hours))
	}
}

// cmdForge makes turns say something else in meta.json or in the tag:
// `forge DIR N meta|tag OLD NEW`.
func cmdForge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: forge DIR N meta|tag OLD NEW")
	}
	same := func(s string) string { return s }
	forged := func(s string) string {
		if !strings.Contains(s, args[3]) {
			ts.Fatalf("%q is not in %q", args[3], s)
		}
		return strings.Replace(s, args[3], args[4], 1)
	}
	if args[2] == "tag" {
		ts.Check(rewrite(ts.MkAbs(args[0]), args[1], same, forged))
		return
	}
	ts.Check(rewrite(ts.MkAbs(args[0]), args[1], forged, same))
}
