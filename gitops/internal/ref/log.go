package ref

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

// A LogEntry is one line of a reflog: a ref went from one object to another. A
// zero ID stands for none.
type LogEntry struct {
	Old, New object.ID
	Message  string
}

// A LogMark is a place in a reflog: everything up to it is old. The zero value
// is the beginning.
type LogMark struct {
	Size int64  `json:"size"`
	Sum  string `json:"sum,omitempty"` // of the last line before it
}

// LogFile is where git keeps the reflog of a ref.
func LogFile(gitDir, commonDir, name string) string {
	s := Store{GitDir: filepath.Join(gitDir, "logs"), CommonDir: filepath.Join(commonDir, "logs")}
	return s.path(name)
}

// ReadLog reads a reflog from a mark on, oldest entry first. Ok is false if the
// mark is no longer in it, as after an expiry; then all of it is returned. A
// line that is no entry is left out, which shows as a gap between its
// neighbours. An absent file is an empty log.
func ReadLog(file string, from LogMark) (entries []LogEntry, ok bool, err error) {
	data, err := readLogFile(file)
	if err != nil {
		return nil, false, err
	}
	data, ok = behind(data, from)
	return parseLog(data), ok, nil
}

// Log reads the reflog of a ref, oldest entry first. A ref without one, or none of
// that name, has an empty log.
func (s *Store) Log(name string) ([]LogEntry, error) {
	entries, _, err := ReadLog(LogFile(s.GitDir, s.CommonDir, name), LogMark{})
	return entries, err
}

// MarkLog is the end of a reflog as it is now.
func MarkLog(file string) (LogMark, error) {
	data, err := readLogFile(file)
	return markOf(data), err
}

func readLogFile(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || isDir(file) {
		return nil, nil
	}
	return data, err
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func markOf(data []byte) LogMark {
	if len(data) == 0 {
		return LogMark{}
	}
	return LogMark{Size: int64(len(data)), Sum: lineSum(lastLine(data))}
}

// lastLine is the last line with its line end.
func lastLine(data []byte) []byte {
	return data[bytes.LastIndexByte(data[:len(data)-1], '\n')+1:]
}

func lineSum(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:16])
}

// behind cuts off what is before the mark. Where an expiry took lines away the
// mark's own line is looked for, from the end.
func behind(data []byte, from LogMark) ([]byte, bool) {
	if from.Size == 0 {
		return data, true
	}
	if n := from.Size; n > 0 && n <= int64(len(data)) && lineSum(lastLine(data[:n])) == from.Sum {
		return data[n:], true
	}
	for rest := data; len(rest) > 0; {
		line := lastLine(rest)
		if lineSum(line) == from.Sum {
			return data[len(rest):], true
		}
		rest = rest[:len(rest)-len(line)]
	}
	return data, false
}

// parseLog reads lines "<old> <new> <name> <address> <time> <zone>\t<message>".
func parseLog(data []byte) (entries []LogEntry) {
	for line := range strings.Lines(string(data)) {
		head, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		was, head, _ := strings.Cut(head, " ")
		is, _, _ := strings.Cut(head, " ")
		e := LogEntry{Message: message}
		var ok1, ok2 bool
		e.Old, ok1 = object.ParseID(was)
		e.New, ok2 = object.ParseID(is)
		if ok1 && ok2 && e.Old.Format() == e.New.Format() {
			entries = append(entries, e)
		}
	}
	return entries
}
