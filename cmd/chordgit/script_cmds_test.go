//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/rogpeppe/go-internal/testscript"
)

// moreCmds are the commands of scripts that set a scene or look at a whole
// directory.
func moreCmds() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"base":    cmdBase,
		"clean":   cmdClean,
		"oldgit":  cmdOldGit,
		"tree":    cmdTree,
		"json":    cmdJSON,
		"mtime":   cmdMtime,
		"hold":    cmdHold,
		"waitfor": cmdWaitFor,
		"exits":   cmdExits,
		"own":     cmdOwn,
		"user":    cmdUser,
		"age":     cmdAge,
		"forge":   cmdForge,
		"say":     cmdSay,
		"model":   cmdModel,
		"turn":    cmdTurn,
		"back":    cmdBack,
		"call":    cmdCall,
	}
}

// cmdBase makes the repository that most scripts start from:
// `base DIR`. Files that are in DIR already are part of its commit.
func cmdBase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: base DIR")
	}
	for name, text := range map[string]string{
		"a.txt":      "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n",
		"b.txt":      "b\n",
		"sub/c.txt":  "c\n",
		".gitignore": "ignored/\n*.ign\n",
	} {
		file := ts.MkAbs(filepath.Join(args[0], name))
		ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
		ts.Check(os.WriteFile(file, []byte(text), 0o644))
	}
	cmdRepo(ts, false, args)
}

// cmdOldGit makes git one that does not run configured hooks, as far as it can be
// asked: `oldgit`. It still runs them.
func cmdOldGit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: oldgit")
	}
	if new, err := scriptCondition("confighooks"); !new || err != nil {
		ts.Check(err)
		return
	}
	git, err := exec.LookPath("git")
	ts.Check(err)
	dir := ts.MkAbs("oldgit")
	ts.Check(os.MkdirAll(dir, 0o755))
	script := "#!/bin/sh\nfor a; do [ \"$a\" = version ] && { echo git version 2.53.0; exit; }; done\nexec '" + git + "' \"$@\"\n"
	ts.Check(os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	ts.Setenv("PATH", dir+string(filepath.ListSeparator)+ts.Getenv("PATH"))
}

