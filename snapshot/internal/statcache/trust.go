package statcache

import (
	"math"
	"time"
)

const (
	// coarse is the coarsest clock of a file system still in use (FAT).
	coarse = int64(2 * time.Second)
	// writeback is how long systems keep dirty pages before they write them.
	writeback = int64(time.Minute)
)

// A Scene is what holds while a scan runs and decides what a cache is worth.
type Scene struct {
	// Stamp is the file system's time when the scan began, see [Stamp].
	Stamp int64
	// Boot names the running boot; empty if it is unknown.
	Boot string
	// Local: top is on a file system known to keep the times of files and
	// directories itself, see [Local].
	Local bool
	// OwnCtime: the stamp's ctime did not follow when its mtime was set back.
	OwnCtime bool
	// SameFS: the stamp was taken on top's file system.
	SameFS bool
}

// A Rule says what of a cache may be believed. The zero Rule believes nothing.
type Rule struct {
	files, dirs int64 // times must be older; 0: none is
}

// NewRule derives the rule for a cache from its header and the scene of the
// scan that reads it.
func NewRule(h *Header, now Scene) Rule {
	// Older than the scan that produced the ids, and not in the future now: a
	// clock may have been set back since.
	limit := min(h.Stamp, now.Stamp)
	if h.Coarse || h.OtherFS || !now.SameFS {
		limit = min(limit, sub(h.Stamp, coarse))
	}
	if h.Boot == "" || h.Boot != now.Boot {
		// A power cut may have kept times and lost bytes.
		clean := h.Stamp
		if !h.Synced {
			clean = sub(clean, writeback)
		}
		limit = min(limit, clean)
	}
	switch {
	case limit <= 0:
		return Rule{}
	case now.Local:
		return Rule{files: limit, dirs: limit}
	case now.SameFS && now.OwnCtime:
		return Rule{files: limit}
	}
	return Rule{}
}

func sub(t, d int64) int64 {
	if t < math.MinInt64+d {
		return math.MinInt64
	}
	return t - d
}

// File reports whether a file's cached id is its content now, by the entry of
// lstat now and the cached one.
func (r Rule) File(now, then *Entry) bool {
	return now.Size == then.Size && now.Mode == then.Mode && same(now, then, r.files)
}

// Dir reports whether a directory holds the names now that the cache lists.
func (r Rule) Dir(now, then *Entry) bool {
	return now.Mode == then.Mode && same(now, then, r.dirs)
}

// same compares what the kernel keeps, and asks for times before the limit. A
// time of exactly 0 is one that the system does not have.
func same(now, then *Entry, limit int64) bool {
	return now.Mtime == then.Mtime && now.Ctime == then.Ctime && now.Ino == then.Ino &&
		now.Mtime < limit && now.Ctime < limit && now.Ctime != 0 && now.Ino != 0 &&
		(now.Flags|then.Flags)&Foreign == 0
}

// Older returns the stamp that counts of the two that a scan takes, before its
// first lstat and at its end: the clock may be set back between.
func Older(start, end int64) int64 { return min(start, end) }

// IsCoarse reports whether no time in the tree has nanoseconds, so that the
// clock of the file system must be taken for one of whole seconds.
func (t *Tree) IsCoarse() bool {
	for i := range t.Entries {
		if e := &t.Entries[i]; e.Mtime%int64(time.Second) != 0 || e.Ctime%int64(time.Second) != 0 {
			return false
		}
	}
	return true
}
