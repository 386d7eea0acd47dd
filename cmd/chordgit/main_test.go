//go:build unix

package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/chordgit/chordgit/gitops"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	// Under nohup, or in the background of a shell, these are ignored, and every
	// program that the tests start would inherit that. Caught here, they are not.
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	// Scripts wait for programs and the disk for half of their time: with twice as
	// many at once they take a quarter less. -parallel on the command line counts.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	program := func() {
		a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, repo: faults(os.Getenv)}
		if isDropIn(os.Args[0]) {
			a.end(a.dropIn(os.Args[1:]))
		}
		a.end(a.run(os.Args[1:]))
	}
	testscript.Main(m, map[string]func(){"chordgit": program, "apply_patch": program, "applypatch": program})
}

// faults are the disturbances that only the test binary knows, by environment:
//
//	CHORDGIT_TEST_STEPS=FILE    write the name of every step to FILE
//	CHORDGIT_TEST_KILL=K        die, as by SIGKILL, at the K-th step (from 1)
//	CHORDGIT_TEST_SIGNAL=K:TERM send the process a signal at the K-th step
//	CHORDGIT_TEST_STOP=STEP     at STEP write FILE.at and wait until it is gone (FILE: CHORDGIT_TEST_STEPS)
//	CHORDGIT_TEST_NOEXCHANGE=1  the file system cannot exchange two names
//	CHORDGIT_TEST_NOSYNC=1      wait for no disk: a process that dies takes nothing from the system's cache
func faults(getenv func(string) string) gitops.Options {
	opt := gitops.Options{NoExchange: getenv("CHORDGIT_TEST_NOEXCHANGE") != "", NoSync: getenv("CHORDGIT_TEST_NOSYNC") != ""}
	count := 0
	var kill, sig int
	var name string
	fmt.Sscan(getenv("CHORDGIT_TEST_KILL"), &kill)
	if at, word, ok := strings.Cut(getenv("CHORDGIT_TEST_SIGNAL"), ":"); ok {
		fmt.Sscan(at, &sig)
		name = word
	}
	opt.Step = func(step string) {
		count++
		if file := getenv("CHORDGIT_TEST_STEPS"); file != "" {
			f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			if err == nil {
				fmt.Fprintln(f, step)
				f.Close()
			}
			if getenv("CHORDGIT_TEST_STOP") == step {
				at := file + ".at"
				os.WriteFile(at, nil, 0o644)
				for range 2000 {
					if _, err := os.Lstat(at); err != nil {
						break
					}
					time.Sleep(5 * time.Millisecond)
				}
			}
		}
		if count == kill {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		if count == sig {
			s := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP}[name]
			delivered := make(chan os.Signal, 1)
			signal.Notify(delivered, s)
			syscall.Kill(os.Getpid(), s)
			<-delivered
			time.Sleep(20 * time.Millisecond) // until everybody else has it, too
		}
	}
	return opt
}

func TestScripts(t *testing.T) {
	cmds := map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"repo":     cmdRepo,
		"bytes":    cmdBytes,
		"fifo":     cmdFifo,
		"mode":     cmdMode,
		"gitstate": cmdGitState,
	}
	maps.Copy(cmds, moreCmds())
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Values[modelKey{}] = &modelSlot{}
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "home", ".config"))
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("KILL_STRIDE", fmt.Sprint(killStride()))
			env.Setenv("GIT_AUTHOR_NAME", "a")
			env.Setenv("GIT_AUTHOR_EMAIL", "a@localhost")
			env.Setenv("GIT_COMMITTER_NAME", "a")
			env.Setenv("GIT_COMMITTER_EMAIL", "a@localhost")
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o755)
		},
		Cmds:      cmds,
		Condition: scriptCondition,
	})
}

// killStride is the distance between the steps at which the kill tests end a
// command: each step costs two commands and a copy. CHORDGIT_LONG takes all. Scripts find it as KILL_STRIDE.
func killStride() int {
	if os.Getenv("CHORDGIT_LONG") != "" {
		return 1
	}
	return 3
}

// cmdRepo makes a repository: `repo DIR` with one commit of what the directory
// holds, `repo -empty DIR` without a commit.
func cmdRepo(ts *testscript.TestScript, neg bool, args []string) {
	empty := len(args) > 0 && args[0] == "-empty"
	if empty {
		args = args[1:]
	}
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo [-empty] DIR")
	}
	dir := args[0]
	ts.Check(os.MkdirAll(ts.MkAbs(dir), 0o755))
	ts.Check(ts.Exec("git", "init", "-q", "-b", "main", dir))
	if empty {
		return
	}
	ts.Check(ts.Exec("git", "-C", dir, "add", "-A"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "--allow-empty", "-m", "start"))
}

