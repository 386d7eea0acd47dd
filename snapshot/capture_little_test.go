package snapshot

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// hashes is a vault that keeps ids alone.
type hashes struct{ sync.Map }

func (*hashes) IDLen() int { return sha1.Size }

func (v *hashes) Has(id []byte) bool { _, ok := v.Load(string(id)); return ok }

func (v *hashes) Blob(r io.Reader, size int64) ([]byte, error) {
	id, err := memory{}.ID(r, size)
	if err != nil {
		return nil, err
	}
	raw, err := hex.DecodeString(id)
	v.Store(string(raw), true)
	return raw, err
}

func (v *hashes) Tree(entries []TreeEntry) ([]byte, error) {
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "%o %s\x00%s", e.Mode, e.Name, e.ID)
	}
	id := sha1.Sum(b.Bytes())
	v.Store(string(id[:]), true)
	return id[:], nil
}

// TestLittle: a cache that stays as it is although something changed hides nothing
// from later captures: after each of many changes of all kinds a capture with the
// cache sees what one sees that reads every file.
func TestLittle(t *testing.T) {
	defer func(was int) { worth = was }(worth)
	worth = 1
	dir, state := t.TempDir(), t.TempDir()
	rnd := rand.New(rand.NewPCG(3, 14))
	name := func() string {
		return filepath.Join(dir, fmt.Sprintf("d%d", rnd.IntN(10)), fmt.Sprintf("e%d", rnd.IntN(5)), fmt.Sprintf("f%d", rnd.IntN(30)))
	}
	write := func(name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte{'a' + byte(rnd.IntN(20)), '\n'}, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for range 1500 {
		write(name())
	}
	time.Sleep(20 * time.Millisecond) // so that the first cache trusts them
	w, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	vault := &hashes{}
	capture := func(reread bool) *Capture {
		t.Helper()
		c, err := w.Capture(context.Background(), CaptureOptions{
			Dir: state, Vault: vault, Reread: reread,
			Kept: func(string, []byte) bool { return true },
		})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	kept, written := 0, 0
	file := func() os.FileInfo {
		fi, _ := os.Stat(filepath.Join(state, CacheName))
		return fi
	}
	ref := "first"
	for range 60 {
		for range rnd.IntN(3) {
			switch p := name(); rnd.IntN(5) {
			case 0:
				os.Remove(p)
			case 1:
				os.RemoveAll(filepath.Dir(p))
			case 2:
				os.Rename(p, name())
			default:
				write(p) // mostly of the same size, often in the same tick of the clock
			}
		}
		want := capture(true)
		want.Close()
		before := file()
		c := capture(false)
		if !bytes.Equal(c.Tree, want.Tree) {
			t.Fatalf("after %d kept and %d written caches: %x, not %x", kept, written, c.Tree, want.Tree)
		}
		if err := c.Save(ref, nil); err != nil {
			t.Fatal(err)
		}
		c.Close()
		ref = ""
		if before != nil && os.SameFile(before, file()) {
			kept++
		} else {
			written++
		}
	}
	if kept < 15 || written < 5 {
		t.Errorf("%d caches were kept and %d written", kept, written)
	}
}
