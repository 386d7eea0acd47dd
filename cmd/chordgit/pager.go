package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// page shows a text by the pager, a command line; empty: as it is. A pager that
// cannot be started is no reason to show nothing.
func (a *app) page(pager, text string) {
	if pager == "" || text == "" {
		fmt.Fprint(a.stdout, text)
		return
	}
	cmd := exec.Command("sh", "-c", pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), a.stdout, a.stderr
	cmd.Env = os.Environ()
	for _, v := range []struct{ name, value string }{{"LESS", "FRX"}, {"LV", "-c"}} { // as git does
		if _, ok := os.LookupEnv(v.name); !ok {
			cmd.Env = append(cmd.Env, v.name+"="+v.value)
		}
	}
	// The interrupt key is the pager's.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 127 {
		fmt.Fprint(a.stdout, text)
		fmt.Fprintf(a.stderr, "chordgit: the pager could not be started: %v\n", err)
	}
}
