package repo

import (
	"os"
	"strings"
)

// machineID is that of machine-id(5).
func machineID() string {
	for _, file := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if id, err := os.ReadFile(file); err == nil {
			return strings.TrimSpace(string(id))
		}
	}
	return ""
}
