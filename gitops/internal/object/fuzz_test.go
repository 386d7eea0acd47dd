package object

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func formatOf(long bool) Format {
	if long {
		return SHA256
	}
	return SHA1
}

// A pack's index of any bytes gives an answer or an error, and an answer only
// within the file.
func FuzzIdx(f *testing.F) {
	for _, long := range []bool{false, true} {
		format := formatOf(long)
		one := format.Hash(Blob, []byte("one"))
		entries := []packEntry{{id: one, offset: 12, crc: 1}, {id: format.Hash(Blob, []byte("two")), offset: 1 << 32, crc: 2}}
		if entries[0].id.Compare(entries[1].id) > 0 {
			entries[0], entries[1] = entries[1], entries[0]
		}
		data := encodeIdx(entries, format.Hash(Blob, nil))
		f.Add(long, data, one.Bytes())
		f.Add(!long, data, one.Bytes())
		f.Add(long, data[:len(data)-8], one.Bytes())
		f.Add(long, encodeIdx(nil, format.Hash(Blob, nil)), one.Bytes())
	}
	f.Fuzz(func(t *testing.T, long bool, data, name []byte) {
		format := formatOf(long)
		id, ok := format.FromBytes(name)
		if !ok {
			return
		}
		x := &idx{f: bytes.NewReader(data), size: int64(format.Size()), length: int64(len(data))}
		err := x.check()
		if err == nil {
			_, ok, err = x.find(id)
			if ok && !bytes.Contains(data, id.Bytes()) {
				t.Fatal("found what is not there")
			}
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
	})
}

// An index is read back as it was written, and only with names of its hash.
func TestIdx(t *testing.T) {
	formats(t, func(t *testing.T, format Format) {
		want := map[ID]int64{}
		var entries []packEntry
		for i, offset := range []int64{12, 1<<31 - 1, 1 << 31, 1 << 40} {
			id := format.Hash(Blob, []byte{byte(i)})
			want[id] = offset
			at := 0
			for at < len(entries) && entries[at].id.Compare(id) < 0 {
				at++
			}
			entries = append(entries[:at], append([]packEntry{{id: id, offset: offset}}, entries[at:]...)...)
		}
		file := filepath.Join(t.TempDir(), "x.idx")
		if err := os.WriteFile(file, encodeIdx(entries, format.Hash(Blob, nil)), 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := openIdx(file, format)
		if err != nil {
			t.Fatal(err)
		}
		defer x.close()
		for id, offset := range want {
			if got, ok, err := x.find(id); err != nil || !ok || got != offset {
				t.Errorf("%s: %d %v %v", id, got, ok, err)
			}
		}
		if _, ok, err := x.find(format.Hash(Blob, []byte("none"))); ok || err != nil {
			t.Errorf("%v %v", ok, err)
		}
		other := SHA1 + SHA256 - format
		if _, ok, err := x.find(other.Hash(Blob, []byte{0})); ok || err != nil {
			t.Errorf("a name of the other hash: %v %v", ok, err)
		}
		if x, err := openIdx(file, other); !errors.Is(err, ErrDamaged) {
			x.close()
			t.Errorf("as an index of the other hash: %v", err)
		}
	})
}

func FuzzParseTag(f *testing.F) {
	for _, long := range []bool{false, true} {
		tag := &TagObject{Object: formatOf(long).EmptyTree(), Type: Tree, Name: "t", Tagger: "a <a@x> 1 +0000", Message: "m\n"}
		f.Add(long, tag.Encode())
		f.Add(!long, tag.Encode())
		f.Add(long, []byte("tree "+tag.Object.String()+"\n"))
	}
	f.Fuzz(func(t *testing.T, long bool, data []byte) {
		format := formatOf(long)
		if id, err := format.CommitTree(data); err == nil && id.Format() != format {
			t.Fatalf("%s is of the other hash", id)
		}
		tag, err := format.ParseTag(data)
		if err != nil {
			return
		}
		again, err := format.ParseTag(tag.Encode())
		if err != nil || again.Object != tag.Object || again.Object.Format() != format || again.Name != tag.Name || again.Message != tag.Message {
			t.Fatalf("%+v is read back as %+v, %v", tag, again, err)
		}
	})
}
