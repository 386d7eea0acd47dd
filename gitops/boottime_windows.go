package gitops

import (
	"time"

	"golang.org/x/sys/windows"
)

// sinceBoot is the time since the system was started, sleep included.
func sinceBoot() (time.Duration, bool) { return windows.DurationSinceBoot(), true }
