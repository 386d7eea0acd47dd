//go:build !linux

package scan

// adviseLarge asks for large pages: other systems decide by themselves.
func adviseLarge([]byte) {}
