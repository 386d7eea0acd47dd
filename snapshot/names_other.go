//go:build !linux && !darwin

package snapshot

import (
	"io/fs"
	"path"
	"syscall"

	"github.com/chordgit/chordgit/edit"
)

const openFlags = 0

// rename and link go through the wider of the two handles: package os has no
// call that takes two.
func rename(a *dir, an string, b *dir, bn string) error {
	d, from, to := common(a, an, b, bn)
	return d.root.Rename(from, to)
}

func link(a *dir, an string, b *dir, bn string) error {
	d, from, to := common(a, an, b, bn)
	return d.root.Link(from, to)
}

// common names both from the directory that lies above the other one.
func common(a *dir, an string, b *dir, bn string) (d *dir, from, to string) {
	if len(a.path) <= len(b.path) {
		return a, an, path.Join(below(a, b), bn)
	}
	return b, path.Join(below(b, a), an), bn
}

func below(up, d *dir) string {
	if up.path == "." {
		return d.path
	}
	return path.Clean("." + d.path[len(up.path):])
}

func unlink(d *dir, name string) error { return d.root.Remove(name) }

func rmdir(d *dir, name string) error {
	if fi, err := d.root.Lstat(name); err != nil {
		return err
	} else if !fi.IsDir() {
		return syscall.ENOTDIR
	}
	return d.root.Remove(name)
}

// syncDir: there is no such call, names are durable by themselves.
func syncDir(*dir) error { return nil }

func owner(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }

func isRoot() bool { return false }

// statOf leaves the identity empty: what tells two files apart is os.SameFile.
func statOf(fi fs.FileInfo) edit.Stat {
	return edit.Stat{Size: fi.Size(), Mtime: fi.ModTime().UnixNano(), Nlink: 1}
}

// openLimit is how many handles the system lets us have: there is no such limit.
func openLimit() int { return 16 << 10 }
