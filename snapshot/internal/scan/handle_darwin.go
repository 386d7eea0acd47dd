package scan

import (
	"os"

	"golang.org/x/sys/unix"
)

// openToPass: there is no O_PATH.
const openToPass = unix.O_RDONLY

// list appends the names in h, each with a byte for its type before it and a
// NUL behind it. What was read before an error is returned with it.
func (h handle) list(to []byte) ([]byte, error) {
	fd, err := openat(h.fd(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC)
	if err != nil {
		return to, err
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	found, err := f.ReadDir(-1)
	for _, e := range found {
		to = append(append(append(to, letter(e.Type())), e.Name()...), 0)
	}
	return to, err
}
