//go:build !unix

package statcache

import "os"

// mapFile reads the file: a mapped one could not be replaced here.
func mapFile(name string) (data []byte, unmap func(), err error) {
	data, err = os.ReadFile(name)
	return data, func() {}, err
}
