//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// A terminal is the controlling terminal, nil if there is none.
type terminal struct{ f *os.File }

func openTerminal() *terminal {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &terminal{f}
}

func (t *terminal) close() {
	if t != nil {
		t.f.Close()
	}
}

// foreground is the process group that has the terminal, 0 if nobody knows.
func (t *terminal) foreground() int {
	if t == nil {
		return 0
	}
	group, err := unix.IoctlGetInt(int(t.f.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return group
}

// ours reports whether our own process group has the terminal.
func (t *terminal) ours() bool { return t.foreground() == unix.Getpgrp() }

// give hands the terminal to a process group. In the background that stops who
// does it, unless the signal is ignored.
func (t *terminal) give(group int) {
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = unix.IoctlSetPointerInt(int(t.f.Fd()), unix.TIOCSPGRP, group) // then it is not ours to give
}

// lend gives the terminal to a group if we have it, and wakes what was stopped
// because it had asked for it.
func (t *terminal) lend(group int) {
	if t.ours() {
		t.give(group)
		unix.Kill(-group, unix.SIGCONT)
	}
}

// takeBack ends what lend began.
func (t *terminal) takeBack(group int) {
	if t.foreground() == group {
		t.give(unix.Getpgrp())
	}
}
