package statcache

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"sync"
	"sync/atomic"
)

// Open opens a cache for the worktree whose top is (dev, ino) and whose object
// ids have idLen bytes. Every error means that there is no cache; one that is
// odd in any way is [ErrNone].
func Open(name string, idLen int, dev, ino uint64) (*Cache, error) {
	data, unmap, err := mapFile(name)
	if err != nil {
		return nil, err
	}
	c, err := decode(data)
	if err == nil && (c.IDLen != idLen || c.Dev != dev || c.Ino != ino) {
		err = ErrNone
	}
	if err != nil {
		unmap()
		return nil, err
	}
	c.unmap = unmap
	return c, nil
}

// decode checks everything once, so that later reads need not.
func decode(data []byte) (*Cache, error) {
	le := binary.LittleEndian
	if len(data) < fixed+crcN || len(data) > maxFile || string(data[:8]) != magic || le.Uint16(data[8:]) != version {
		return nil, ErrNone
	}
	c := &Cache{}
	c.IDLen = int(data[10])
	flags := data[11]
	n, d, names := uint64(le.Uint32(data[12:])), uint64(le.Uint32(data[16:])), uint64(le.Uint32(data[20:]))
	boot, ref := uint64(le.Uint16(data[24:])), uint64(le.Uint16(data[26:]))
	if c.IDLen != 20 && c.IDLen != 32 || n == 0 || d == 0 || d > n {
		return nil, ErrNone
	}
	if fixed+n*(entryN+uint64(c.IDLen))+d*dirN+names+boot+ref+crcN != uint64(len(data)) {
		return nil, ErrNone
	}
	body := data[:len(data)-crcN]
	if crc32.Checksum(body, castagnoli) != le.Uint32(data[len(body):]) {
		return nil, ErrNone
	}
	c.n, c.d = int(n), int(d)
	rest := body[fixed:]
	take := func(n uint64) []byte {
		b := rest[:n:n]
		rest = rest[n:]
		return b
	}
	c.entries, c.ids = take(n*entryN), take(n*uint64(c.IDLen))
	c.dirs, c.names = take(d*dirN), take(names)
	c.Boot, c.Ref = string(take(boot)), string(take(ref))
	c.Stamp = int64(le.Uint64(data[32:]))
	c.Dev, c.Ino = le.Uint64(data[40:]), le.Uint64(data[48:])
	c.Coarse, c.Synced, c.OtherFS = flags&headCoarse != 0, flags&headSynced != 0, flags&headOtherFS != 0
	copy(c.Rules[:], data[56:88])
	if tree := data[88:][:c.IDLen]; len(bytes.Trim(tree, "\x00")) > 0 {
		c.Kept = bytes.Clone(tree)
	}
	if !c.sound() {
		return nil, ErrNone
	}
	return c, nil
}

// sound reports whether entries, directories and names make a tree.
func (c *Cache) sound() bool {
	top := c.Entry(0)
	if !top.Mode.IsDir() || top.Link != 0 || top.NameLen != 0 || !c.named(&top) {
		return false
	}
	next := int32(1)
	for k := range c.d {
		d := c.Dir(k)
		if d.First != next || d.Count < 0 || int(d.Count) > c.n-int(next) || d.Flags&^keptDirFlags != 0 {
			return false
		}
		next += d.Count
		if k == 0 {
			if d.Entry != 0 || d.Parent != -1 {
				return false
			}
		} else if d.Parent < 0 || int(d.Parent) >= k || d.Entry <= 0 || int(d.Entry) >= c.n {
			return false
		} else if p := c.Dir(int(d.Parent)); d.Entry < p.First || d.Entry >= p.First+p.Count {
			return false
		} else if e := c.Entry(int(d.Entry)); !e.Mode.IsDir() || e.Link != int32(k) {
			return false
		}
	}
	return int(next) == c.n && c.soundGroups()
}

// soundGroups checks all groups, each half by itself: with many entries that takes
// longest of opening a cache, and nothing else goes on.
func (c *Cache) soundGroups() bool {
	var bad atomic.Bool
	var wg sync.WaitGroup
	check := func(from, to int) {
		for k := from; k < to && !bad.Load(); k++ {
			if d := c.Dir(k); !c.soundGroup(&d) {
				bad.Store(true)
			}
		}
	}
	wg.Go(func() { check(c.d/2, c.d) })
	check(0, c.d/2)
	wg.Wait()
	return !bad.Load()
}

// soundGroup checks the names in a directory and their order.
func (c *Cache) soundGroup(d *Dir) bool {
	var last []byte
	lastDir := false
	for i := d.First; i < d.First+d.Count; i++ {
		e := c.Entry(int(i))
		if e.NameLen == 0 || !c.named(&e) || e.Why >= numWhy || e.Flags&^keptFlags != 0 {
			return false
		}
		name, isDir := c.Name(&e), e.Mode.IsDir()
		if bytes.IndexByte(name, '/') >= 0 || bytes.IndexByte(name, 0) >= 0 || name[0] == '.' && isDots(name) {
			return false
		}
		if i > d.First && Compare(last, lastDir, name, isDir) >= 0 {
			return false
		}
		switch {
		case !isDir && e.Link != -1:
			return false
		case isDir && (e.Link < -1 || e.Link == 0 || int(e.Link) >= c.d):
			return false
		case isDir && e.Link > 0 && c.Dir(int(e.Link)).Entry != i:
			return false
		}
		last, lastDir = name, isDir
	}
	return true
}

// named reports whether an entry's name, and the NUL behind it, are in names.
func (c *Cache) named(e *Entry) bool {
	end := uint64(e.Name) + uint64(e.NameLen)
	return end < uint64(len(c.names)) && c.names[end] == 0
}

func isDots(name []byte) bool { return string(name) == "." || string(name) == ".." }
