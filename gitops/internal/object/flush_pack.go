package object

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/chordgit/chordgit/gitops/internal/durable"
)

// A packWriter collects a pack: in memory while it is small, which spares a
// second reading of the file for its hash, then in a temporary file.
type packWriter struct {
	db      *DB
	buf     []byte // the pack from position flushed on
	flushed int64
	file    *os.File // nil until the pack has outgrown memory
	entries []packEntry
	index   map[ID]int
}

type packEntry struct {
	id     ID
	offset int64
	crc    uint32
}

const (
	packHead   = 12
	packMemory = 2 << 20 // larger packs are written to the disk as they come
	packChunk  = 1 << 20
)

func newPackWriter(db *DB) *packWriter {
	return &packWriter{db: db, buf: make([]byte, packHead, 256<<10), index: make(map[ID]int)}
}

func (w *packWriter) size() int64 { return w.flushed + int64(len(w.buf)) }

// appendHead writes the head of an entry: three bits of type, the size seven
// bits a byte, the lowest first (four in the first byte).
func appendHead(b []byte, typ Type, size int64) []byte {
	c := byte(typ)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		b = append(b, c|0x80)
		c = byte(size & 0x7f)
	}
	return append(b, c)
}

// deflateEntry appends the entry of an object without a delta.
func (db *DB) deflateEntry(to *bytes.Buffer, typ Type, data []byte) error {
	to.Grow(len(data)/2 + 64)
	to.Write(appendHead(to.AvailableBuffer(), typ, int64(len(data))))
	if len(data) >= halved {
		return deflateHalves(to, data)
	}
	return db.pools.deflate(to, data)
}

func (w *packWriter) append(id ID, entry *bytes.Buffer) error {
	w.entry(id, w.size(), crc32.ChecksumIEEE(entry.Bytes()))
	_, err := w.Write(entry.Bytes())
	return err
}

func (w *packWriter) entry(id ID, offset int64, crc uint32) {
	w.index[id] = len(w.entries)
	w.entries = append(w.entries, packEntry{id: id, offset: offset, crc: crc})
}

// Write appends raw bytes of the pack.
func (w *packWriter) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	limit := packMemory
	if w.file != nil {
		limit = packChunk
	}
	if len(w.buf) < limit {
		return len(p), nil
	}
	return len(p), w.spill()
}

func (w *packWriter) spill() (err error) {
	if w.file == nil {
		if w.file, err = w.temp(); err != nil {
			return err
		}
	}
	if _, err := w.file.WriteAt(w.buf, w.flushed); err != nil {
		return err
	}
	if !w.db.opt.NoSync {
		durable.StartWriteback(w.file)
	}
	w.flushed += int64(len(w.buf))
	w.buf = w.buf[:0]
	return nil
}

func (w *packWriter) dir() string { return filepath.Join(w.db.dirs[0], "pack") }

func (w *packWriter) temp() (*os.File, error) {
	if err := w.db.opt.Perm.MkdirAll(w.dir(), w.db.opt.NoSync); err != nil {
		return nil, err
	}
	return durable.CreateTemp(w.dir(), "tmp_pack_", 0o444, w.db.opt.Perm)
}

// stream appends an object of exactly size bytes and returns its name.
func (w *packWriter) stream(typ Type, r io.Reader, size int64) (ID, error) {
	start := w.size()
	crc := crc32.NewIEEE()
	out := io.MultiWriter(w, crc)
	if _, err := out.Write(appendHead(nil, typ, size)); err != nil {
		return ID{}, err
	}
	z := w.db.pools.writer(out)
	defer w.db.pools.writers.Put(z)
	h := w.db.opt.Format.NewHash(typ, size)
	// One byte more than expected, to see whether there is one.
	switch n, err := io.CopyBuffer(io.MultiWriter(h, z), io.LimitReader(r, size+1), make([]byte, 256<<10)); {
	case err != nil:
		return ID{}, err
	case n != size:
		return ID{}, ErrSize
	}
	if err := z.Close(); err != nil {
		return ID{}, err
	}
	id := w.db.opt.Format.Sum(h)
	if _, again := w.index[id]; !again {
		w.entry(id, start, crc.Sum32())
	}
	return id, nil
}

// A mark is a state to which the pack can be cut back.
type mark struct {
	size    int64
	entries int
}

func (w *packWriter) mark() mark { return mark{size: w.size(), entries: len(w.entries)} }

