//go:build !unix

package mmap

import (
	"errors"
	"os"
)

// Map is not supported: a mapped file could not be replaced by git here.
func Map(*os.File) (data []byte, unmap func(), err error) { return nil, nil, errors.ErrUnsupported }
