//go:build !unix

package repo

import "os/exec"

// ownGroup leaves a command as it is: only it is killed when its context ends.
func ownGroup(*exec.Cmd) {}
