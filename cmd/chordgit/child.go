package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
)

// A child is the command of a run: in a process group of its own, with the
// terminal if we have it. Signals are passed on.
type child struct {
	cmd     *exec.Cmd
	signals chan os.Signal
}

// newChild takes the signals that are to be passed on: from now on they do not
// end this process.
func newChild(cmd *exec.Cmd) *child {
	c := &child{cmd: cmd, signals: make(chan os.Signal, 8)}
	for _, s := range passedOn {
		if !signal.Ignored(s) { // nohup's wish stands, for the command as well
			signal.Notify(c.signals, s)
		}
	}
	return c
}

// quiet lets signals do again what they do to a process.
func (c *child) quiet() { signal.Stop(c.signals) }

// signalled returns a context that ends with the first signal that asks this
// process to end. The command must have ended. After cancel signals do again
// what they do to a process.
func (c *child) signalled(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for {
			select {
			case s := <-c.signals:
				if ending(s) {
					cancel()
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(); c.quiet() }
}