// cmdBytes writes or compares exact bytes: `bytes FILE "TEXT"` compares,
// `bytes -w FILE "TEXT"` writes; TEXT has Go's escapes.
func cmdBytes(ts *testscript.TestScript, neg bool, args []string) {
	write := len(args) > 0 && args[0] == "-w"
	if write {
		args = args[1:]
	}
	if len(args) != 2 {
		ts.Fatalf("usage: bytes [-w] FILE TEXT")
	}
	want := unescape(ts, args[1])
	if write {
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(want), 0o644))
		return
	}
	if got := ts.ReadFile(args[0]); (got == want) == neg {
		ts.Fatalf("%s holds %q, compared with %q", args[0], got, want)
	}
}

// unescape resolves \n \r \t \0 \\ and \xHH.
func unescape(ts *testscript.TestScript, s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case '0':
			b.WriteByte(0)
		case '\\':
			b.WriteByte('\\')
		case 'x':
			var v byte
			if i+2 >= len(s) {
				ts.Fatalf("bad escape in %q", s)
			}
			fmt.Sscanf(s[i+1:i+3], "%02x", &v)
			b.WriteByte(v)
			i += 2
		default:
			ts.Fatalf("bad escape in %q", s)
		}
	}
	return b.String()
}

func cmdFifo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fifo FILE")
	}
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o644))
}

// cmdMode compares a file's mode: `mode FILE 0755`.
func cmdMode(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: mode FILE OCTAL")
	}
	st, err := os.Lstat(ts.MkAbs(args[0]))
	ts.Check(err)
	var want uint32
	fmt.Sscanf(args[1], "%o", &want)
	got := uint32(st.Sys().(*syscall.Stat_t).Mode) & 0o7777
	if (got == want) == neg {
		ts.Fatalf("%s has mode %04o, compared with %04o", args[0], got, want)
	}
}

// cmdGitState keeps or compares everything of a repository that is not ours:
// `gitstate save DIR NAME`, `gitstate same DIR NAME`. That is the bytes of HEAD,
// index, reflogs, stash, loose refs, hooks and configuration, of all worktrees, and
// what git for-each-ref and git log --all say of others than refs/chordgit.
func cmdGitState(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: gitstate save|same DIR NAME")
	}
	state := gitState(ts, args[1])
	file := ts.MkAbs("gitstate-" + args[2])
	switch args[0] {
	case "save":
		ts.Check(os.WriteFile(file, []byte(state), 0o644))
	case "same":
		if old := ts.ReadFile(file); old != state {
			ts.Fatalf("the repository changed:\n%s", udiff.Unified("before", "now", old, state))
		}
	default:
		ts.Fatalf("usage: gitstate save|same DIR NAME")
	}
}

func gitState(ts *testscript.TestScript, dir string) string {
	var b strings.Builder
	gitDir := ts.MkAbs(filepath.Join(dir, ".git"))
	if st, err := os.Lstat(gitDir); err == nil && !st.IsDir() {
		text := ts.ReadFile(gitDir)
		if gitDir = strings.TrimSpace(strings.TrimPrefix(text, "gitdir: ")); !filepath.IsAbs(gitDir) {
			gitDir = ts.MkAbs(filepath.Join(dir, gitDir))
		}
	}
	if common, err := os.ReadFile(filepath.Join(gitDir, "commondir")); err == nil {
		gitDir = filepath.Join(gitDir, strings.TrimSpace(string(common)))
	}
	ts.Check(filepath.WalkDir(gitDir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(gitDir, p)
		if d.IsDir() {
			if rel == "objects" || d.Name() == "chordgit" && !strings.HasPrefix(rel, "logs/") {
				return filepath.SkipDir // a linked worktree's as well
			}
			return nil
		}
		if rel == "packed-refs" || rel == "info/refs" {
			return nil // judged by the lists below
		}
		data, _ := os.ReadFile(p)
		st, _ := d.Info()
		fmt.Fprintf(&b, "%s %v %x\n", rel, st.Mode(), data)
		return nil
	}))
	// The files of the index, HEAD and the reflogs are among those above; the log
	// fails where a commit is gone.
	for _, cmd := range [][]string{
		{"log", "--all", "--format=%H %D", "--decorate=full"}, {"for-each-ref", "--format=%(refname) %(objectname)"},
	} {
		for line := range strings.SplitSeq(gitOut(ts, ts.MkAbs(dir), cmd...), "\n") {
			if line != "" && !strings.Contains(line, "refs/chordgit/") {
				fmt.Fprintln(&b, line)
			}
		}
	}
	return b.String()
}
