package snapshot

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// writers names the programs that have a file open for writing, as far as the
// system lets us see: our own processes, or all of them as root. It walks all
// of /proc and serves only messages.
func writers(dev, ino uint64) string {
	fds, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return ""
	}
	var names []string
	seen := map[string]bool{}
	for _, fd := range fds {
		var st syscall.Stat_t
		if syscall.Stat(fd, &st) != nil || st.Ino != ino || st.Dev != dev || !opensForWriting(fd) {
			continue
		}
		pid := strings.Split(fd, "/")[2]
		if seen[pid] || pid == strconv.Itoa(os.Getpid()) {
			continue
		}
		seen[pid] = true
		comm, _ := os.ReadFile("/proc/" + pid + "/comm")
		names = append(names, fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(comm)), pid))
	}
	return strings.Join(names, ", ")
}

// opensForWriting reads the flags with which a descriptor was opened.
func opensForWriting(fd string) bool {
	data, err := os.ReadFile(strings.Replace(fd, "/fd/", "/fdinfo/", 1))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		if digits, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(digits), 8, 64)
			return err == nil && flags&syscall.O_ACCMODE != syscall.O_RDONLY
		}
	}
	return false
}
