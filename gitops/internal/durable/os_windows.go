package durable

import "os"

// rename closes the file first: Windows does not rename an open one.
func rename(f *os.File, name string) error {
	f.Close()
	return os.Rename(f.Name(), name)
}

// SyncDir does nothing: NTFS journals names, and a directory cannot be synced.
func SyncDir(dir string) error { return nil }

func ownerOf(name string) (uid, gid int, ok bool) { return 0, 0, false }
