package gitops

import (
	"os"
	"strings"
)

// Pager is the command line by which the user reads long output, as git finds
// it: $GIT_PAGER, core.pager, $PAGER, else less. Empty: none is wanted.
func (r *Repo) Pager() string {
	pager, ok := os.LookupEnv("GIT_PAGER")
	if !ok {
		if out, err := r.layout.Command("config", "--get", "core.pager").Output(); err == nil {
			pager, ok = strings.TrimSuffix(string(out), "\n"), true
		}
	}
	if !ok {
		pager, ok = os.LookupEnv("PAGER")
	}
	if !ok {
		pager = "less"
	}
	if pager = strings.TrimSpace(pager); pager == "cat" {
		return ""
	}
	return pager
}
