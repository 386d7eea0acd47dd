//go:build !linux && !darwin

package snapshot

import (
	"errors"
	"io/fs"
	"os"
)

func exchange(*dir, string, *dir, string) error  { return errors.ErrUnsupported }
func renameNew(*dir, string, *dir, string) error { return errors.ErrUnsupported }

func beingWritten(*os.File) bool { return false }

func startWriteback(*os.File) {}

func syncAll(*dir) error { return errors.ErrUnsupported }

func umask() fs.FileMode { return 0 }
