//go:build unix

package repo

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a command in a process group of its own, all of which is
// killed when its context ends.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
