package statcache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sample is a top with a, b/ (holding "x\ny" and c/, which is empty), b-, \xff.
func sample() *Tree {
	t := &Tree{}
	add := func(name string, mode fs.FileMode, link int32) {
		n := uint32(len(t.Names))
		t.Names = append(append(t.Names, name...), 0)
		t.Entries = append(t.Entries, Entry{Mtime: int64(n) + 1, Ctime: 2, Ino: 3, Size: 4,
			Mode: mode, Name: n, NameLen: uint16(len(name)), Link: link})
	}
	add("", fs.ModeDir|0o755, 0)
	add("a", 0o644, -1)
	add("b-", fs.ModeSymlink|0o777, -1)
	add("b", fs.ModeDir|0o755, 1)
	add("\xff", 0o755, -1)
	add("c", fs.ModeDir|0o755, 2)
	add("x\ny", 0o600, -1)
	t.Entries[4].Flags, t.Entries[4].Why = Ignored|ByRule, IsIgnored
	t.Dirs = []Dir{{0, 1, 4, -1, Nested, 0}, {3, 5, 2, 0, 0, 0}, {5, 7, 0, 1, Empty, 0}}
	return t
}

func header() *Header {
	return &Header{IDLen: 20, Stamp: 99, Boot: "boot", Synced: true, Dev: 1, Ino: 2,
		Ref: "refs/chordgit/x", Kept: bytes.Repeat([]byte{9}, 20), Rules: [32]byte{1, 2}}
}

func someID(i int) []byte {
	if i == 2 {
		return nil
	}
	return bytes.Repeat([]byte{byte(i + 1)}, 20)
}

