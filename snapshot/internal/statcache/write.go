package statcache

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
)

// Write replaces the cache file. Nothing is flushed to the disk: a cache that a
// power cut tears has no right CRC, and losing it costs time only.
//
// The function id returns the id of an entry, nil if there is none. To be
// trusted by a later scan it must be that of bytes which were read after the
// stamp h.Stamp was taken and by which nobody was writing, or one that this
// scan trusted; of anything else nothing may be returned.
func Write(name string, h *Header, t *Tree, id func(i int) []byte) (err error) {
	if err := h.fits(t); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	err = encode(f, h, t, id)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

func (h *Header) fits(t *Tree) error {
	size := fixed + int64(len(t.Entries))*int64(entryN+h.IDLen) + int64(len(t.Dirs))*dirN +
		int64(len(t.Names)) + int64(len(h.Boot)+len(h.Ref)) + crcN
	switch {
	case h.IDLen != 20 && h.IDLen != 32:
		return fmt.Errorf("stat cache: ids of %d bytes", h.IDLen)
	case h.Kept != nil && len(h.Kept) != h.IDLen:
		return fmt.Errorf("stat cache: id of %d bytes in the header", len(h.Kept))
	case len(h.Boot) > math.MaxUint16 || len(h.Ref) > math.MaxUint16:
		return fmt.Errorf("stat cache: name of ref or boot is too long")
	case size > maxFile:
		return fmt.Errorf("stat cache: %d bytes are too many", size)
	}
	return nil
}

func encode(to io.Writer, h *Header, t *Tree, id func(int) []byte) error {
	w := &writer{to: to, buf: make([]byte, 0, 256<<10)}
	w.header(h, t)
	var b [entryN]byte
	for i := range t.Entries {
		t.Entries[i].put(&b)
		w.put(b[:])
	}
	var none [32]byte
	for i := range t.Entries {
		x := id(i)
		if x == nil {
			x = none[:h.IDLen]
		}
		if len(x) != h.IDLen {
			return fmt.Errorf("stat cache: id of %d bytes", len(x))
		}
		w.put(x)
	}
	le := binary.LittleEndian
	for k := range t.Dirs {
		d := &t.Dirs[k]
		le.PutUint32(b[0:], uint32(d.Entry))
		le.PutUint32(b[4:], uint32(d.First))
		le.PutUint32(b[8:], uint32(d.Count))
		le.PutUint32(b[12:], uint32(d.Parent))
		le.PutUint32(b[16:], uint32(d.Flags&keptDirFlags))
		w.put(b[:dirN])
	}
	w.put(t.Names)
	w.put([]byte(h.Boot))
	w.put([]byte(h.Ref))
	return w.finish()
}

// put encodes e; what is of one scan only is left out.
func (e *Entry) put(b *[entryN]byte) {
	le := binary.LittleEndian
	le.PutUint64(b[0:], uint64(e.Mtime))
	le.PutUint64(b[8:], uint64(e.Ctime))
	le.PutUint64(b[16:], e.Ino)
	le.PutUint64(b[24:], uint64(e.Size))
	le.PutUint32(b[32:], uint32(e.Mode))
	le.PutUint32(b[36:], e.Name)
	le.PutUint16(b[40:], e.NameLen)
	b[42], b[43] = byte(e.Flags&keptFlags), byte(e.Why)
	link := e.Link
	if !e.Mode.IsDir() {
		link = -1
	}
	le.PutUint32(b[44:], uint32(link))
}

// A writer counts what it writes into the checksum, a buffer at a time.
type writer struct {
	to  io.Writer
	buf []byte
	sum uint32
	err error
}

func (w *writer) put(b []byte) {
	if len(b) > cap(w.buf)-len(w.buf) {
		w.flush()
	}
	if len(b) > cap(w.buf) {
		w.pass(b)
		return
	}
	w.buf = append(w.buf, b...)
}

func (w *writer) flush() {
	w.pass(w.buf)
	w.buf = w.buf[:0]
}

func (w *writer) pass(b []byte) {
	w.sum = crc32.Update(w.sum, castagnoli, b)
	if w.err == nil {
		_, w.err = w.to.Write(b)
	}
}

// finish writes what is left, and the checksum.
func (w *writer) finish() error {
	w.flush()
	w.pass(binary.LittleEndian.AppendUint32(nil, w.sum))
	return w.err
}

func (w *writer) header(h *Header, t *Tree) {
	var b [fixed]byte
	le := binary.LittleEndian
	copy(b[:], magic)
	le.PutUint16(b[8:], version)
	b[10] = byte(h.IDLen)
	for flag, set := range map[byte]bool{headCoarse: h.Coarse, headSynced: h.Synced, headOtherFS: h.OtherFS} {
		if set {
			b[11] |= flag
		}
	}
	le.PutUint32(b[12:], uint32(len(t.Entries)))
	le.PutUint32(b[16:], uint32(len(t.Dirs)))
	le.PutUint32(b[20:], uint32(len(t.Names)))
	le.PutUint16(b[24:], uint16(len(h.Boot)))
	le.PutUint16(b[26:], uint16(len(h.Ref)))
	le.PutUint64(b[32:], uint64(h.Stamp))
	le.PutUint64(b[40:], h.Dev)
	le.PutUint64(b[48:], h.Ino)
	copy(b[56:], h.Rules[:])
	copy(b[88:], h.Kept)
	w.put(b[:])
}
