//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// grouped gives a command a process group of its own. A context that ends asks
// the whole group to end; done ends what is left of it.
func grouped(cmd *exec.Cmd) (done func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
	}
}
