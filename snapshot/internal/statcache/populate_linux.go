package statcache

import "golang.org/x/sys/unix"

// populate: all of it is read at once, for the checksum.
const populate = unix.MAP_POPULATE