func encoded(t testing.TB) []byte {
	var b bytes.Buffer
	if err := encode(&b, header(), sample(), someID); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWriteAndOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cache")
	for range 2 { // the second time it replaces
		if err := Write(name, header(), sample(), someID); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Open(name, 20, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.Copy(); !reflect.DeepEqual(got, sample()) {
		t.Errorf("got %+v\nwant %+v", got, sample())
	}
	if !reflect.DeepEqual(c.Header, *header()) {
		t.Errorf("header %+v", c.Header)
	}
	for i := range c.Len() {
		if !bytes.Equal(c.ID(i), someID(i)) {
			t.Errorf("id %d: %x", i, c.ID(i))
		}
	}
	if names, _ := os.ReadDir(filepath.Dir(name)); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestPaths(t *testing.T) {
	tr := sample()
	want := []string{"a", "b-", "b", "b/c", "b/x\ny", "\xff"}
	var got []string
	tr.Walk(func(p []byte, i int) bool {
		got = append(got, string(p))
		if q := tr.AppendPath([]byte("//"), i); string(q) != "//"+string(p) {
			t.Errorf("path of %d is %q, in the walk %q", i, q, p)
		}
		return true
	})
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if len(tr.AppendPath(nil, 0)) != 0 {
		t.Error("the top has a path")
	}
}

func TestAnotherCacheIsNone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cache")
	if err := Write(name, header(), sample(), someID); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		idLen    int
		dev, ino uint64
	}{{32, 1, 2}, {20, 2, 2}, {20, 1, 3}} {
		if _, err := Open(name, c.idLen, c.dev, c.ino); !errors.Is(err, ErrNone) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := Open(name+"x", 20, 1, 2); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open(filepath.Dir(name), 20, 1, 2); err == nil {
		t.Error("a directory is a cache")
	}
}

// Every torn file and every flipped bit is no cache.
func TestTornCacheIsNone(t *testing.T) {
	good := encoded(t)
	for n := range good {
		if _, err := decode(good[:n]); err == nil {
			t.Errorf("cut to %d of %d bytes: a cache", n, len(good))
		}
		for bit := range 8 {
			bad := slices.Clone(good)
			bad[n] ^= 1 << bit
			if _, err := decode(bad); err == nil {
				t.Errorf("bit %d of byte %d: a cache", bit, n)
			}
		}
	}
	if _, err := decode(append(slices.Clone(good), 0)); err == nil {
		t.Error("a byte too many: a cache")
	}
}

func TestUnsoundCacheIsNone(t *testing.T) {
	for name, edit := range map[string]func(*Tree){
		"no top":                 func(t *Tree) { t.Entries[0].Mode = 0o644 },
		"name out of range":      func(t *Tree) { t.Entries[1].Name = 1 << 31 },
		"name without end":       func(t *Tree) { t.Names[len(t.Names)-1] = 'x' },
		"slash in a name":        func(t *Tree) { t.Names[1] = '/' },
		"dots":                   func(t *Tree) { t.Names[1] = '.' },
		"order":                  func(t *Tree) { t.Names[1] = 'c' },
		"twice":                  func(t *Tree) { t.Entries[2].Name, t.Entries[2].NameLen = t.Entries[1].Name, 1 },
		"loop":                   func(t *Tree) { t.Entries[5].Link = 1 },
		"link to the top":        func(t *Tree) { t.Entries[5].Link = 0 },
		"link out of range":      func(t *Tree) { t.Entries[5].Link = 3 },
		"parent is not one":      func(t *Tree) { t.Dirs[2].Parent = 0 },
		"parent is itself":       func(t *Tree) { t.Dirs[2].Parent = 2 },
		"gap":                    func(t *Tree) { t.Dirs[1].First++ },
		"overlap":                func(t *Tree) { t.Dirs[0].Count++ },
		"count out of range":     func(t *Tree) { t.Dirs[1].Count = 1 << 30 },
		"negative count":         func(t *Tree) { t.Dirs[1].Count = -1 },
		"not all entries":        func(t *Tree) { t.Dirs[1].Count = 1 },
		"directory of a file":    func(t *Tree) { t.Dirs[2].Entry = 6 },
		"why":                    func(t *Tree) { t.Entries[1].Why = 200 },
		"directory of nobody":    func(t *Tree) { t.Entries[5].Link = -1 },
		"entry of another range": func(t *Tree) { t.Dirs[1].Entry = 5 },
	} {
		tr := sample()
		edit(tr)
		var b bytes.Buffer
		if err := encode(&b, header(), tr, someID); err != nil {
			t.Fatal(err)
		}
		if _, err := decode(b.Bytes()); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, edit := range map[string]func(*Header){
		"id length": func(h *Header) { h.IDLen = 21 },
		"tree":      func(h *Header) { h.Kept = []byte{1} },
		"ref":       func(h *Header) { h.Ref = strings.Repeat("r", 1<<16) },
		"ids":       func(h *Header) { h.IDLen, h.Kept = 32, nil },
	} {
		h := header()
		edit(h)
		if err := Write(filepath.Join(dir, "cache"), h, sample(), someID); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

// What decodes must be usable to the last byte.
func FuzzDecode(f *testing.F) {
	good := encoded(f)
	f.Add(good[:len(good)-crcN])
	f.Add(good[:fixed])
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, body []byte) {
		data := binary.LittleEndian.AppendUint32(slices.Clone(body), crc32.Checksum(body, castagnoli))
		c, err := decode(data)
		if err != nil {
			if !errors.Is(err, ErrNone) {
				t.Error(err)
			}
			return
		}
		n := 0
		tr := c.Copy()
		tr.Walk(func(p []byte, i int) bool {
			n++
			c.ID(i)
			if q := tr.AppendPath(nil, i); !bytes.Equal(p, q) {
				t.Errorf("paths %q and %q", p, q)
			}
			return true
		})
		if n != c.Len()-1 {
			t.Errorf("%d of %d entries walked", n, c.Len())
		}
		var again bytes.Buffer
		if err := encode(&again, &c.Header, tr, c.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := decode(again.Bytes()); err != nil {
			t.Error(err)
		}
	})
}
