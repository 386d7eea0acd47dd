//go:build !linux && !darwin && !windows

package gitops

import "time"

// sinceBoot is not known: a clock that is set goes unnoticed.
func sinceBoot() (time.Duration, bool) { return 0, false }
