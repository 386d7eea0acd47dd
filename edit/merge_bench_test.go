package edit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkMerge merges 50,000 lines with 200 hunks on each side, and what is
// hard: sides that have nothing in common with the base, shuffled lines, lines
// of which there are two only. Beside each, what git merge-file takes for it,
// with the start of the process and without.
func BenchmarkMerge(b *testing.B) {
	const lines, hunks = 50_000, 200
	git := mergeFile(b)
	rng := rand.New(rand.NewPCG(1, 1))
	base := make([]string, lines)
	for i := range base {
		base[i] = fmt.Sprintf("    value%d := parse.token(\"%d\", %d)", i, i*7919%65536, i*31%1000)
	}
	side := func(change func(lines []string)) []byte {
		out := slices.Clone(base)
		change(out)
		return []byte(strings.Join(out, "\n") + "\n")
	}
	every := func(first int, what string) []byte {
		return side(func(lines []string) {
			for h := range hunks {
				at := h*len(lines)/hunks + first
				lines[at] += "\n" + what
				lines[at+3] = what
			}
		})
	}
	all := func(what string) []byte {
		return side(func(lines []string) {
			for i := range lines {
				lines[i] = fmt.Sprintf("%s %d", what, i)
			}
		})
	}
	shuffled := func() []byte {
		return side(func(lines []string) {
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		})
	}
	coins := func() []byte {
		return side(func(lines []string) {
			for i := range lines {
				lines[i] = []string{"heads", "tails"}[rng.IntN(2)]
			}
		})
	}
	text := side(func([]string) {})
	start := time.Duration(0)
	for _, bb := range []struct {
		name               string
		base, ours, theirs []byte
	}{
		{"start", []byte("a\n"), []byte("b\n"), []byte("c\n")},
		{"hunks", text, every(20, "ours"), every(120, "theirs")},
		{"different", text, all("ours"), all("theirs")},
		{"shuffled", text, shuffled(), shuffled()},
		{"coins", coins(), coins(), coins()},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Merge(bb.base, bb.ours, bb.theirs); err != nil {
					b.Fatal(err)
				}
			}
			here := b.Elapsed() / time.Duration(b.N)
			best := time.Hour
			for range 5 {
				began := time.Now()
				if _, _, err := git(bb.base, bb.ours, bb.theirs); err != nil {
					b.Fatal(err)
				}
				best = min(best, time.Since(began))
			}
			if bb.name == "start" {
				start = best
				return
			}
			b.ReportMetric(float64(best.Microseconds())/1000, "git-ms")
			b.ReportMetric(float64(here)/float64(best), "÷git")
			b.ReportMetric(float64(here)/float64(max(best-start, 1)), "÷git-less-start")
		})
	}
}
