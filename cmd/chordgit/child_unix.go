//go:build unix

package main

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// passedOn are the signals that the command of a run gets when we do. Those of
// the keyboard go to it directly where it has the terminal.
var passedOn = []os.Signal{
	syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT,
}

// ending reports whether a signal asks a process to end.
func ending(s os.Signal) bool {
	return slices.Contains([]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, s)
}

// lastWords is how long what is left of the command's process group has to end
// once we were told to.
const lastWords = 2 * time.Second

// run runs the command to its end and returns its exit status. An error says
// why it could not be started.
func (c *child) run() (status int, err error) {
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	tty := openTerminal()
	defer tty.close()
	if err := c.cmd.Start(); err != nil {
		return startFailure(err), err
	}
	group := c.cmd.Process.Pid
	// Somebody else may read our output from this terminal, a pager: then the
	// command gets the terminal only when it asks for it.
	if isFileTerminal(c.cmd.Stdin) && isFileTerminal(c.cmd.Stdout) {
		tty.lend(group)
	}
	over := make(chan unix.WaitStatus)
	go func() {
		for {
			ws, err := wait(group)
			over <- ws
			if err != nil || !ws.Stopped() {
				return
			}
		}
	}()
	told := false
	for {
		select {
		case s := <-c.signals:
			told = told || ending(s)
			unix.Kill(-group, s.(syscall.Signal))
			if ending(s) {
				unix.Kill(-group, unix.SIGCONT) // a stopped process gets no other
			}
		case ws := <-over:
			if ws.Stopped() {
				c.stopped(tty, group, ws.StopSignal())
				continue
			}
			tty.takeBack(group)
			c.cmd.Wait() // gives back what Start took; the status was taken already
			if told {
				endGroup(group)
			}
			return statusOf(ws), nil
		}
	}
}

// wait waits until a child stops or ends.
func wait(pid int) (ws unix.WaitStatus, err error) {
	for {
		if _, err = unix.Wait4(pid, &ws, unix.WUNTRACED, nil); !errors.Is(err, unix.EINTR) {
			return ws, err
		}
	}
}

func statusOf(ws unix.WaitStatus) int {
	if ws.Signaled() {
		return bySignal + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// endGroup ends what the command left running in its group.
func endGroup(group int) {
	for end := time.Now().Add(lastWords); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if unix.Kill(-group, 0) != nil {
			return
		}
	}
	unix.Kill(-group, unix.SIGKILL)
}

// stopped does what a shell expects when a job's command was stopped: all of the
// job stops, and goes on when the shell says so.
func (c *child) stopped(tty *terminal, group int, s unix.Signal) {
	if (s == unix.SIGTTIN || s == unix.SIGTTOU) && tty.ours() {
		tty.lend(group) // it asked for the terminal
		return
	}
	if tty == nil {
		return // nobody here who would continue us: whoever stopped it will
	}
	tty.takeBack(group)
	if supervised() {
		continued := make(chan os.Signal, 1)
		signal.Notify(continued, syscall.SIGCONT)
		unix.Kill(0, unix.SIGSTOP) // SIGTSTP would come to our own handler
		<-continued
		signal.Stop(continued)
	}
	if tty.ours() { // in the foreground again
		tty.lend(group)
		return
	}
	unix.Kill(-group, unix.SIGCONT)
}

// supervised reports whether a shell with jobs started us: it will continue what
// it sees stopped. In a script nobody does, so there the stop key does nothing.
func supervised() bool {
	parent := unix.Getppid()
	group, err1 := unix.Getpgid(parent)
	theirs, err2 := unix.Getsid(parent)
	own, err3 := unix.Getsid(0)
	return err1 == nil && err2 == nil && err3 == nil && group != unix.Getpgrp() && theirs == own
}
