//go:build !linux

package durable

import "os"

// StartWriteback is a hint that this platform has no call for.
func StartWriteback(*os.File) {}
