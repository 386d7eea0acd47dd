package object

import (
	"cmp"
	"io"
	"slices"
)

// Each calls f once for each of the ids, with its position and its content to
// be read, or why there is none. The order is that of the packs, in which
// deltas find their bases just made. f is called by the caller's goroutine and
// need not close; small objects are read ahead of it by others, at most
// stretch × stretches × ahead bytes. An error of f ends it.
func (db *DB) Each(ids []ID, f func(i int, r io.Reader, err error) error) error {
	wants := db.wants(ids)
	var parts []chan []content
	begin := func() {
		from := len(parts) * stretch
		if from >= len(wants) {
			return
		}
		part := make(chan []content, 1)
		parts = append(parts, part)
		go func() { part <- db.readAhead(wants[from:min(from+stretch, len(wants))]) }()
	}
	for range stretches {
		begin()
	}
	defer func() { // nothing reads on after the return
		for _, part := range parts {
			if part != nil {
				<-part
			}
		}
	}()
	for k := 0; k < len(parts); k++ {
		contents := <-parts[k]
		parts[k] = nil
		begin()
		for _, c := range contents {
			if err := c.give(db, f); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	stretch   = 16        // objects that one goroutine reads one after another
	stretches = 4         // that many at a time
	ahead     = 128 << 10 // the largest object read before its turn
)

// A want is an object to be read by Each.
type want struct {
	i     int // its position among the ids
	id    ID
	pack  int // -1: in none
	at    int64
	small bool
}

// wants returns the ids as they lie in the packs, then those that do not.
func (db *DB) wants(ids []ID) []want {
	wants := make([]want, len(ids))
	numbers := make(map[*pack]int)
	for i, id := range ids {
		w := want{i: i, id: id, pack: -1}
		if p, at := db.locate(id, false, false); p != nil {
			n, ok := numbers[p]
			if !ok {
				n = len(numbers)
				numbers[p] = n
			}
			w.pack, w.at = n, at
			size, err := p.size(&db.pools, at)
			w.small = err == nil && size <= ahead
		} else {
			size, ok := db.Size(id)
			w.small = ok && size <= ahead
		}
		wants[i] = w
	}
	slices.SortStableFunc(wants, func(a, b want) int {
		if a.pack < 0 || b.pack < 0 {
			return cmp.Compare(b.pack, a.pack)
		}
		return cmp.Or(cmp.Compare(a.pack, b.pack), cmp.Compare(a.at, b.at))
	})
	return wants
}

// A content is a want that was read, if it is small.
type content struct {
	want
	r   io.Reader // nil: still to be opened
	err error
}

func (db *DB) readAhead(wants []want) []content {
	contents := make([]content, len(wants))
	for i, w := range wants {
		contents[i].want = w
		if w.small {
			typ, data, err := db.Read(w.id)
			contents[i].r, contents[i].err = toReader(typ, data), err
		}
	}
	return contents
}

func (c content) give(db *DB, f func(i int, r io.Reader, err error) error) error {
	if c.r != nil || c.err != nil {
		return f(c.i, c.r, c.err)
	}
	r, err := db.Reader(c.id)
	if err != nil {
		return f(c.i, nil, err)
	}
	defer r.Close()
	return f(c.i, r, nil)
}
