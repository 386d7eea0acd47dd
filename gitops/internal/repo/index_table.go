package repo

import "encoding/binary"

// An IndexTable reaches the entries of an index by position, without a copy of
// them: 100,000 entries cost 400 kB. It is valid while the index is open.
type IndexTable struct {
	x     *Index
	at    []uint32 // where in the data the entries begin
	names []byte   // version 4 alone, whose names are not whole: all names
	ends  []uint32 // in names
}

// Table makes the table of an index that was read flat. One that came through
// the git program has an empty table: it knows nothing of files.
func (x *Index) Table() *IndexTable {
	t := &IndexTable{x: x}
	if x.data == nil {
		return t
	}
	t.at = make([]uint32, 0, x.count)
	x.each(func(r *rawEntry) bool {
		t.at = append(t.at, uint32(r.at))
		if x.version == 4 {
			t.names = append(t.names, r.path...)
			t.ends = append(t.ends, uint32(len(t.names)))
		}
		return true
	})
	return t
}

// Mtime returns the mtime of the index's file in nanoseconds, by the clock of
// its file system: a file with a time before it was seen by git as it was then.
// It is 0 if the index did not come from one file.
func (x *Index) Mtime() int64 { return x.mtime }

// Len returns the number of entries.
func (t *IndexTable) Len() int { return len(t.at) }

// Path returns the path of the i-th entry, in place. Entries are in the order
// of their paths, then of their stages.
func (t *IndexTable) Path(i int) []byte {
	if t.x.version == 4 {
		start := uint32(0)
		if i > 0 {
			start = t.ends[i-1]
		}
		return t.names[start:t.ends[i]]
	}
	r := t.raw(i)
	return r.path
}

// Entry returns the i-th entry without its path.
func (t *IndexTable) Entry(i int) IndexEntry {
	r := t.raw(i)
	r.path = nil
	return r.entry()
}

func (t *IndexTable) raw(i int) rawEntry {
	data := t.x.data
	at := int(t.at[i])
	size := t.x.format.Size()
	r := rawEntry{at: at, format: t.x.format, fixed: data[at:][:entryID+size+2]}
	name := at + len(r.fixed)
	flags := r.flags()
	if flags&flagExtended != 0 {
		r.extended = binary.BigEndian.Uint16(data[name:])
		name += 2
	}
	if t.x.version < 4 {
		r.path = data[name:][:nameLength(data[name:len(data)-size], flags)]
	}
	return r
}
