//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"
)

// passedOn are the signals that end this process where it does not wait for its
// command: the console gives them to the command itself.
var passedOn = []os.Signal{os.Interrupt}

// ending reports whether a signal asks a process to end.
func ending(os.Signal) bool { return true }

// run runs the command to its end and returns its exit status. An error says
// why it could not be started. Process groups and terminals that are handed
// over are a matter of unix: here both share the console.
func (c *child) run() (status int, err error) {
	if err := c.cmd.Start(); err != nil {
		return startFailure(err), err
	}
	over := make(chan error, 1)
	go func() { over <- c.cmd.Wait() }()
	for {
		select {
		case <-c.signals: // the command has it, too
		case err := <-over:
			var exit *exec.ExitError
			if err == nil || errors.As(err, &exit) {
				return c.cmd.ProcessState.ExitCode(), nil
			}
			return notStarted, err
		}
	}
}
