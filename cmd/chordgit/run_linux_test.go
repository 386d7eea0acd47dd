package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A console is a terminal whose other end the test holds.
type console struct {
	t      *testing.T
	master *os.File
	out    chan []byte
	seen   bytes.Buffer
}

// startOn starts a command as the leader of a session on a new terminal.
func startOn(t *testing.T, cmd *exec.Cmd) *console {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	defer slave.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	c := &console{t: t, master: master, out: make(chan []byte)}
	go func() {
		defer close(c.out)
		for {
			b := make([]byte, 4096)
			n, err := master.Read(b)
			if n > 0 {
				c.out <- b[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	return c
}

// expect reads until the terminal has shown a text.
func (c *console) expect(text string) {
	c.t.Helper()
	late := time.After(20 * time.Second)
	for !strings.Contains(c.seen.String(), text) {
		select {
		case b, ok := <-c.out:
			if !ok {
				c.t.Fatalf("%q was never shown: %q", text, c.seen.String())
			}
			c.seen.Write(b)
		case <-late:
			c.t.Fatalf("%q was not shown in time: %q", text, c.seen.String())
		}
	}
	_, rest, _ := strings.Cut(c.seen.String(), text)
	c.seen.Reset()
	c.seen.WriteString(rest)
}

func (c *console) typed(keys string) {
	c.t.Helper()
	if _, err := c.master.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// TestRunTerminal gives the command the terminal: it reads what is typed, gets
// the interrupt key alone, and a shell with jobs stops and continues all of it.
func TestRunTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("starts shells")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash, for its jobs")
	}
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"a": "one\n"}))}
	cmd := exec.Command(bash, "--norc", "--noprofile", "-i")
	cmd.Dir = v.dir
	cmd.Env = append(os.Environ(), "PS1=ready> ", "CHORDGIT_TEST_NOSYNC=1", "TERM=dumb", "HISTFILE=")
	c := startOn(t, cmd)
	c.expect("ready> ")

	c.typed("chordgit run -- sh -c 'read x; echo got-$x; echo $x >a'\n")
	time.Sleep(300 * time.Millisecond)
	c.typed("typed\n")
	c.expect("got-typed")
	c.expect("Turn 1.")
	c.expect("ready> ")

	c.typed("chordgit run -- sh -c 'trap \"echo bye >a; exit 9\" INT; echo wait''ing; while :; do sleep 0.05; done'; echo status=$?\n")
	c.expect("waiting")
	c.typed("\x03")
	c.expect("Turn 2.")
	c.expect("status=9")
	c.expect("ready> ")

	c.typed("chordgit run -- sh -c 'echo wait''ing; read x; echo got-$x'; echo status=$?\n")
	c.expect("waiting")
	time.Sleep(100 * time.Millisecond)
	c.typed("\x1a")
	c.expect("Stopped")
	c.expect("ready> ")
	c.typed("echo in''between; fg\n")
	c.expect("inbetween")
	c.expect("chordgit run")
	time.Sleep(300 * time.Millisecond)
	c.typed("again\n")
	c.expect("got-again")
	c.expect("ready> ")

	// A pager at the end has the keys; the command gets them if it asks.
	c.typed("chordgit run -- sh -c 'read x; echo got-$x' | cat\n")
	time.Sleep(300 * time.Millisecond)
	c.typed("piped\n")
	c.expect("got-piped")
	c.expect("ready> ")
	c.typed("exit\n")
	cmd.Wait()
}

// TestRunSignals passes a signal on, ends what the command leaves behind, and
// records the turn.
func TestRunSignals(t *testing.T) {
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"a": "one\n"}))}
	cmd := v.command("run", "--", "sh", "-c", "trap 'echo term >a; exit 3' TERM; (trap '' TERM; echo $BASHPID; exec sleep 60) & echo $! >../left; echo up; while :; do sleep 0.05; done")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for text := ""; !strings.Contains(text, "up"); {
		b := make([]byte, 100)
		n, err := out.Read(b)
		if text += string(b[:n]); err != nil {
			t.Fatalf("%v: %q", err, text)
		}
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit status %d, want 3", code)
	}
	left, err := os.ReadFile(v.dir + "/../left")
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	fmt.Sscan(string(left), &pid)
	for end := time.Now().Add(5 * time.Second); unix.Kill(pid, 0) == nil && !zombie(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d of the command's group is left", pid)
		}
	}
	if got, _ := v.run(nil, "", "log", "--json"); !strings.Contains(got, `"kind":"run","status":"complete"`) {
		t.Errorf("the turn is not recorded: %s", got)
	}
}

// zombie reports whether a process has ended and waits to be collected.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// TestDiffPager shows a diff through the pager on a terminal, in colour, and
// never elsewhere.
func TestDiffPager(t *testing.T) {
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"a": "one\n"}))}
	v.run(nil, "", "run", "--", "sh", "-c", "echo two >a")
	pager := "PAGER=sed 's/^/<paged>/'"
	if out, _ := v.run([]string{pager}, "", "diff"); strings.Contains(out, "paged") || strings.Contains(out, "\x1b") {
		t.Errorf("paged or coloured beside a terminal: %q", out)
	}
	for _, tt := range []struct {
		env  string
		args []string
		want string
	}{
		{"GIT_PAGER=", []string{"diff"}, "\x1b[32m+two"},
		{pager, []string{"diff"}, "<paged>\x1b[32m+two"},
		{pager, []string{"diff", "--no-pager"}, "\n\x1b[32m+two"},
		{"GIT_PAGER=no-such-pager", []string{"diff"}, "the pager could not be started"},
	} {
		cmd := v.command(tt.args...)
		cmd.Env = append(cmd.Env, "TERM=xterm", tt.env)
		c := startOn(t, cmd)
		c.expect(tt.want)
		cmd.Wait()
	}
}
