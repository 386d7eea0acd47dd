package gitops

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// ProbeIndex makes, in dir, an index that has HEAD's content and one file more,
// and returns its name. Nothing of the repository changes: the file's content, an
// empty blob, need not exist to be looked at.
func (h *History) ProbeIndex(dir, path string) (string, error) {
	name := filepath.Join(dir, "index")
	empty := h.db.Format().Hash(object.Blob, nil).String()
	for _, args := range [][]string{
		{"read-tree", "HEAD"},
		{"update-index", "--add", "--cacheinfo", "100644," + empty + "," + path},
	} {
		if args[0] == "read-tree" && h.Resolve("HEAD") == "" {
			continue
		}
		cmd := h.layout.Command(args...)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+name)
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		if err := cmd.Run(); err != nil {
			os.Remove(name)
			return "", &edit.Error{Code: edit.Unreadable, Msg: "git " + args[0] + ": " + edit.Quote(strings.TrimSpace(complaint.String())), Err: err}
		}
	}
	return name, nil
}
