package object

import (
	"os"
	"time"
)

// freshen refreshes the time of an object that the own store has, as git does
// when it would write one that exists: the loose file's, or its pack's. False
// means that it cannot protect the object and a loose copy is needed: in a
// cruft pack each object has a time of its own, which we cannot set.
func (db *DB) freshen(id ID) bool {
	now := time.Now()
	if os.Chtimes(loosePath(db.dirs[0], id), now, now) == nil {
		return true
	}
	p, _ := db.locate(id, true, false)
	if p == nil {
		return false
	}
	// Opened, it stays readable if a gc deletes it before the ref is born.
	if _, err := p.open(); err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cruft {
		return false
	}
	if !p.fresh {
		p.fresh = os.Chtimes(p.base+".pack", now, now) == nil
	}
	return p.fresh
}

// Keep reports whether the own store has an object, and refreshes its time, so
// that no gc takes it before a ref names it.
func (db *DB) Keep(id ID) bool { return db.HasOwn(id) && db.freshen(id) }
