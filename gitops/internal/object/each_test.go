package object

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

// Every content comes once, whole and with its own position: out of chains of
// deltas, loose, larger than what is read ahead, asked for twice. What is missing
// is told in its turn.
func TestEach(t *testing.T) {
	r := gittest.New(t)
	text := strings.Repeat("line of text\n", 500)
	for i := range 60 {
		r.Write("f", text+strings.Repeat("x", i))
		r.Commit()
	}
	r.Git("repack", "-adfq", "--depth=50")
	large := bytes.Repeat([]byte("0123456789abcde\n"), ahead/8)
	want := map[int]string{}
	var ids []ID
	db, err := Open(r.GitDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	add := func(content string) {
		want[len(ids)] = content
		ids = append(ids, SHA1.Hash(Blob, []byte(content)))
	}
	for i := range 60 {
		add(text + strings.Repeat("x", i))
	}
	for i := range 40 {
		s := fmt.Sprintln("loose", i)
		r.GitIn(s, "hash-object", "-w", "--stdin")
		add(s)
	}
	r.GitIn(string(large), "hash-object", "-w", "--stdin")
	add(string(large))
	add(want[7])
	missing := len(ids)
	ids = append(ids, SHA1.Hash(Blob, []byte("nowhere")))
	rand.Shuffle(len(ids), func(i, j int) {
		if i == missing || j == missing {
			return
		}
		ids[i], ids[j], want[i], want[j] = ids[j], ids[i], want[j], want[i]
	})
	seen := map[int]int{}
	if err := db.Each(ids, func(i int, c io.Reader, err error) error {
		seen[i]++
		if i == missing {
			if !errors.Is(err, ErrMissing) {
				t.Errorf("the missing one: %v", err)
			}
			return nil
		}
		if err != nil {
			t.Errorf("%d: %v", i, err)
			return nil
		}
		if data, err := io.ReadAll(c); err != nil || string(data) != want[i] {
			t.Errorf("%d: %d bytes of %d: %v", i, len(data), len(want[i]), err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range ids {
		if seen[i] != 1 {
			t.Errorf("%d came %d times", i, seen[i])
		}
	}
	// An error ends it, and nothing more comes.
	stop, calls := errors.New("stop"), 0
	if err := db.Each(ids, func(int, io.Reader, error) error {
		if calls++; calls == 3 {
			return stop
		}
		return nil
	}); err != stop || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
	if err := db.Each(nil, func(int, io.Reader, error) error { return stop }); err != nil {
		t.Error(err)
	}
}

// What is kept of bases stays within its limit, and is never what a caller gets:
// that may be changed.
func TestBases(t *testing.T) {
	var b bases
	p := &pack{}
	for i := range 100 {
		b.put(made{place{p, int64(i)}, Blob, make([]byte, basesLimit/10)})
		b.get(place{p, 0}) // used all the time
	}
	b.put(made{place{p, 1000}, Blob, make([]byte, basesLimit/2)})
	if b.size > basesLimit || len(b.at) != b.used.Len() || len(b.at) < 5 {
		t.Errorf("%d bytes, %d and %d entries", b.size, len(b.at), b.used.Len())
	}
	for at, there := range map[int64]bool{0: true, 1: false, 99: true, 1000: false} {
		if _, ok := b.get(place{p, at}); ok != there {
			t.Errorf("%d is kept: %v", at, ok)
		}
	}

	r := gittest.New(t)
	text := strings.Repeat("line of text\n", 500)
	var ids []ID
	for i := range 20 {
		s := text + strings.Repeat("x", i)
		r.Write("f", s)
		r.Commit()
		ids = append(ids, SHA1.Hash(Blob, []byte(s)))
	}
	r.Git("repack", "-adfq", "--depth=50")
	db, err := Open(r.GitDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 3 {
		for i, id := range ids {
			_, data, err := db.Read(id)
			if err != nil || string(data) != text+strings.Repeat("x", i) {
				t.Fatalf("%d: %v", i, err)
			}
			clear(data)
		}
	}
	if len(db.pools.bases.at) == 0 {
		t.Error("no base was kept: nothing was tried")
	}
}
