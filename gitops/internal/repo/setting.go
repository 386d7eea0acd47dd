package repo

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
)

// UserSetting is the value of a setting that git would use if the user started it
// here, with paths expanded, and the file that it stands in (empty: not in one).
// What Command itself sets does not count. Both are empty if it is not set.
func (l *Layout) UserSetting(key string) (value, file string, err error) {
	out, err := output(l.asUser("config", "--type=path", "--show-origin", "-z", "--get-all", key))
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	parts := bytes.Split(out, []byte{0})
	for i := 0; i+1 < len(parts); i += 2 {
		origin, ok := strings.CutPrefix(string(parts[i]), "file:")
		if !ok {
			continue
		}
		if value, file = string(parts[i+1]), origin; !filepath.IsAbs(file) {
			file = filepath.Join(l.Top, file)
		}
	}
	return value, file, nil
}
