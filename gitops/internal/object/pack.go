package object

import (
	"bytes"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// A pack is a .pack file with its .idx, both opened when first needed. An
// open pack can still be read after git has deleted it.
type pack struct {
	base   string // path without the suffix
	format Format
	cruft  bool // has a .mtimes file: its objects have times of their own
	keep   bool // has a .keep file
	own    bool // in the repository's own store, not in an alternate
	mu     sync.Mutex
	idx    *idx
	data   *os.File
	failed error // why the index cannot be used
	fresh  bool  // the time was refreshed by this process

	sizes int    // that were asked for
	view  []byte // data mapped, once there were many and if it can be
	unmap func() // nil before that was tried
}

func (p *pack) find(id ID) (int64, bool, error) {
	p.mu.Lock()
	if p.idx == nil && p.failed == nil {
		p.idx, p.failed = openIdx(p.base+".idx", p.format)
	}
	x, err := p.idx, p.failed
	p.mu.Unlock()
	if err != nil {
		return 0, false, err
	}
	return x.find(id)
}

func (p *pack) open() (*os.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.data != nil {
		return p.data, nil
	}
	f, err := os.Open(p.base + ".pack")
	if err != nil {
		return nil, err
	}
	if p.idx != nil {
		if err := p.idx.fits(f); err != nil {
			f.Close()
			return nil, err
		}
	}
	p.data = f
	return f, nil
}

func (p *pack) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idx != nil {
		p.idx.close()
	}
	if p.unmap != nil {
		p.unmap()
	}
	if p.data != nil {
		p.data.Close()
	}
	p.idx, p.data, p.failed = nil, nil, os.ErrClosed
	p.view, p.unmap = nil, nil
}

// An entryHead is what precedes the deflated bytes of an object in a pack.
type entryHead struct {
	typ    Type // or one of the two kinds of delta
	size   int64
	base   int64 // position of an offset delta's base
	baseID ID    // name of a reference delta's base
}

// maxChain bounds a chain of deltas; git makes none longer than 4095.
const maxChain = 1 << 13

// read returns an object with its deltas applied. other reads a base that is
// not in the same pack.
func (p *pack) read(pl *pools, offset int64, other func(ID) (Type, []byte, error)) (Type, []byte, error) {
	f, err := p.open()
	if err != nil {
		return 0, nil, err
	}
	type delta struct {
		at      int64
		command []byte
	}
	var deltas []delta
	var typ Type
	var data []byte
	shared := false // data is also kept, and stays as it is
	for typ == 0 {
		if m, ok := pl.bases.get(place{p, offset}); ok {
			typ, data, shared = m.typ, m.data, true
			break
		}
		h, content, err := readEntry(pl, f, p.format, offset)
		if err != nil {
			return 0, nil, err
		}
		switch h.typ {
		case plumbing.OFSDeltaObject:
			deltas, offset = append(deltas, delta{offset, content}), h.base
		case plumbing.REFDeltaObject:
			deltas = append(deltas, delta{offset, content})
			at, ok, err := p.find(h.baseID)
			switch {
			case err != nil:
				return 0, nil, err
			case ok:
				offset = at
			default:
				if typ, data, err = other(h.baseID); err != nil {
					return 0, nil, err
				}
			}
		default:
			if typ, data = h.typ, content; len(deltas) == 0 {
				return typ, data, nil
			}
			pl.bases.put(made{place{p, offset}, typ, data})
		}
		if len(deltas) > maxChain {
			return 0, nil, damaged("%s: endless chain of deltas", f.Name())
		}
	}
	for _, d := range slices.Backward(deltas) {
		if data, err = applyDelta(data, d.command); err != nil {
			return 0, nil, damaged("%s: %v", f.Name(), err)
		}
		shared = pl.bases.put(made{place{p, d.at}, typ, data})
	}
	if shared {
		data = bytes.Clone(data)
	}
	return typ, data, nil
}

// applyDelta is go-git's, which refuses the empty base that git takes.
func applyDelta(base, delta []byte) ([]byte, error) {
	if len(base) == 0 && len(delta) > 0 && delta[0] == 0 {
		// Nothing can be copied from an empty base: one byte that no command
		// reaches stands in for it.
		base, delta = []byte{0}, append([]byte{1}, delta[1:]...)
	}
	return packfile.PatchDelta(base, delta)
}

