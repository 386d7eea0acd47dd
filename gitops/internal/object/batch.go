package object

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Fewer objects and bytes than these are written loose, otherwise one pack: a
// thousand loose objects cost up to a second where files were deleted lately,
// and more than 50 packs make the user's next git command start gc.
const (
	looseObjects = 48
	looseBytes   = 8 << 20
)

// A Batch collects new objects and writes them in one go. Nothing but
// temporary files is written before Flush. It is safe for concurrent use:
// hashing and deflating are done by the calling goroutine.
type Batch struct {
	db *DB

	mu      sync.Mutex
	objects map[ID]*pending
	loose   []*pending // not in the pack: waiting, then written loose
	bytes   int64      // of loose
	kept    int64      // bytes of reused objects held for Verify
	pack    *packWriter
	stats   Stats
	err     error // the first failure of a write: what was added may be lost
}

// fail remembers an error, so that no later Flush succeeds without the
// objects of the one that failed.
func (b *Batch) fail(err *error) {
	if b.err == nil {
		b.err = *err
	}
}

// A pending object is known to the batch.
type pending struct {
	id     ID
	typ    Type
	data   []byte // nil if too large to be held
	reused bool   // the store has it
}

// Stats says what a batch came to.
type Stats struct {
	New, Reused int
	Bytes       int64 // of new objects, before deflating
}

// NewBatch begins a batch. It must be given back by Close.
func (db *DB) NewBatch() *Batch {
	return &Batch{db: db, objects: make(map[ID]*pending)}
}

// Stats returns the numbers up to now.
func (b *Batch) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stats
}

// Blob adds a blob. The data may be changed afterwards.
func (b *Batch) Blob(data []byte) (ID, error) { return b.Object(Blob, data) }

// Tree adds a tree; see EncodeTree.
func (b *Batch) Tree(entries []Entry) (ID, error) {
	for _, e := range entries {
		if err := b.db.check(e.ID); err != nil && !e.ID.IsZero() {
			return ID{}, err
		}
	}
	data, err := EncodeTree(entries)
	if err != nil {
		return ID{}, err
	}
	return b.Object(Tree, data)
}

// Object adds an object of any type. One that the repository's own store has
// is not written again: its time is refreshed, so that no gc takes it for
// garbage before a ref names it. One that only an alternate has is written.
func (b *Batch) Object(typ Type, data []byte) (ID, error) {
	id := b.db.opt.Format.Hash(typ, data)
	if b.knows(id) {
		return id, nil
	}
	p := &pending{id: id, typ: typ}
	if b.db.HasOwn(id) && b.db.freshen(id) {
		p.reused = true
		return id, b.add(p, data)
	}
	if int64(len(data)) < looseBytes && !b.packing() {
		return id, b.add(p, data)
	}
	e := b.db.pools.buffer()
	defer b.db.pools.buffers.Put(e)
	if err := b.db.deflateEntry(e, typ, data); err != nil {
		return ID{}, err
	}
	return id, b.addPacked(p, e, data)
}

func (b *Batch) knows(id ID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.objects[id] != nil
}

func (b *Batch) packing() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pack != nil
}

// add takes an object in that is not in the pack, and turns to a pack when
// there are too many of them.
func (b *Batch) add(p *pending, data []byte) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.fail(&err)
	if b.objects[p.id] != nil {
		return nil
	}
	b.objects[p.id] = p
	size := int64(len(data))
	if p.reused {
		b.stats.Reused++
		if b.kept+size < looseBytes {
			p.data = bytes.Clone(data)
			b.kept += size
		}
		return nil
	}
	b.stats.New++
	b.stats.Bytes += size
	p.data = append(make([]byte, 0, size), data...) // never nil
	if b.pack != nil {
		return b.toPack(p)
	}
	b.loose = append(b.loose, p)
	if b.bytes += size; len(b.loose) < looseObjects && b.bytes < looseBytes {
		return nil
	}
	return b.startPack()
}

