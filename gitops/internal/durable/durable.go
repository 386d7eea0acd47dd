// Package durable creates the files of a git directory: under temporary
// names, with the permissions and the owner that git would give them, and on
// the disk before anything refers to them.
package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// CreateTemp makes a new file in dir for reading and writing, named prefix and
// a random word. mode is subject to the umask, as with git.
func CreateTemp(dir, prefix string, mode fs.FileMode, perm Perm) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf("%s%012x", prefix, rand.Uint64()>>16))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := perm.Fix(name); err != nil {
			f.Close()
			os.Remove(name)
			return nil, err
		}
		return f, nil
	}
}

// Place closes a temporary file and renames it to name. If somebody removed
// the temporary name meanwhile (`git prune` clears away what begins with
// tmp_), the content is written again under another. The file is removed when
// that fails. The directory is left to be synced by the caller.
func Place(f *os.File, name string, mode fs.FileMode, perm Perm, noSync bool) error {
	const tries = 5
	for try := 1; ; try++ {
		// Closed only after the rename where the platform allows it: until
		// then it may have to be read.
		err := rename(f, name)
		if err == nil {
			return f.Close()
		}
		if !errors.Is(err, fs.ErrNotExist) || try == tries {
			f.Close()
			os.Remove(f.Name())
			return err
		}
		again, err := rewrite(f, filepath.Dir(name), mode, perm, noSync)
		f.Close()
		os.Remove(f.Name()) // it was the target's directory that was gone
		if err != nil {
			return err
		}
		f = again
	}
}

func rewrite(f *os.File, targetDir string, mode fs.FileMode, perm Perm, noSync bool) (*os.File, error) {
	if err := perm.MkdirAll(targetDir, noSync); err != nil {
		return nil, err
	}
	again, err := CreateTemp(filepath.Dir(f.Name()), "tmp_obj_", mode, perm)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(again, io.NewSectionReader(f, 0, 1<<62))
	if err == nil && !noSync {
		err = again.Sync()
	}
	if err != nil {
		again.Close()
		os.Remove(again.Name())
		return nil, err
	}
	return again, nil
}
