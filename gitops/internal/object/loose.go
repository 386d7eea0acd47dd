package object

import (
	"bytes"
	"hash"
	"io"
	"os"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
)

// A looseFile is an object in a file of its own, read up to its content.
type looseFile struct {
	db   *DB
	f    *os.File
	fl   *inflater
	typ  Type
	size int64
}

func (db *DB) openLoose(name string) (*looseFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	l := &looseFile{db: db, f: f, fl: db.pools.reader(f)}
	if err := l.readHeader(); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *looseFile) readHeader() error {
	if err := l.fl.start(); err != nil {
		return err
	}
	var head [32]byte // "commit " and 19 digits are 26
	for i := range head {
		if _, err := io.ReadFull(l.fl.zr, head[i:i+1]); err != nil {
			return damaged("%v", err)
		}
		if head[i] != 0 {
			continue
		}
		word, number, _ := bytes.Cut(head[:i], []byte(" "))
		typ, err := plumbing.ParseObjectType(string(word))
		if err != nil || typ.IsDelta() {
			return damaged("type %q is unknown", word)
		}
		size, err := strconv.ParseInt(string(number), 10, 64)
		if err != nil || size < 0 {
			return damaged("size %q is none", number)
		}
		l.typ, l.size = typ, size
		return nil
	}
	return damaged("its header does not end")
}

func (l *looseFile) close() {
	l.db.pools.putReader(l.fl)
	l.f.Close()
}

func (db *DB) readLoose(name string) (Type, []byte, error) {
	l, err := db.openLoose(name)
	if err != nil {
		return 0, nil, err
	}
	defer l.close()
	data, err := l.fl.rest(l.size)
	return l.typ, data, err
}

// A Reader reads the content of one object as a stream. At its end the
// content is compared with the object's name: io.EOF means that all is well.
type Reader struct {
	Type Type
	Size int64

	id    ID
	r     io.Reader
	left  int64
	hash  hash.Hash // nil if the content was checked before
	check func() error
	done  func()
}

// Reader opens an object as a stream where its storage allows that: loose, or
// whole in a pack. Deltas are applied in memory.
func (db *DB) Reader(id ID) (*Reader, error) {
	if p, at := db.locate(id, false, false); p != nil {
		if f, err := p.open(); err == nil {
			fl := db.pools.reader(io.NewSectionReader(f, at, 1<<62))
			if h, err := readHead(fl.br, p.format, at); err == nil && !h.typ.IsDelta() && fl.start() == nil {
				return newReader(id, h.typ, h.size, fl, func() { db.pools.putReader(fl) }), nil
			}
			db.pools.putReader(fl)
		}
	} else {
		for _, dir := range db.dirs {
			if l, err := db.openLoose(loosePath(dir, id)); err == nil {
				return newReader(id, l.typ, l.size, l.fl, l.close), nil
			}
		}
	}
	typ, data, err := db.Read(id)
	if err != nil {
		return nil, err
	}
	return toReader(typ, data), nil
}

func newReader(id ID, typ Type, size int64, fl *inflater, done func()) *Reader {
	return &Reader{
		Type: typ, Size: size, id: id, left: size,
		r: fl.zr, hash: id.Format().NewHash(typ, size), check: fl.end, done: done,
	}
}

func (r *Reader) Read(p []byte) (int, error) {
	if r.hash == nil {
		return r.r.Read(p)
	}
	if r.left == 0 {
		if err := r.check(); err != nil {
			return 0, &Error{ID: r.id, Err: err}
		}
		if r.id.Format().Sum(r.hash) != r.id {
			return 0, &Error{ID: r.id, Err: damaged("its content has another hash")}
		}
		return 0, io.EOF
	}
	if int64(len(p)) > r.left {
		p = p[:r.left]
	}
	n, err := r.r.Read(p)
	r.hash.Write(p[:n])
	if r.left -= int64(n); err != nil && (err != io.EOF || r.left > 0) {
		return n, &Error{ID: r.id, Err: damaged("%v", err)}
	}
	return n, nil
}

// Close gives back what the stream holds.
func (r *Reader) Close() error {
	if r.done != nil {
		r.done()
		r.done, r.r, r.check = nil, bytes.NewReader(nil), func() error { return os.ErrClosed }
	}
	return nil
}
