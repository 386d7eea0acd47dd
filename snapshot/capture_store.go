package snapshot

import (
	"context"
	"io/fs"
	"runtime"
	"slices"
	"sync"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// store reads what is not known, and makes the trees.
func (c *Capture) store(ctx context.Context, w *Worktree, opt *CaptureOptions) error {
	c.verify(opt.Vault)
	unread := c.unread(opt)
	if opt.MaxNew > 0 && c.res.Budget(opt.MaxNew, func(i int) bool { return c.known(i) != nil }) > 0 {
		unread = slices.DeleteFunc(unread, func(i int32) bool { return !c.res.Candidate(int(i)) })
	}
	r := &reading{c: c, w: w, opt: opt, total: len(unread)}
	if err := r.run(ctx, unread); err != nil {
		return err
	}
	if err := c.trees(opt.Vault); err != nil {
		return err
	}
	end, err := statcache.Stamp(opt.Dir, false)
	if err != nil {
		return err
	}
	c.Ended = end.Time
	c.header.Stamp = statcache.Older(c.header.Stamp, end.Time)
	c.header.Coarse = c.res.IsCoarse()
	c.Stopped = c.res.Stopped || ctx.Err() != nil
	for i := range c.res.Entries {
		if c.res.Candidate(i) && c.known(i) != nil {
			c.Files++
		}
	}
	return nil
}

// verify takes no id of the cache on trust whose object no ref keeps.
func (c *Capture) verify(v Vault) {
	if c.cache == nil {
		return
	}
	kept := c.Keeper() != ""
	// By the first byte of their ids: a store that finds objects by name looks at
	// one place after the other then, which takes a third.
	type claim struct {
		entry int32
		id    [32]byte
	}
	claims := make([][]claim, 256)
	add := func(entry int32, id []byte) {
		if cap(claims[id[0]]) == 0 && !kept {
			claims[id[0]] = make([]claim, 0, len(c.res.Entries)/200)
		}
		x := claim{entry: entry}
		copy(x.id[:], id)
		claims[id[0]] = append(claims[id[0]], x)
		c.unkept++
	}
	for i := range c.res.Entries {
		if !c.res.Trusted(i) || !c.res.Candidate(i) {
			continue
		}
		if old := int(c.res.Entries[i].Link); !kept || c.loose(old) {
			add(int32(i), c.cache.ID(old))
		}
	}
	for k := range c.res.Dirs {
		if id := c.oldTree(k); id != nil && (!kept || c.loose(int(c.res.Dirs[k].Old))) {
			add(c.res.Dirs[k].Entry, id)
		}
	}
	var lost [2][]int32
	var wg sync.WaitGroup
	for part := range lost {
		wg.Go(func() {
			for k := part; k < len(claims); k += len(lost) {
				for i := range claims[k] {
					if x := &claims[k][i]; !v.Has(x.id[:c.idLen]) {
						lost[part] = append(lost[part], x.entry)
					}
				}
			}
		})
	}
	wg.Wait()
	for _, list := range lost {
		for _, i := range list {
			c.res.Distrust(int(i))
		}
	}
}

// loose reports whether the header's ref does not keep the id of a cached entry.
func (c *Capture) loose(old int) bool { return c.cache.FlagsOf(old)&statcache.Loose != 0 }

// oldTree is the tree that the cache has for a directory in which nothing has
// changed, nil if it has none.
func (c *Capture) oldTree(k int) []byte {
	d := &c.res.Dirs[k]
	if d.Flags&statcache.Clean == 0 || d.Old < 0 {
		return nil
	}
	return c.cache.ID(int(d.Old))
}

// known is the id of an entry's content, nil if it is not known, or not yet.
func (c *Capture) known(i int) []byte {
	switch e := &c.res.Entries[i]; {
	case !e.Mode.IsDir():
		if e.Flags&statcache.Trusted != 0 {
			return c.cache.ID(int(e.Link))
		}
	case e.Link >= 0:
		// It is not put into ids, most of which no capture needs to touch.
		if id := c.oldTree(int(e.Link)); id != nil {
			return id
		}
	}
	if c.ids == nil {
		return nil
	}
	id := c.ids[i*c.idLen:][:c.idLen:c.idLen]
	if slices.Max(id) == 0 {
		return nil
	}
	return id
}

func (c *Capture) learn(i int, id []byte) {
	copy(c.ids[i*c.idLen:], id)
}

// unread lists the entries whose content nothing tells without reading.
func (c *Capture) unread(opt *CaptureOptions) (list []int32) {
	for i := range c.res.Entries {
		if c.res.Candidate(i) && !c.res.Trusted(i) {
			list = append(list, int32(i))
		}
	}
	c.unsure = len(list)
	if len(list) > 0 || c.res.Dirs[0].Flags&statcache.Clean == 0 {
		c.ids = make([]byte, len(c.res.Entries)*c.idLen)
	}
	if len(list) < seedFrom || opt.Seed == nil || opt.Reread {
		return list
	}
	seed, done := opt.Seed()
	if seed == nil {
		return list
	}
	defer done()
	// In the order of the index, which the walk has and the entries have not.
	var rest []int32
	check, unequal := c.otherwise(opt)
	const piece = 1024
	seeded := make([]int32, 0, piece)
	c.res.Walk(func(p []byte, i int) bool {
		if !c.res.Candidate(i) || c.res.Trusted(i) {
			return true
		}
		e := &c.res.Entries[i]
		if id, ok := seed(p, FileStat{Mode: e.Mode, Mtime: e.Mtime, Ctime: e.Ctime, Ino: e.Ino, Size: e.Size}); ok {
			c.learn(i, id)
			if seeded = append(seeded, int32(i)); len(seeded) == piece {
				check <- seeded
				seeded = make([]int32, 0, piece)
			}
		} else {
			rest = append(rest, int32(i))
		}
		return true
	})
	check <- seeded
	close(check)
	rest = append(rest, unequal()...)
	slices.Sort(rest) // by directory
	return rest
}

// otherwise looks at entries that were seeded, as they are sent, and returns those
// whose id is that of an object of another length: what converted the file may be
// gone. To ask for the lengths takes longer than to seed.
func (c *Capture) otherwise(opt *CaptureOptions) (check chan<- []int32, unequal func() []int32) {
	pieces := make(chan []int32, 4)
	lists := make([][]int32, min(max(runtime.NumCPU(), 2), 4))
	var wg sync.WaitGroup
	for k := range lists {
		wg.Go(func() {
			for piece := range pieces {
				for _, i := range piece {
					if size, ok := opt.Length(c.known(int(i))); !ok || size != c.res.Entries[i].Size {
						c.learn(int(i), make([]byte, c.idLen))
						lists[k] = append(lists[k], i)
					}
				}
			}
		})
	}
	return pieces, func() []int32 {
		wg.Wait()
		return slices.Concat(lists...)
	}
}

// trees makes the trees of all directories, deepest first: those in which
// nothing changed are the cache's.
func (c *Capture) trees(v Vault) error {
	var list []TreeEntry
	top := &c.res.Dirs[0]
	if c.same = top.Flags&statcache.Clean != 0; c.same {
		c.Tree = c.oldTree(0)
		return nil
	}
	for k := len(c.res.Dirs) - 1; k >= 0; k-- {
		d := &c.res.Dirs[k]
		if d.Flags&statcache.Clean != 0 {
			continue
		}
		list = list[:0]
		for i := int(d.First); i < int(d.First+d.Count); i++ {
			e := &c.res.Entries[i]
			mode := uint32(0o100644)
			switch {
			case e.Mode.IsDir():
				mode = 0o040000
			case e.Why != statcache.Stored:
				continue
			case e.Mode&fs.ModeSymlink != 0:
				mode = 0o120000
			case e.Mode&0o100 != 0:
				mode = 0o100755
			}
			if id := c.known(i); id != nil {
				list = append(list, TreeEntry{Name: string(c.res.NameOf(i)), Mode: mode, ID: id})
			}
		}
		if len(list) == 0 {
			continue // git keeps no empty tree
		}
		id, err := v.Tree(list)
		if err != nil {
			return err
		}
		c.learn(int(d.Entry), id)
	}
	c.Tree = c.known(0)
	return nil
}
