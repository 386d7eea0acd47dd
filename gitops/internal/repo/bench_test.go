package repo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

func BenchmarkFind(b *testing.B) {
	r := gittest.New(b)
	for b.Loop() {
		if _, err := Find(r.Dir); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIndexLookup(b *testing.B) {
	r := gittest.New(b)
	var in strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&in, "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\tdir%d/sub%d/a-file-with-a-name%d\n", i%40, i/17%150, i)
	}
	r.GitIn(in.String(), "update-index", "--index-info")
	l, err := Find(r.Dir)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := l.IndexEntry("dir7/sub3/none"); err != nil {
			b.Fatal(err)
		}
	}
}
