//go:build !linux

package scan

import "io/fs"

func letter(t fs.FileMode) byte {
	switch t {
	case 0:
		return typeFile
	case fs.ModeDir:
		return typeDir
	case fs.ModeSymlink:
		return typeLink
	}
	return typeOdd
}
