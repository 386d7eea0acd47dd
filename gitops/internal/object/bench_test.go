package object

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

// text makes content that deflates as source code does.
func text(seed uint64, size int) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	words := strings.Fields("func return if err nil range string int for switch case default package import value name")
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%s%x ", words[rng.IntN(len(words))], rng.IntN(4096))
		if rng.IntN(8) == 0 {
			b.WriteByte('\n')
		}
	}
	return []byte(b.String()[:size])
}

func BenchmarkFlush(b *testing.B) {
	for _, c := range []struct {
		n, size int
		noSync  bool
	}{{1, 6 << 10, false}, {8, 6 << 10, false}, {40, 6 << 10, false}, {1000, 6 << 10, false}, {1, 55 << 20, false},
		{1, 6 << 10, true}, {8, 6 << 10, true}, {40, 6 << 10, true}, {1000, 6 << 10, true}, {1, 55 << 20, true}} {
		b.Run(fmt.Sprintf("%dx%d/nosync=%v", c.n, c.size, c.noSync), func(b *testing.B) {
			r := gittest.New(b)
			contents := make([][]byte, c.n)
			for i := range contents {
				contents[i] = text(uint64(i), c.size)
			}
			b.SetBytes(int64(c.n * c.size))
			round := 0
			for b.Loop() {
				round++
				db, err := Open(r.GitDir(), Options{NoSync: c.noSync})
				if err != nil {
					b.Fatal(err)
				}
				batch := db.NewBatch()
				var wg sync.WaitGroup
				for w := range 2 {
					wg.Go(func() {
						for i := w; i < len(contents); i += 2 {
							copy(contents[i], fmt.Sprint(round, " "))
							if _, err := batch.Blob(contents[i]); err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
				if err := batch.Flush(); err != nil {
					b.Fatal(err)
				}
				batch.Close()
				db.Close()
			}
		})
	}
}

// large makes a repository of n packed files in n/17 directories, with commits
// that change some, so that there are deltas.
func large(b *testing.B, n int) *gittest.Repo {
	r := gittest.New(b)
	var in strings.Builder
	for commit := range 3 {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter a <a@x> %d +0000\ndata 1\nc\n", 1000000000+commit)
		step := 1
		if commit > 0 {
			step = 97
		}
		for i := 0; i < n; i += step {
			content := fmt.Sprintf("%d %d\n%s", commit, i, strings.Repeat("x", i%200))
			fmt.Fprintf(&in, "M 100644 inline d%d/s%d/f%d\ndata %d\n%s\n", i%40, i/17%150, i, len(content), content)
		}
	}
	cmd := r.Command("fast-import", "--quiet")
	cmd.Stdin = strings.NewReader(in.String())
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
	r.Git("repack", "-adq")
	return r
}

func BenchmarkLarge(b *testing.B) {
	for _, n := range []int{300, 100_000} {
		r := large(b, n)
		names := strings.Fields(r.Git("ls-tree", "-r", "--format=%(objectname)", "HEAD"))
		head, _ := ParseID(r.Git("rev-parse", "HEAD"))
		// A new store each time: what one command pays.
		fresh := func(b *testing.B, f func(*DB)) {
			for b.Loop() {
				db, err := Open(r.GitDir(), Options{NoSync: true, Command: func(...string) *exec.Cmd { panic("git was asked") }})
				if err != nil {
					b.Fatal(err)
				}
				f(db)
				db.Close()
			}
		}
		b.Run(fmt.Sprintf("Has/%d", n), func(b *testing.B) {
			i := 0
			fresh(b, func(db *DB) {
				i++
				if id, _ := ParseID(names[i*7919%len(names)]); !db.Has(id) {
					b.Fatal("absent")
				}
			})
		})
		b.Run(fmt.Sprintf("Read/%d", n), func(b *testing.B) {
			i := 0
			fresh(b, func(db *DB) {
				i++
				id, _ := ParseID(names[i*7919%len(names)])
				if _, _, err := db.Read(id); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(fmt.Sprintf("Overlay/%d", n), func(b *testing.B) {
			i := 0
			fresh(b, func(db *DB) {
				i++
				root, err := PeelToTree(db, head)
				if err != nil {
					b.Fatal(err)
				}
				batch := db.NewBatch()
				defer batch.Close()
				blob, _ := batch.Blob([]byte(fmt.Sprint("new ", i)))
				if _, err := batch.Overlay(root, map[string]*Leaf{"d7/s3/f2": {File, blob}}); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(fmt.Sprintf("HasWarm/%d", n), func(b *testing.B) {
			db, _ := Open(r.GitDir(), Options{})
			defer db.Close()
			ids := make([]ID, len(names))
			for i, s := range names {
				ids[i], _ = ParseID(s)
			}
			i := 0
			for b.Loop() {
				i++
				if !db.Has(ids[i*7919%len(ids)]) {
					b.Fatal("absent")
				}
			}
		})
	}
}
