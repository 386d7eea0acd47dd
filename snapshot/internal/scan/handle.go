package scan

import "io/fs"

// maxRules is how much of a .gitignore is read.
const maxRules = 16 << 20

// Types of a listing's entries, as the system tells them; 0: it does not.
const (
	typeDir  = 'd'
	typeLink = 'l'
	typeFile = 'f'
	typeOdd  = 's'
)

// fileType is what a listing says of a name that lstat may not look at.
func fileType(t byte) fs.FileMode {
	switch t {
	case typeDir:
		return fs.ModeDir
	case typeLink:
		return fs.ModeSymlink
	case typeFile:
		return 0
	}
	return fs.ModeIrregular
}
