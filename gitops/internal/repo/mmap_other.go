//go:build !unix

package repo

import "os"

// mapFile reads the file: a mapped one could not be replaced by git here.
func mapFile(name string) (data []byte, unmap func(), err error) {
	data, err = os.ReadFile(name)
	return data, func() {}, err
}
