package object

import (
	"io"

	"github.com/chordgit/chordgit/gitops/internal/mmap"
)

// Size is Has with the length of the object, of whatever type it is. It reads
// the head of an entry alone, out of mapped packs where a hundred thousand are
// asked for. An object whose head is damaged is not there.
func (db *DB) Size(id ID) (size int64, ok bool) {
	if p, at := db.locate(id, false, false); p != nil {
		if size, err := p.size(&db.pools, at); err == nil {
			return size, true
		}
	}
	for _, dir := range db.dirs {
		if l, err := db.openLoose(loosePath(dir, id)); err == nil {
			l.close()
			return l.size, true
		}
	}
	return 0, false
}

// size returns the length of an object: that of a delta's result stands at the
// beginning of the delta, so that its base need not be looked at.
func (p *pack) size(pl *pools, offset int64) (int64, error) {
	view, err := p.mapped()
	if err != nil {
		return 0, err
	}
	if offset <= 0 || view != nil && offset >= int64(len(view)) {
		return 0, damaged("%s: an object lies outside its pack", p.base)
	}
	fl := pl.reader(nil)
	defer pl.putReader(fl)
	var begin []byte
	if view != nil {
		begin = view[offset:]
	} else if n, err := p.data.ReadAt(fl.begin[:], offset); n > 0 {
		begin = fl.begin[:n]
	} else {
		return 0, err
	}
	fl.mem.Reset(begin)
	h, err := readHead(&fl.mem, p.format, offset)
	if err != nil || !h.typ.IsDelta() {
		return h.size, err
	}
	if size, ok := deltaSize(begin[len(begin)-fl.mem.Len():]); ok {
		return size, nil
	}
	fl.br.Reset(io.NewSectionReader(p.data, offset, 1<<62))
	if _, err = readHead(fl.br, p.format, offset); err != nil {
		return 0, err
	}
	return resultSize(fl)
}

// manySizes are asked for before a pack is mapped: each touch makes 64 KiB of the
// pack resident, a thousand of them more than all else that a capture holds.
var manySizes = 20_000 // a variable for its test

// mapped returns the pack in memory, nil if it is to be read: it is opened.
func (p *pack) mapped() ([]byte, error) {
	f, err := p.open()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sizes++; p.unmap == nil && p.sizes > manySizes {
		if p.view, p.unmap, err = mmap.Map(f); err != nil {
			p.view, p.unmap = nil, func() {}
		}
	}
	return p.view, nil
}
