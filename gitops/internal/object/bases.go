package object

import (
	"container/list"
	"sync"
)

// bases keep what deltas were applied to lately. git's packs hold chains of
// fifty: without this, each object of a chain inflates all that lie before it.
type bases struct {
	mu   sync.Mutex
	at   map[place]*list.Element
	used list.List // of made, the last used first
	size int
}

// A place is where an object begins.
type place struct {
	p      *pack
	offset int64
}

// made is an object of a chain, with its deltas applied. Its content is shared
// and must not be changed.
type made struct {
	place
	typ  Type
	data []byte
}

// basesLimit bounds the bytes kept. Read in the order of a pack, a chain needs
// its own length and no more.
const basesLimit = 8 << 20

func (b *bases) get(at place) (made, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.at[at]
	if e == nil {
		return made{}, false
	}
	b.used.MoveToFront(e)
	return e.Value.(made), true
}

// put reports whether the content is shared from now on.
func (b *bases) put(m made) (kept bool) {
	if len(m.data) > basesLimit/4 {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at[m.place] != nil {
		return false
	}
	if b.at == nil {
		b.at = make(map[place]*list.Element)
	}
	b.at[m.place] = b.used.PushFront(m)
	for b.size += len(m.data); b.size > basesLimit; {
		last := b.used.Back()
		old := b.used.Remove(last).(made)
		delete(b.at, old.place)
		b.size -= len(old.data)
	}
	return true
}
