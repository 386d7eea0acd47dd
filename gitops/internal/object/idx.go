package object

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"sort"

	"github.com/chordgit/chordgit/gitops/internal/mmap"
)

// An idx is the index of a pack, version 2, read by position: the fan-out
// table when it is opened, one bucket of names for a lookup. git writes the
// file once under another name and never changes it.
type idx struct {
	f      io.ReaderAt
	name   string
	view   []byte // the file mapped, nil if it cannot be
	close  func()
	size   int64       // of a name, in bytes
	length int64       // of the file
	fanout [256]uint32 // names that begin with a byte up to this one
}

const (
	idxMagic   = "\xfftOc\x00\x00\x00\x02"
	idxNames   = int64(len(idxMagic) + 256*4)
	bucketSize = 64 << 10 // bytes of names read at once
)

func openIdx(name string, format Format) (*idx, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	x := &idx{f: f, name: name, size: int64(format.Size()), length: info.Size(), close: func() { f.Close() }}
	if view, unmap, err := mmap.Map(f); err == nil {
		x.view, x.close = view, func() { unmap(); f.Close() }
	}
	if err := x.check(); err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

// check reads the fan-out table. It refuses an index that has not the length of
// one with its number of names: cut short, or with names of another hash, which
// an alternate may have.
func (x *idx) check() error {
	if err := x.readFanout(); err != nil {
		return err
	}
	n := int64(x.fanout[255])
	large := x.length - (idxNames + n*(x.size+4+4) + 2*x.size)
	if large < 0 || large%8 != 0 || large > 8*n {
		return damaged("%s: its length does not fit %d names of %d bytes", x.name, n, x.size)
	}
	return nil
}

// fits reports whether a pack ends as the one that was indexed did: one that was
// cut short, or never came to the disk, holds nothing of what the index names.
func (x *idx) fits(pack *os.File) error {
	want, err := x.bytes(x.length-2*x.size, x.size)
	if err != nil {
		return err
	}
	info, err := pack.Stat()
	if err != nil {
		return err
	}
	got := make([]byte, x.size)
	if _, err := pack.ReadAt(got, max(info.Size()-x.size, 0)); err != nil && err != io.EOF {
		return err
	}
	if !bytes.Equal(got, want) {
		return damaged("%s: it is not the pack that was indexed, or was cut short", pack.Name())
	}
	return nil
}

// bytes returns n bytes at a position, for reading: a mapped index costs no
// call and no copy.
func (x *idx) bytes(at, n int64) ([]byte, error) {
	if x.view != nil && at >= 0 && at <= int64(len(x.view))-n {
		return x.view[at:][:n], nil
	}
	b := make([]byte, n)
	if _, err := x.f.ReadAt(b, at); err != nil {
		return nil, damaged("%s: %v", x.name, err)
	}
	return b, nil
}

func (x *idx) readFanout() error {
	head, err := x.bytes(0, idxNames)
	if err != nil {
		return err
	}
	if string(head[:len(idxMagic)]) != idxMagic {
		return damaged("%s: not a pack index of version 2", x.name)
	}
	last := uint32(0)
	for i := range x.fanout {
		n := binary.BigEndian.Uint32(head[len(idxMagic)+4*i:])
		if n < last {
			return damaged("%s: the fan-out table does not ascend", x.name)
		}
		x.fanout[i], last = n, n
	}
	return nil
}

// find returns where in the pack an object begins.
func (x *idx) find(id ID) (offset int64, ok bool, err error) {
	want := id.Bytes()
	if int64(len(want)) != x.size {
		return 0, false, nil
	}
	lo, hi := int64(0), int64(x.fanout[want[0]])
	if want[0] > 0 {
		lo = int64(x.fanout[want[0]-1])
	}
	// Names are evenly spread: in all but the largest packs the bucket is one
	// short read.
	for (hi-lo)*x.size > bucketSize {
		mid := lo + (hi-lo)/2
		name, err := x.bytes(idxNames+mid*x.size, x.size)
		if err != nil {
			return 0, false, err
		}
		if bytes.Compare(name, want) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	n := int(hi - lo)
	if n == 0 {
		return 0, false, nil
	}
	names, err := x.bytes(idxNames+lo*x.size, (hi-lo)*x.size)
	if err != nil {
		return 0, false, err
	}
	at := func(i int) []byte { return names[i*int(x.size):][:x.size] }
	i := sort.Search(n, func(i int) bool { return bytes.Compare(at(i), want) >= 0 })
	if i == n || !bytes.Equal(at(i), want) {
		return 0, false, nil
	}
	offset, err = x.offset(lo + int64(i))
	return offset, err == nil, err
}

// offset reads the position of the i-th object: four bytes behind names and
// checksums, or, with the top bit set, the number of one of eight bytes.
func (x *idx) offset(i int64) (int64, error) {
	n := int64(x.fanout[255])
	b, err := x.bytes(idxNames+n*(x.size+4)+i*4, 4)
	if err != nil {
		return 0, err
	}
	o := binary.BigEndian.Uint32(b)
	if o>>31 == 0 {
		return int64(o), nil
	}
	if b, err = x.bytes(idxNames+n*(x.size+4+4)+int64(o&0x7fffffff)*8, 8); err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(b) & (1<<63 - 1)), nil
}

// encodeIdx writes the index of a pack whose entries are sorted by name.
func encodeIdx(entries []packEntry, packSum ID) []byte {
	format := packSum.Format()
	b := append(make([]byte, 0, int(idxNames)+len(entries)*(format.Size()+8)+2*format.Size()), idxMagic...)
	var fanout [256]uint32
	for _, e := range entries {
		fanout[e.id.b[0]]++
	}
	n := uint32(0)
	for _, c := range fanout {
		n += c
		b = binary.BigEndian.AppendUint32(b, n)
	}
	for _, e := range entries {
		b = append(b, e.id.Bytes()...)
	}
	for _, e := range entries {
		b = binary.BigEndian.AppendUint32(b, e.crc)
	}
	var large []byte
	for _, e := range entries {
		if e.offset < 1<<31 {
			b = binary.BigEndian.AppendUint32(b, uint32(e.offset))
			continue
		}
		b = binary.BigEndian.AppendUint32(b, 1<<31|uint32(len(large)/8))
		large = binary.BigEndian.AppendUint64(large, uint64(e.offset))
	}
	b = append(b, large...)
	b = append(b, packSum.Bytes()...)
	h := format.New()
	h.Write(b)
	return h.Sum(b)
}