// cmdClean asserts that nothing of ours is left behind: `clean DIR [LOCK…]`. It
// looks for temporary and kept files, locks in the git directory other than those
// named, half objects and open marks, and asks git fsck.
func cmdClean(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: clean DIR [LOCK...]")
	}
	dir := ts.MkAbs(args[0])
	spared := map[string]bool{}
	for _, lock := range args[1:] {
		spared[ts.MkAbs(lock)] = true
	}
	look := func(p string, d fs.DirEntry, err error) error {
		ts.Check(err)
		name := d.Name()
		switch {
		case strings.HasPrefix(name, ".chordgit-"), strings.Contains(name, ".chordgit-kept-"):
			ts.Fatalf("left behind: %s", p)
		case strings.HasSuffix(name, ".lock") && strings.Contains(p, "/.git/") && filepath.Base(filepath.Dir(p)) != "chordgit" && !spared[p]:
			ts.Fatalf("lock left behind: %s", p)
		case strings.HasPrefix(name, "tmp_obj_"), strings.HasPrefix(name, "tmp_pack_"):
			ts.Fatalf("half an object left behind: %s", p)
		}
		return nil
	}
	ts.Check(filepath.WalkDir(dir, look))
	own, common, _ := strings.Cut(gitOut(ts, dir, "rev-parse", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir"), "\n")
	ts.Check(filepath.WalkDir(own, look))
	if common != own {
		ts.Check(filepath.WalkDir(common, look))
	}
	if open := gitOut(ts, dir, "for-each-ref", "refs/chordgit/open"); open != "" {
		ts.Fatalf("open marks: %s", open)
	}
	for line := range strings.Lines(gitOut(ts, dir, "fsck", "--strict", "--full", "--no-dangling")) {
		switch {
		case strings.HasPrefix(line, "notice:"): // of an unborn branch
		case strings.Contains(line, "gitignoreSymlink"): // the user's own commit gives it as well
		default:
			ts.Fatalf("git fsck: %s", line)
		}
	}
}

// gitOut gives the trimmed output of git, both streams, without touching the
// script's own. No program of the repository's runs.
func gitOut(ts *testscript.TestScript, dir string, args ...string) string {
	cmd := exec.Command("git", append([]string{"-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks", "-C", dir}, args...)...)
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		ts.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// cmdTree keeps or compares all files: `tree save DIR NAME`, `tree same DIR
// NAME`: kind, mode, mtime and bytes of everything but DIR's own .git;
// `tree bytes DIR NAME` compares all of these but the mtimes.
func cmdTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: tree save|same|bytes DIR NAME")
	}
	var full, plain strings.Builder
	top := ts.MkAbs(args[1])
	ts.Check(filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		ts.Check(err)
		if p == filepath.Join(top, ".git") {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		st, err := d.Info()
		ts.Check(err)
		var data []byte
		switch {
		case st.Mode().IsRegular():
			data, err = os.ReadFile(p)
			ts.Check(err)
		case st.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			ts.Check(err)
			data = []byte(target)
		}
		if len(data) > 64<<10 { // nobody reads it, and to quote it takes seconds
			data = fmt.Appendf(nil, "%d bytes, SHA-256 %x", len(data), sha256.Sum256(data))
		}
		rel, _ := filepath.Rel(top, p)
		line := fmt.Sprintf("%q %v %q", rel, st.Mode(), data)
		fmt.Fprintln(&plain, line)
		if d.IsDir() {
			fmt.Fprintln(&full, line)
		} else {
			fmt.Fprintln(&full, line, st.ModTime().UnixNano())
		}
		return nil
	}))
	file := ts.MkAbs("tree-" + args[2])
	compare := func(name, now string) {
		if old := ts.ReadFile(name); old != now {
			ts.Fatalf("%s changed:\n%s", args[1], udiff.Unified("before", "now", old, now))
		}
	}
	switch args[0] {
	case "save":
		ts.Check(os.WriteFile(file, []byte(full.String()), 0o644))
		ts.Check(os.WriteFile(file+"-bytes", []byte(plain.String()), 0o644))
	case "same":
		compare(file, full.String())
	case "bytes":
		compare(file+"-bytes", plain.String())
	default:
		ts.Fatalf("usage: tree save|same|bytes DIR NAME")
	}
}

// cmdJSON asserts that standard output is exactly one JSON value and looks into
// it: `json [KEY=VALUE…]`, as `json status=failed failures.len=1 failures.0.code=missing`.
// `! json KEY…` asserts that these are absent.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	var v any
	ts.Check(dec.Decode(&v))
	if err := dec.Decode(new(any)); err != io.EOF {
		ts.Fatalf("more than one JSON value on standard output")
	}
	for _, arg := range args {
		key, want, _ := strings.Cut(arg, "=")
		got, ok := member(v, strings.Split(key, "."))
		if neg {
			if ok {
				ts.Fatalf("%s is %s", key, got)
			}
			continue
		}
		if !ok || got != want {
			ts.Fatalf("%s is %q, want %q", key, got, want)
		}
	}
}

func member(v any, path []string) (string, bool) {
	if len(path) == 0 {
		if s, ok := v.(string); ok {
			return s, true
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		err := enc.Encode(v)
		return strings.TrimSpace(b.String()), err == nil
	}
	switch v := v.(type) {
	case map[string]any:
		m, ok := v[path[0]]
		if !ok {
			return "", false
		}
		return member(m, path[1:])
	case []any:
		if path[0] == "len" {
			return strconv.Itoa(len(v)), true
		}
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(v) {
			return member(v[i], path[1:])
		}
	}
	return "", false
}

// cmdMtime sets a file's mtime to the start of 2001, or asserts that it still is:
// `mtime -w FILE…`, `mtime FILE…`.
func cmdMtime(ts *testscript.TestScript, neg bool, args []string) {
	old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	if len(args) > 1 && args[0] == "-w" {
		for _, file := range args[1:] {
			ts.Check(os.Chtimes(ts.MkAbs(file), old, old))
		}
		return
	}
	for _, file := range args {
		st, err := os.Lstat(ts.MkAbs(file))
		ts.Check(err)
		if st.ModTime().Equal(old) == neg {
			ts.Fatalf("%s has mtime %v", file, st.ModTime())
		}
	}
}

// cmdHold has another program hold a file open for appending until the script
// ends: `hold FILE`; `hold` alone ends these programs.
func cmdHold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: hold [FILE]")
	}
	pids := ts.MkAbs(".held")
	if len(args) == 0 {
		for pid := range strings.FieldsSeq(ts.ReadFile(pids)) {
			n, err := strconv.Atoi(pid)
			ts.Check(err)
			p, err := os.FindProcess(n)
			ts.Check(err)
			p.Kill()
			p.Wait()
		}
		ts.Check(os.Remove(pids))
		return
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY|os.O_APPEND, 0)
	ts.Check(err)
	defer f.Close()
	cmd := exec.Command("sleep", "600")
	cmd.Stdout = f
	ts.Check(cmd.Start())
	ts.Defer(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	old, _ := os.ReadFile(pids)
	ts.Check(os.WriteFile(pids, fmt.Appendf(old, "%d\n", cmd.Process.Pid), 0o644))
}

