package object

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"testing"
)

// deflated is the stream of a delta with these lengths and then rest.
func deflated(t testing.TB, level int, base, result uint64, rest []byte) []byte {
	t.Helper()
	delta := binary.AppendUvarint(binary.AppendUvarint(nil, base), result)
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(append(delta, rest...))
	w.Close()
	return b.Bytes()
}

// Whatever the codes of a stream are, the length is the one that was written.
func TestDeltaSize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, level := range []int{zlib.HuffmanOnly, zlib.DefaultCompression, zlib.NoCompression, zlib.BestSpeed, 5, zlib.BestCompression} {
		for i := range 300 {
			base, result := r.Uint64()>>(1+r.IntN(63)), r.Uint64()>>(1+r.IntN(63))
			rest := make([]byte, r.IntN(400))
			for k := range rest {
				rest[k] = byte(r.IntN(1 + i%256))
			}
			stream := deflated(t, level, base, result, rest)
			got, ok := deltaSize(stream)
			if !ok || uint64(got) != result {
				t.Fatalf("level %d: %d, want %d: % x", level, got, result, stream)
			}
			for cut := range min(len(stream), 30) { // a piece is too short, or enough
				if got, ok := deltaSize(stream[:cut]); ok && uint64(got) != result {
					t.Fatalf("level %d cut at %d: %d, want %d: % x", level, cut, got, result, stream)
				}
			}
		}
	}
}

// FuzzDeltaSize: for every stream that inflates, the length is that of the
// general way, or none. Nothing panics.
func FuzzDeltaSize(f *testing.F) {
	for _, level := range []int{zlib.HuffmanOnly, zlib.NoCompression, zlib.BestSpeed, zlib.BestCompression} {
		f.Add(deflated(f, level, 1000, 1<<40, bytes.Repeat([]byte("abc\x90\x05"), 40)))
		f.Add(deflated(f, level, 1<<62, 1<<62, nil))
		f.Add(deflated(f, level, 0, 0, make([]byte, 100)))
	}
	f.Add([]byte{0x78, 0x9c, 0x03, 0x00})
	var pl pools
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, ok := deltaSize(stream)
		z, err := zlib.NewReader(bytes.NewReader(stream))
		if err != nil {
			if ok {
				t.Fatalf("%d out of what has no head: %v", got, err)
			}
			return
		}
		if _, err := io.Copy(io.Discard, io.LimitReader(z, 1<<20)); err != nil {
			return // damaged behind the head, perhaps
		}
		want, err := resultSize(pl.reader(bytes.NewReader(stream)))
		if ok && (err != nil || want != got) {
			t.Fatalf("%d, want %d, %v", got, want, err)
		}
	})
}
