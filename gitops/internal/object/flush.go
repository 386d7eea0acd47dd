package object

import (
	"errors"
	"fmt"
)

func joinErr(err, other error) error {
	if other == nil {
		return err
	}
	return errors.Join(err, other)
}

// Flush makes all objects of the batch durable: their content first, then
// their names, then the directories of the names. It may be called again
// after more objects were added; after an error it only fails again.
func (b *Batch) Flush() (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	defer b.fail(&err)
	return b.flush(GCRunning(b.db.common))
}

// flush writes what waits. While a gc runs everything goes into a pack that
// the gc leaves alone, also what the store has: the gc may have judged it.
func (b *Batch) flush(gc bool) error {
	if gc {
		if err := b.startPack(); err != nil {
			return err
		}
		for _, p := range b.objects {
			if p.reused {
				if err := b.repack(p); err != nil {
					return err
				}
			}
		}
	}
	if b.pack != nil {
		w := b.pack
		b.pack = nil
		if err := w.finish(gc); err != nil {
			return err
		}
	}
	waiting := b.loose
	b.loose, b.bytes = nil, 0
	return b.db.writeLoose(waiting)
}

// repack puts an object that was written or reused before into the pack.
func (b *Batch) repack(p *pending) error {
	data := p.data
	if data == nil {
		typ, d, err := b.db.Read(p.id)
		if err != nil {
			return err
		}
		p.typ, data = typ, d
	}
	e := b.db.pools.buffer()
	defer b.db.pools.buffers.Put(e)
	if err := b.db.deflateEntry(e, p.typ, data); err != nil {
		return err
	}
	p.reused = false
	return b.pack.append(p.id, e)
}

// Verify looks up every object that the batch wrote or reused once more, now
// that a ref names them, and writes again what a gc has taken meanwhile. If a
// gc has started since, all of them go into a pack that it leaves alone. An
// object whose content is not to be had any more is ErrMissing: the caller
// must capture it again.
func (b *Batch) Verify() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	packs := b.db.list(true)
	gc := GCRunning(b.db.common)
	var lost []*pending
	for _, p := range b.objects {
		if gc && !inKept(packs, p.id) || !gc && !b.db.HasOwn(p.id) {
			lost = append(lost, p)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	for _, p := range lost {
		if p.data == nil {
			typ, data, err := b.db.Read(p.id)
			if err != nil {
				return fmt.Errorf("written, and gone again: %w", err)
			}
			p.typ, p.data = typ, data
		}
		p.reused = false
		b.loose = append(b.loose, p)
		if b.bytes += int64(len(p.data)); len(b.loose) >= looseObjects || b.bytes >= looseBytes {
			if err := b.startPack(); err != nil {
				return err
			}
		}
	}
	return b.flush(gc)
}

func inKept(packs []*pack, id ID) bool {
	for _, p := range packs {
		if p.own && p.keep {
			if _, ok, err := p.find(id); err == nil && ok {
				return true
			}
		}
	}
	return false
}
