//go:build unix

package gitops

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

// BenchmarkCapture measures captures of what is hard on them, cold and warm:
// a thousand ignore rules over 20,000 files, as many untracked files, and 200,000
// ignored files in one directory, beside the same worktree without them.
func BenchmarkCapture(b *testing.B) {
	for _, c := range []struct {
		name string
		make func(b *testing.B, g *gittest.Repo)
	}{
		{"plain-20000", func(b *testing.B, g *gittest.Repo) { fill(b, g, 20_000) }},
		{"rules-1000-of-20000", func(b *testing.B, g *gittest.Repo) {
			fill(b, g, 20_000)
			g.Write(".gitignore", manyRules(1000))
		}},
		{"ignored-0", func(b *testing.B, g *gittest.Repo) { fill(b, g, 2000); g.Write(".gitignore", "/out/\n") }},
		{"ignored-200000", func(b *testing.B, g *gittest.Repo) {
			fill(b, g, 2000)
			g.Write(".gitignore", "/out/\n")
			crowd(b, g, "out")
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			g := gittest.New(b)
			c.make(b, g)
			time.Sleep(50 * time.Millisecond) // older than the first stamp
			r, err := Open(g.Dir, Options{NoSync: true})
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			turn, err := r.Begin(b.Context(), Turn{}) // keeps the objects
			if err != nil {
				b.Fatal(err)
			}
			run := func(b *testing.B, before func()) {
				for b.Loop() {
					b.StopTimer()
					before()
					b.StartTimer()
					r, err := Open(g.Dir, Options{NoSync: true})
					if err != nil {
						b.Fatal(err)
					}
					c, err := r.capture(b.Context(), nil, false)
					if err != nil {
						b.Fatal(err)
					}
					if err := c.batch.Flush(); err != nil {
						b.Fatal(err)
					}
					r.save(c, openRef(turn.N), turn.tag)
					c.close()
					r.Close()
				}
			}
			cache := filepath.Join(g.GitDir(), "chordgit", "cache")
			b.Run("cold", func(b *testing.B) { run(b, func() { os.Remove(cache) }) })
			b.Run("warm", func(b *testing.B) { run(b, func() {}) })
			b.Run("warm-rules-changed", func(b *testing.B) {
				n := 0
				run(b, func() {
					n++
					if err := os.WriteFile(filepath.Join(g.GitDir(), "info", "exclude"), fmt.Appendf(nil, "none%d\n", n), 0o644); err != nil {
						b.Fatal(err)
					}
				})
			})
		})
	}
}

// fill makes untracked files, 50 in a directory.
func fill(b *testing.B, g *gittest.Repo, n int) {
	b.Helper()
	for i := range n {
		g.Write(fmt.Sprintf("src/pkg%03d/file%d.go", i/50, i), fmt.Sprint("package p\n// ", i, "\n"))
	}
}

// crowd puts 200,000 empty files into a directory.
func crowd(b *testing.B, g *gittest.Repo, dir string) {
	b.Helper()
	if err := os.Mkdir(filepath.Join(g.Dir, dir), 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 200_000 {
		f, err := os.Create(filepath.Join(g.Dir, dir, fmt.Sprint("f", i)))
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// manyRules are rules of all kinds, as generators of such files write them.
func manyRules(n int) string {
	var b strings.Builder
	for i := range n / 5 {
		fmt.Fprintf(&b, "*.ext%d\n/build%d/\ncache%d\n!keep%d.txt\nsome/**/deep%d/*.tmp\n", i, i, i, i, i)
	}
	return b.String()
}
