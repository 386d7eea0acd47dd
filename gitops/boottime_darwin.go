package gitops

import "golang.org/x/sys/unix"

const bootClock = unix.CLOCK_MONOTONIC // goes on in sleep, unlike Linux's
