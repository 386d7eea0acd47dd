package match

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestFinder compares both ways of searching, the index and the walk, with
// trying every place.
func TestFinder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "b", " a", "a ", "\tb", ""}
	for range 3000 {
		text := randomLines(rng, words, 12)
		block := bytes.Split(randomLines(rng, words, 3), []byte("\n"))
		block = block[:len(block)-1]
		if len(block) == 0 {
			continue
		}
		doc := Split(text)
		start := rng.IntN(len(doc.Lines) + 1)
		finder := NewFinder(doc, 1)
		for p := range passes {
			var want []int
			for at := start; at+len(block) <= len(doc.Lines); at++ {
				fits := true
				for i, l := range block {
					fits = fits && bytes.Equal(finder.norm(doc.Line(at+i), p), finder.norm(l, p))
				}
				if fits {
					want = append(want, at)
				}
			}
			for _, hunks := range []int{1, 100} {
				got, total := NewFinder(doc, hunks).Places(block, start, p)
				if !slices.Equal(got, want) || total != len(want) {
					t.Fatalf("%q in %q from %d, pass %d, %d hunks: %v, want %v", block, text, start, p, hunks, got, want)
				}
			}
		}
	}
}

func randomLines(rng *rand.Rand, words []string, most int) []byte {
	var b strings.Builder
	for range rng.IntN(most + 1) {
		b.WriteString(words[rng.IntN(len(words))] + "\n")
	}
	return []byte(b.String())
}

// TestSplit takes texts apart and puts them together again.
func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		text   string
		lines  []string
		loneCR []string // nil: no difference
	}{
		{"", nil, nil},
		{"a", []string{"a"}, nil},
		{"a\nb\n", []string{"a", "b"}, nil},
		{"a\r\nb", []string{"a", "b"}, nil},
		{"a\rb\r", []string{"a", "b"}, nil},
		{"a\rb\nc", []string{"a\rb", "c"}, []string{"a", "b", "c"}},
		{"\n\r\n\r", []string{"", "", "\r"}, []string{"", "", ""}},
		{"a\r\r\nb", []string{"a\r", "b"}, []string{"a", "", "b"}},
	} {
		check := func(d *Document, want []string) {
			var got []string
			whole := ""
			for i := range d.Lines {
				got = append(got, string(d.Line(i)))
				whole += string(d.Line(i)) + string(d.Ending(i))
			}
			if !slices.Equal(got, want) || whole != tt.text {
				t.Errorf("%q: %q, want %q", tt.text, got, want)
			}
		}
		d := Split([]byte(tt.text))
		check(d, tt.lines)
		if again := d.WithLoneCR(); (again == nil) != (tt.loneCR == nil) {
			t.Errorf("%q: with lone CR %v", tt.text, again)
		} else if again != nil {
			check(again, tt.loneCR)
		}
	}
}