// stat returns type and size of an object without its content.
func (p *pack) stat(pl *pools, offset int64, other func(ID) (Type, int64, error)) (Type, int64, error) {
	f, err := p.open()
	if err != nil {
		return 0, 0, err
	}
	size := int64(-1)
	for range maxChain {
		fl := pl.reader(io.NewSectionReader(f, offset, 1<<62))
		h, err := readHead(fl.br, p.format, offset)
		if err == nil && size < 0 {
			if size = h.size; h.typ.IsDelta() {
				size, err = resultSize(fl)
			}
		}
		pl.putReader(fl)
		switch {
		case err != nil:
			return 0, 0, err
		case h.typ == plumbing.OFSDeltaObject:
			offset = h.base
		case h.typ == plumbing.REFDeltaObject:
			at, ok, err := p.find(h.baseID)
			if err != nil {
				return 0, 0, err
			}
			if !ok {
				typ, _, err := other(h.baseID)
				return typ, size, err
			}
			offset = at
		default:
			return h.typ, size, nil
		}
	}
	return 0, 0, damaged("%s: endless chain of deltas", f.Name())
}

// resultSize reads the second number of a delta, after the size of its base.
func resultSize(fl *inflater) (int64, error) {
	if err := fl.start(); err != nil {
		return 0, err
	}
	var b [20]byte
	n, _ := io.ReadFull(fl.zr, b[:])
	r := bytes.NewReader(b[:n])
	if _, err := uvarint(r); err != nil {
		return 0, err
	}
	return uvarint(r)
}

func uvarint(r io.ByteReader) (n int64, err error) {
	for shift := 0; shift < 63; shift += 7 {
		c, err := r.ReadByte()
		if err != nil {
			return 0, damaged("%v", err)
		}
		n |= int64(c&0x7f) << shift
		if c < 0x80 {
			return n, nil
		}
	}
	return 0, damaged("a number is too long")
}

func readEntry(pl *pools, f io.ReaderAt, format Format, offset int64) (entryHead, []byte, error) {
	fl := pl.reader(io.NewSectionReader(f, offset, 1<<62))
	defer pl.putReader(fl)
	h, err := readHead(fl.br, format, offset)
	if err != nil {
		return h, nil, err
	}
	if err := fl.start(); err != nil {
		return h, nil, err
	}
	data, err := fl.rest(h.size)
	return h, data, err
}

type byteReader interface {
	io.Reader
	io.ByteReader
}

// readHead reads the head of an entry, as gitformat-pack(5) describes it.
func readHead(r byteReader, format Format, offset int64) (h entryHead, err error) {
	c, err := r.ReadByte()
	if err != nil {
		return h, damaged("%v", err)
	}
	h.typ, h.size = Type(c>>4&7), int64(c&15)
	if c&0x80 != 0 {
		n, err := uvarint(r)
		if err != nil {
			return h, err
		}
		if n > 1<<58 {
			return h, damaged("a size is too large")
		}
		h.size |= n << 4
	}
	switch h.typ {
	case Commit, Tree, Blob, Tag:
	case plumbing.OFSDeltaObject:
		back, err := backOffset(r)
		if err != nil {
			return h, err
		}
		if h.base = offset - back; back <= 0 || h.base <= 0 {
			return h, damaged("the base of a delta lies outside its pack")
		}
	case plumbing.REFDeltaObject:
		h.baseID.n = uint8(format.Size())
		if _, err := io.ReadFull(r, h.baseID.b[:h.baseID.n]); err != nil {
			return h, damaged("%v", err)
		}
	default:
		return h, damaged("type %d is unknown", h.typ)
	}
	return h, nil
}

// backOffset reads the distance to a delta's base: seven bits a byte, the
// highest first, and one added for each further byte.
func backOffset(r io.ByteReader) (n int64, err error) {
	for i := range 9 {
		c, err := r.ReadByte()
		if err != nil {
			return 0, damaged("%v", err)
		}
		if i > 0 {
			n++
		}
		n = n<<7 | int64(c&0x7f)
		if c < 0x80 {
			return n, nil
		}
	}
	return 0, damaged("a distance is too long")
}
