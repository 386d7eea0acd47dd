//go:build !linux

package main

import (
	"math"
	"os"
)

// fileSystem cannot tell on this platform.
func fileSystem(string) (string, error) { return "unknown", nil }

// flush has no call for one file system on this platform.
func flush(string) error { return nil }

// peak is not told in the same unit everywhere.
func peak(*os.ProcessState) int64 { return 0 }

// load is not known everywhere.
func load() float64 { return math.NaN() }
