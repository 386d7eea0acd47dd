//go:build !linux && !darwin

package statcache

import "io/fs"

// BootID names the running boot; empty if it is unknown.
func BootID() string { return "" }

// Local reports whether a directory is on a file system known to keep the times
// of files and directories itself. Not asked here: without a
// ctime nothing is trusted anyway.
func Local(string) bool { return false }

func statTimes(fi fs.FileInfo) (mtime, ctime int64, dev uint64) {
	return fi.ModTime().UnixNano(), 0, 0
}
