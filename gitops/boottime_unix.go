//go:build linux || darwin

package gitops

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is the time since the system was started, sleep included.
func sinceBoot() (time.Duration, bool) {
	var ts unix.Timespec
	if err := unix.ClockGettime(bootClock, &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}
