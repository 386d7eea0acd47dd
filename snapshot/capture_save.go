package snapshot

import (
	"path/filepath"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// Keeper is the ref that keeps what the cache knew before this capture, empty if
// there is none.
func (c *Capture) Keeper() string {
	if c.cache == nil || c.keeps == nil || c.cache.Ref == "" || !c.keeps(c.cache.Ref, c.cache.Kept) {
		return ""
	}
	return c.cache.Ref
}

// Save writes the stat cache, naming the ref that keeps all objects of this
// capture and the object that it names; empty and nil: none does, and what
// [Capture.Keeper] keeps stays so: then the old one stays if it says the same, or
// if little is new. A failure costs the next capture time only. What killed captures
// left is cleared away.
func (c *Capture) Save(ref string, id []byte) error {
	statcache.Sweep(filepath.Dir(c.name), c.Ended)
	keeper := c.Keeper()
	if ref == keeper || ref == "" {
		if c.same && len(c.fresh) == 0 && !c.Stopped || keeper != "" && c.little(0) {
			return nil
		}
	}
	c.header.Ref, c.header.Kept = ref, nil
	if ref == "" && keeper != "" {
		c.header.Ref, c.header.Kept = keeper, c.cache.Kept
		c.loosen()
	} else if len(id) > 0 {
		c.header.Kept = id
	}
	doubtful := map[int32]bool{}
	for _, i := range c.fresh {
		doubtful[i] = true
	}
	return statcache.Write(c.name, &c.header, &c.res.Tree, func(i int) []byte {
		switch e := &c.res.Entries[i]; {
		case doubtful[int32(i)]:
			return nil
		case e.Mode.IsDir() || c.res.Candidate(i):
			return c.known(i)
		}
		return nil
	})
}

// What it takes to find something out again, in entries that are written in the
// time, each about 0.2 µs.
const (
	aFile  = 400
	aKB    = 10 // of the content, which is hashed
	aDir   = 100
	aLoose = 40 // to see whether an object is there
)

// worth is how much of the time of writing the cache may be spent on finding out
// again what it does not say: one part in so many, for each capture until then.
var worth = 8 // a variable for tests

// Little reports whether the cache is as good for the next capture as one that is
// written now and names a ref that keeps all of this one: what it does not say is
// soon found out again. So the captures of a few changes in a large worktree do not
// write megabytes each.
func (c *Capture) Little() bool { return c.little(c.unkept * aLoose) }

// little is Little with what else is to be found out again.
func (c *Capture) little(again int) bool {
	if c.cache == nil || c.Stopped || c.cache.Rules != c.header.Rules || c.cache.Boot != c.header.Boot {
		return false
	}
	again += c.unsure*aFile + int(c.Bytes>>10)*aKB
	for k := range c.res.Dirs {
		if c.res.Entries[c.res.Dirs[k].Entry].Flags&statcache.Trusted == 0 {
			again += aDir
		}
	}
	return again <= len(c.res.Entries)/worth
}

// loosen marks the entries whose ids are not among those that the keeper of the
// cache keeps.
func (c *Capture) loosen() {
	for i := range c.res.Entries {
		e := &c.res.Entries[i]
		if c.res.Candidate(i) && (!c.res.Trusted(i) || c.loose(int(e.Link))) {
			e.Flags |= statcache.Loose
		}
	}
	for k := range c.res.Dirs {
		d := &c.res.Dirs[k]
		if c.oldTree(k) == nil || c.loose(int(d.Old)) {
			c.res.Entries[d.Entry].Flags |= statcache.Loose
		}
	}
}
