package merge3

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// split makes a text of one line per letter.
func split(letters string) []byte {
	return []byte(strings.Join(strings.Split(letters, ""), "\n"))
}

func TestDiff(t *testing.T) {
	for _, tt := range []struct {
		about, a, b string
		want        []hunk
	}{
		{"equal", "abc", "abc", nil},
		{"both empty", "", "", nil},
		{"from nothing", "", "ab", []hunk{{0, 0, 0, 2}}},
		{"to nothing", "ab", "", []hunk{{0, 2, 0, 0}}},
		{"change", "abc", "axc", []hunk{{1, 2, 1, 2}}},
		{"two", "abcde", "axcye", []hunk{{1, 2, 1, 2}, {3, 4, 3, 4}}},
		{"an insertion goes down", "{a}{b}", "{a}{n}{b}", []hunk{{4, 4, 4, 7}}},
		{"a deletion goes down", "xaab", "xab", []hunk{{2, 3, 2, 2}}},
		{"a deletion stays beside the insertion", "xabab", "xynab", []hunk{{1, 3, 1, 3}}},
		{"runs that touch become one", "aXaXab", "aab", []hunk{{1, 4, 1, 1}}},
	} {
		all, different := read(split(tt.a), split(tt.b))
		if got := diff(all[0].ids, all[1].ids, different); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.about, got, tt.want)
		}
	}
}

// TestRoot pins the limits at which lines are frequent and a search is dear.
func TestRoot(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 2, 3: 2, 4: 4, 15: 4, 16: 8, 50_000: 256, 1 << 20: 2048} {
		if got := root(n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}

// checkHunks proves that hunks make b of a, that lines between them are equal,
// and that at least one lies between any two.
func checkHunks(t *testing.T, a, b []int32, hunks []hunk) {
	t.Helper()
	i, j := 0, 0
	for k, h := range append(hunks, hunk{len(a), len(a), len(b), len(b)}) {
		if h.from < i || h.newFrom < j || h.to < h.from || h.newTo < h.newFrom || h.to > len(a) || h.newTo > len(b) {
			t.Fatalf("hunk %d of %v overlaps or is reversed", k, hunks)
		}
		if k > 0 && k < len(hunks) && h.from == i {
			t.Fatalf("hunk %d of %v touches the one before", k, hunks)
		}
		if !slices.Equal(a[i:h.from], b[j:h.newFrom]) {
			t.Fatalf("in front of hunk %d of %v the lines differ", k, hunks)
		}
		i, j = h.to, h.newTo
	}
}

func FuzzDiff(f *testing.F) {
	for _, s := range [][2]string{{"", ""}, {"abc", "axc"}, {"{a}{b}", "{a}{n}{b}"}, {"aXaXab", "aab"}, {"aaaa", "aa"}, {"abcabc", "cbacba"}} {
		f.Add([]byte(s[0]), []byte(s[1]), uint8(0))
	}
	f.Fuzz(func(t *testing.T, x, y []byte, repeat uint8) {
		// Repeated, a short input reaches the limits of the search as well.
		n := int(repeat)%64 + 1
		a, b := ids(bytes.Repeat(x, n)), ids(append(bytes.Repeat(y, n), x...))
		checkHunks(t, a, b, diff(a, b, 256))
	})
}

func ids(letters []byte) []int32 {
	out := make([]int32, len(letters))
	for i, c := range letters {
		out[i] = int32(c)
	}
	return out
}

// TestHard holds that texts without likeness take no quadratic time, and that
// giving up still makes right hunks. A search that does not give up takes most
// of a minute for each.
func TestHard(t *testing.T) {
	const lines = 50_000
	rng := rand.New(rand.NewPCG(1, 2))
	ordered, shuffled, coins, tosses := make([]int32, lines), make([]int32, lines), make([]int32, lines), make([]int32, lines)
	others := make([]int32, lines)
	for i := range lines {
		ordered[i], others[i] = int32(i), int32(lines+i)
		coins[i], tosses[i] = int32(rng.IntN(2)), int32(rng.IntN(2))
	}
	copy(shuffled, ordered)
	rng.Shuffle(lines, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for _, tt := range []struct {
		about string
		a, b  []int32
	}{
		{"different", ordered, others},
		{"shuffled", ordered, shuffled},
		{"coins", coins, tosses},
		{"reversed", ordered, reversed(ordered)},
		{"blocks", ordered, slices.Concat(shuffled[:1000], ordered[25_000:], shuffled[1000:3000], ordered[:20_000])},
	} {
		start := time.Now()
		hunks := diff(tt.a, tt.b, 2*lines)
		took := time.Since(start)
		checkHunks(t, tt.a, tt.b, hunks)
		t.Logf("%s: %d hunks, %v", tt.about, len(hunks), took)
		if took > 20*time.Second {
			t.Errorf("%s: %v", tt.about, took)
		}
	}
}

func reversed(ids []int32) []int32 {
	out := slices.Clone(ids)
	slices.Reverse(out)
	return out
}