// startPack turns from loose objects to a pack.
func (b *Batch) startPack() error {
	if b.pack == nil {
		b.pack = newPackWriter(b.db)
	}
	waiting := b.loose
	b.loose, b.bytes = nil, 0
	for _, p := range waiting {
		if err := b.toPack(p); err != nil {
			return err
		}
	}
	return nil
}

func (b *Batch) toPack(p *pending) error {
	e := b.db.pools.buffer()
	defer b.db.pools.buffers.Put(e)
	if err := b.db.deflateEntry(e, p.typ, p.data); err != nil {
		return err
	}
	p.drop()
	return b.pack.append(p.id, e)
}

// drop lets go of content that can be read from the pack; trees are asked for
// again by the next overlay.
func (p *pending) drop() {
	if p.typ == Blob || len(p.data) > 64<<10 {
		p.data = nil
	}
}

func (b *Batch) addPacked(p *pending, entry *bytes.Buffer, data []byte) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.fail(&err)
	if b.objects[p.id] != nil {
		return nil
	}
	if b.pack == nil {
		if err := b.startPack(); err != nil {
			return err
		}
	}
	if err := b.pack.append(p.id, entry); err != nil {
		return err
	}
	if p.typ != Blob {
		p.data = bytes.Clone(data)
		p.drop()
	}
	b.objects[p.id] = p
	b.stats.New++
	b.stats.Bytes += int64(len(data))
	return nil
}

// BlobFrom adds a blob of exactly size bytes from a stream, which it does not
// hold in memory. If the stream has more or fewer bytes, nothing is added and
// the error is ErrSize.
func (b *Batch) BlobFrom(r io.Reader, size int64) (ID, error) {
	if size < looseBytes {
		buf := b.db.pools.buffer()
		defer b.db.pools.buffers.Put(buf)
		buf.Grow(int(size) + 1)
		data := buf.AvailableBuffer()[:size+1] // one more: is that the end?
		switch n, err := io.ReadFull(r, data); {
		case int64(n) == size && (err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)):
			return b.Blob(data[:size])
		default:
			return ID{}, sizeError(err)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pack == nil {
		if err := b.startPack(); err != nil {
			return ID{}, err
		}
	}
	start := b.pack.mark()
	id, err := b.pack.stream(Blob, r, size)
	if err != nil {
		return ID{}, joinErr(err, b.pack.cut(start))
	}
	known := b.objects[id] != nil
	if !known && b.db.HasOwn(id) && b.db.freshen(id) {
		b.objects[id] = &pending{id: id, typ: Blob, reused: true}
		b.stats.Reused++
		known = true
	}
	if known {
		return id, b.pack.cut(start)
	}
	b.objects[id] = &pending{id: id, typ: Blob}
	b.stats.New++
	b.stats.Bytes += size
	return id, nil
}

// ErrSize is returned by BlobFrom.
var ErrSize = fmt.Errorf("the content changed its size while it was read")

func sizeError(err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrSize
	}
	return err
}

// Read returns an object of the batch or of the store.
func (b *Batch) Read(id ID) (Type, []byte, error) {
	b.mu.Lock()
	p := b.objects[id]
	if p == nil || p.reused && p.data == nil {
		b.mu.Unlock()
		return b.db.Read(id)
	}
	defer b.mu.Unlock()
	if p.data != nil {
		return p.typ, p.data, nil
	}
	if b.pack == nil {
		return b.db.Read(id)
	}
	return b.pack.read(id)
}

// ReadAs is Read for an object that must be of one type.
func (b *Batch) ReadAs(typ Type, id ID) ([]byte, error) {
	got, data, err := b.Read(id)
	if err == nil && got != typ {
		return nil, &Error{ID: id, Err: damaged("a %s where a %s should be", got, typ)}
	}
	return data, err
}

// Close drops what was not flushed and removes temporary files.
func (b *Batch) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects, b.loose = map[ID]*pending{}, nil
	if b.pack == nil {
		return nil
	}
	w := b.pack
	b.pack = nil
	return w.abort()
}
