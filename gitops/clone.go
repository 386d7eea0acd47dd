package gitops

import (
	"os"
	"path/filepath"
	"strings"
)

// CloneID is the name under which this clone's turns are kept elsewhere: eight
// hexadecimal digits, made when turns are sent for the first time. Empty: none
// were.
func (h *History) CloneID() string {
	data, err := os.ReadFile(filepath.Join(h.layout.CommonDir, "chordgit", "id"))
	id := strings.TrimSpace(string(data))
	if err != nil || len(id) != 8 || strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id
}
