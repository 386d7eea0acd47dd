package merge3

import (
	"bytes"
	"slices"
	"testing"
)

func TestLines(t *testing.T) {
	for text, want := range map[string]int{"": 0, "\n": 1, "a": 1, "a\n": 1, "a\nb": 2, "a\rb\r": 2, "a\rb": 2, "a\rb\n": 1, "\r\n\r\n": 2} {
		if got := Lines([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
		all, _ := read([]byte(text))
		if got := len(all[0].ids); got != want || len(all[0].at) != want+1 {
			t.Errorf("%q: read as %d lines, want %d", text, got, want)
		}
	}
}

// FuzzMerge compares Merge with the definition of a merge of three: lines of
// base that both kept cut the texts into pieces, of which each is taken from
// whoever changed it.
func FuzzMerge(f *testing.F) {
	for _, s := range [][3]string{
		{"", "", ""}, {"a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"}, {"a\nb\n", "A\nb\n", "a\nB\n"}, {"a\nb\n", "a\nx\nb\n", "a\ny\nb\n"},
		{"a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\nd\n"}, {"a\nb\nc\nd\n", "x\ny\nd\ne\n", "x\ny\nd\n"}, {"a\rb\rc", "A\rb\rc", "a\rb\rC"},
		{"a\na\na\nb\n", "a\na\nb\n", "a\na\na\na\nc\nb"}, {"a\nb\nc", "a\nb\nc\n", "A\nb\nc"},
	} {
		f.Add([]byte(s[0]), []byte(s[1]), []byte(s[2]))
	}
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		merged, conflicts := Merge(base, ours, theirs)
		want, stuck := pieces(base, ours, theirs)
		if stuck != nil {
			want = nil
		}
		if !slices.Equal(conflicts, stuck) || !bytes.Equal(merged, want) || conflicts == nil && merged == nil {
			t.Fatalf("%q, %v; want %q, %v", merged, conflicts, want, stuck)
		}
	})
}

func pieces(base, ours, theirs []byte) (merged []byte, conflicts []Conflict) {
	all, different := read(base, ours, theirs)
	b, o, h := all[0], all[1], all[2]
	keptO, keptT := kept(b, diff(b.ids, o.ids, different)), kept(b, diff(b.ids, h.ids, different))
	i, j, k := 0, 0, 0 // where the piece starts in each
	for end := range len(b.ids) + 1 {
		to, too := len(o.ids), len(h.ids)
		if end < len(b.ids) {
			if to, too = keptO[end], keptT[end]; to < 0 || too < 0 {
				continue
			}
		}
		was, mine, its := b.bytes(i, end), o.bytes(j, to), h.bytes(k, too)
		switch {
		case bytes.Equal(mine, its), bytes.Equal(its, was):
			merged = append(merged, mine...)
		case bytes.Equal(mine, was):
			merged = append(merged, its...)
		default:
			conflicts = append(conflicts, Conflict{j, to})
		}
		if end < len(b.ids) {
			merged = append(merged, b.bytes(end, end+1)...)
		}
		i, j, k = end+1, to+1, too+1
	}
	return merged, conflicts
}

// kept tells where each line went that a diff keeps, -1 for the others.
func kept(l *lines, hunks []hunk) []int {
	at := make([]int, len(l.ids))
	from, longer := 0, 0
	for _, h := range append(hunks, hunk{from: len(at), to: len(at)}) {
		for i := from; i < h.from; i++ {
			at[i] = i + longer
		}
		for i := h.from; i < h.to; i++ {
			at[i] = -1
		}
		from, longer = h.to, h.newTo-h.to
	}
	return at
}
