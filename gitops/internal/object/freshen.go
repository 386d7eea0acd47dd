package object

import (
	"os"
	"time"
)

// freshen refreshes the time of an object that the own store has, as git does
// when it would write one that exists: its pack's, once, or the loose file's.
// False means that the own store has it nowhere, or that it cannot be protected
// and a loose copy is needed: in a cruft pack each object has a time of its own,
// which we cannot set. The pack comes first: to ask for a loose file of each of a
// hundred thousand packed objects costs more than all else.
func (db *DB) freshen(id ID) bool {
	if p, _ := db.locate(id, true, false); p != nil && p.freshen() {
		return true
	}
	now := time.Now()
	return os.Chtimes(loosePath(db.dirs[0], id), now, now) == nil
}

// freshen refreshes a pack that is no cruft pack.
func (p *pack) freshen() bool {
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
		now := time.Now()
		p.fresh = os.Chtimes(p.base+".pack", now, now) == nil
	}
	return p.fresh
}

// Keep reports whether the own store has an object, and refreshes its time, so
// that no gc takes it before a ref names it.
func (db *DB) Keep(id ID) bool { return db.freshen(id) }
