package scan

import (
	"bytes"
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// openToPass needs no permission to read and is the cheapest way to open.
const openToPass = unix.O_PATH

// list appends the names in h, each with a byte for its type before it and a
// NUL behind it. What was read before an error is returned with it.
func (h handle) list(to []byte) ([]byte, error) {
	var buf [32 << 10]byte
	for {
		n, err := unix.Getdents(h.fd(), buf[:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n <= 0:
			return to, err
		}
		to = parse(to, buf[:n])
	}
}

// parse takes the names out of records of getdents64: inode and offset, 8 bytes
// each, the length of the record u16, the type, and the name with a NUL.
func parse(to, buf []byte) []byte {
	for len(buf) > 19 {
		size := int(binary.NativeEndian.Uint16(buf[16:]))
		if size <= 19 || size > len(buf) {
			return to
		}
		typ, name := buf[18], buf[19:size]
		buf = buf[size:]
		name = name[:bytes.IndexByte(name, 0)+1]
		if len(name) < 2 || string(name) == ".\x00" || string(name) == "..\x00" {
			continue
		}
		to = append(append(to, letter(typ)), name...)
	}
	return to
}

func letter(typ byte) byte {
	switch typ {
	case unix.DT_DIR:
		return typeDir
	case unix.DT_LNK:
		return typeLink
	case unix.DT_REG:
		return typeFile
	case unix.DT_UNKNOWN:
		return '?'
	}
	return typeOdd
}
