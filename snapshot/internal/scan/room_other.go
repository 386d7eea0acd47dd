//go:build !linux

package scan

// Other systems decide by themselves how large pages are.

func mapLarge(int) (b []byte, unmap func()) { return nil, nil }

func inLargePages(n int) []byte { return make([]byte, n) }