func (w *packWriter) cut(m mark) error {
	for _, e := range w.entries[m.entries:] {
		delete(w.index, e.id)
	}
	w.entries = w.entries[:m.entries]
	if m.size >= w.flushed {
		w.buf = w.buf[:m.size-w.flushed]
		return nil
	}
	w.buf, w.flushed = w.buf[:0], m.size
	return w.file.Truncate(m.size)
}

// read returns an object of the unfinished pack.
func (w *packWriter) read(id ID) (Type, []byte, error) {
	i, ok := w.index[id]
	if !ok {
		return 0, nil, &Error{ID: id, Err: ErrMissing}
	}
	var src io.ReaderAt = bytes.NewReader(w.buf)
	if w.file != nil {
		if err := w.spill(); err != nil {
			return 0, nil, err
		}
		src = w.file
	}
	h, data, err := readEntry(&w.db.pools, src, w.db.opt.Format, w.entries[i].offset)
	return h.typ, data, err
}

// finish writes the pack and its index, content before names, and puts the
// pack in place before the index that makes it visible.
func (w *packWriter) finish(keep bool) error {
	if len(w.entries) == 0 {
		return w.abort()
	}
	sum, err := w.complete()
	if err != nil {
		return joinErr(err, w.abort())
	}
	pack := w.file
	w.file = nil // from here on Place removes it
	slices.SortFunc(w.entries, func(a, b packEntry) int { return a.id.Compare(b.id) })
	idx, err := w.temp()
	if err == nil {
		_, err = idx.Write(encodeIdx(w.entries, sum))
	}
	if err == nil {
		err = w.sync(pack, idx)
	}
	if err != nil {
		return joinErr(err, discard(pack, idx))
	}
	base := filepath.Join(w.dir(), "pack-"+sum.String())
	if err := w.place(pack, base+".pack"); err != nil {
		return joinErr(err, discard(idx))
	}
	if keep {
		if err := w.writeKeep(base + ".keep"); err != nil {
			return joinErr(err, discard(idx))
		}
	}
	if err := w.place(idx, base+".idx"); err != nil {
		return err
	}
	if err := w.db.syncDirs([]string{w.dir()}); err != nil {
		return err
	}
	return w.register(base)
}

// register makes the new pack known, and opens it: should a `git repack` drop
// it before a ref names its objects, Verify can write them again.
func (w *packWriter) register(base string) error {
	for _, p := range w.db.list(true) {
		if p.base != base {
			continue
		}
		if _, _, err := p.find(w.entries[0].id); err != nil {
			return err
		}
		_, err := p.open()
		return err
	}
	return nil // gone already: Verify will say so
}

func (w *packWriter) place(f *os.File, name string) error {
	return durable.Place(f, name, 0o444, w.db.opt.Perm, w.db.opt.NoSync)
}

// complete writes the number of objects and the hash of everything, with
// which a pack begins and ends, and returns the hash.
func (w *packWriter) complete() (ID, error) {
	head := append(make([]byte, 0, packHead), "PACK\x00\x00\x00\x02"...)
	head = binary.BigEndian.AppendUint32(head, uint32(len(w.entries)))
	h := w.db.opt.Format.New()
	if w.file == nil {
		copy(w.buf, head)
		h.Write(w.buf)
		id := w.db.opt.Format.Sum(h)
		w.buf = append(w.buf, id.Bytes()...)
		return id, w.spill()
	}
	if err := w.spill(); err != nil {
		return ID{}, err
	}
	if _, err := w.file.WriteAt(head, 0); err != nil {
		return ID{}, err
	}
	if _, err := io.CopyBuffer(h, io.NewSectionReader(w.file, 0, w.flushed), make([]byte, packChunk)); err != nil {
		return ID{}, err
	}
	id := w.db.opt.Format.Sum(h)
	_, err := w.file.WriteAt(id.Bytes(), w.flushed)
	return id, err
}

func (w *packWriter) sync(files ...*os.File) error {
	if w.db.opt.NoSync {
		return nil
	}
	for _, f := range files {
		durable.StartWriteback(f)
	}
	return together(files, fsync)
}

func (w *packWriter) writeKeep(name string) error {
	f, err := w.temp()
	if err != nil {
		return err
	}
	if _, err := f.WriteString(keepText); err != nil {
		return joinErr(err, discard(f))
	}
	return w.place(f, name)
}

// abort removes the temporary file.
func (w *packWriter) abort() error {
	f := w.file
	w.file, w.entries, w.buf = nil, nil, nil
	return discard(f)
}

func discard(files ...*os.File) error {
	var err error
	for _, f := range files {
		if f != nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	return err
}