// cmdExits runs a command and asserts its exit status: `exits N COMMAND [ARG…]`.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND [ARG...]")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
}

// cmdWaitFor waits up to ten seconds for a file: `waitfor FILE`.
func cmdWaitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfor FILE")
	}
	for range 1000 {
		if _, err := os.Lstat(ts.MkAbs(args[0])); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear", args[0])
}

// nobody is the ordinary user as whom root runs what root's rights would spoil.
const nobody = 65534

// scriptCondition adds the conditions [root]: the tests run as root, [user]: `user` can run a command without
// root's rights, [nocase]: the file system takes names for one that differ in case, and [reftable]: git can keep refs in a reftable.
func scriptCondition(cond string) (bool, error) {
	switch cond {
	case "root":
		return os.Getuid() == 0, nil
	case "user":
		_, err := exec.LookPath("setpriv")
		return os.Getuid() != 0 || err == nil, nil
	case "nocase":
		f, err := os.CreateTemp("", "nocase-")
		if err != nil {
			return false, err
		}
		defer os.Remove(f.Name())
		defer f.Close()
		_, err = os.Lstat(filepath.Join(filepath.Dir(f.Name()), strings.ToUpper(filepath.Base(f.Name()))))
		return err == nil, nil
	case "confighooks": // git runs the hooks that its configuration names
		out, err := exec.Command("git", "version").Output()
		var major, minor int
		if err == nil {
			_, err = fmt.Sscanf(string(out), "git version %d.%d", &major, &minor)
		}
		return major > 2 || major == 2 && minor >= 54, err
	case "reftable":
		dir, err := os.MkdirTemp("", "reftable-")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		return exec.Command("git", "init", "-q", "--ref-format=reftable", dir).Run() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// cmdOwn gives a tree to the ordinary user: `own DIR…`. Without root's rights it
// has nothing to do.
func cmdOwn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: own DIR...")
	}
	if os.Getuid() != 0 {
		return
	}
	// git as root looks into what is somebody else's only if told so.
	config, err := os.OpenFile(filepath.Join(ts.Getenv("HOME"), ".gitconfig"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	ts.Check(err)
	_, err = config.WriteString("[safe]\n\tdirectory = *\n")
	ts.Check(errors.Join(err, config.Close()))
	bin := ""
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		if _, err := os.Lstat(filepath.Join(dir, "chordgit")); err == nil {
			bin = dir
			break
		}
	}
	for _, dir := range []string{ts.Getenv("WORK"), bin} {
		for dir != filepath.Clean(os.TempDir()) && dir != "/" && dir != "." && dir != "" {
			st, err := os.Stat(dir)
			ts.Check(err)
			ts.Check(os.Chmod(dir, st.Mode().Perm()|0o011))
			dir = filepath.Dir(dir)
		}
	}
	for _, dir := range args {
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(p string, _ fs.DirEntry, err error) error {
			ts.Check(err)
			return os.Lchown(p, nobody, nobody)
		}))
	}
}

// cmdUser runs a command as the ordinary user and asserts its exit status:
// `user N COMMAND [ARG…]`.
func cmdUser(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: user N COMMAND [ARG...]")
	}
	if os.Getuid() == 0 {
		id := strconv.Itoa(nobody)
		args = append([]string{args[0], "setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "--"}, args[1:]...)
	}
	cmdExits(ts, false, args)
}
