package repo

import "golang.org/x/sys/unix"

func machineID() string {
	id, _ := unix.Sysctl("kern.uuid")
	return id
}
