package edit

import (
	"bytes"
	"fmt"
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
		doc := split(text)
		start := rng.IntN(len(doc.lines) + 1)
		for p := range passes {
			var want []int
			for at := start; at+len(block) <= len(doc.lines); at++ {
				fits := true
				for i, l := range block {
					fits = fits && bytes.Equal(p.norm(doc.line(at+i)), p.norm(l))
				}
				if fits {
					want = append(want, at)
				}
			}
			for _, hunks := range []int{1, 100} {
				got, total := newFinder(doc, hunks).places(block, start, p)
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
		check := func(d *document, want []string) {
			var got []string
			whole := ""
			for i := range d.lines {
				got = append(got, string(d.line(i)))
				whole += string(d.line(i)) + string(d.ending(i))
			}
			if !slices.Equal(got, want) || whole != tt.text {
				t.Errorf("%q: %q, want %q", tt.text, got, want)
			}
		}
		d := split([]byte(tt.text))
		check(d, tt.lines)
		if again := d.withLoneCR(); (again == nil) != (tt.loneCR == nil) {
			t.Errorf("%q: with lone CR %v", tt.text, again)
		} else if again != nil {
			check(again, tt.loneCR)
		}
	}
}

// TestLargeRequests runs requests whose cost must not explode: they would take
// minutes if it were quadratic.
func TestLargeRequests(t *testing.T) {
	equal := bytes.Repeat([]byte("x\n"), 50_000)
	block := make([]Line, 201)
	for i := range block {
		block[i] = Line{Context, "x"}
	}
	block[200] = Line{Removed, "x"}
	var failing []Op
	for i := range 500 {
		failing = append(failing, Op{Kind: Update, Path: fmt.Sprint("f", i), Hunks: []Hunk{{Lines: []Line{{Removed, "nowhere"}}}}})
	}
	many := MapTree{}
	for i := range 500 {
		many[fmt.Sprint("f", i)] = &File{Mode: 0o644, Data: equal[:2000]}
	}
	for _, tt := range []struct {
		name     string
		tree     MapTree
		ops      []Op
		failures int
	}{
		{"equal lines", MapTree{"f": {Mode: 0o644, Data: equal}}, []Op{{Kind: Update, Path: "f", Hunks: []Hunk{{Lines: block}}}}, 0},
		{"every operation fails", many, failing, 500},
		{"overlapping places", MapTree{"f": {Mode: 0o644, Data: bytes.Repeat([]byte("a"), 200_000)}},
			[]Op{{Kind: Replace, Path: "f", Replacements: []Replacement{{Old: strings.Repeat("a", 1000), New: "b"}}}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan, err := NewPlan(tt.tree, tt.ops, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Failures) != tt.failures {
				t.Errorf("%d failures, want %d: %v", len(plan.Failures), tt.failures, plan.Failures[:min(3, len(plan.Failures))])
			}
		})
	}
}

// TestPlaceholder tells lines that stand for left-out code from code.
func TestPlaceholder(t *testing.T) {
	for _, line := range []string{
		"// ... existing code ...", "# ... rest of code ...", "/* ... rest of the file ... */", "<!-- ... existing content ... -->",
		"# … remaining methods unchanged", "[rest of the code]", "// rest of the function remains unchanged", "-- ... other imports",
		"{/* ... existing props ... */}", "// ... 其余代码不变 ...", "...existing code...",
	} {
		if !isPlaceholder(line) {
			t.Errorf("%q is not recognised", line)
		}
	}
	for _, line := range []string{
		"...", "def f(*args): ...", "# the rest of the world", "print('...')", "// loading...", "return unchanged", "args...",
		"// keep the existing connection open", "[section]", "(file)", "x = [...rest]", "# and more text follows in the manual",
	} {
		if isPlaceholder(line) {
			t.Errorf("%q is taken for a placeholder", line)
		}
	}
}

func FuzzCheckName(f *testing.F) {
	for _, s := range []string{"a", "../x", ".git/config", "a\\b", "~/x", "C:x", "a/./b", "a\u200Bb", "path/to/x", "/repo/a", "a//b", "x/", `/re\o/a`, `../a\b`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		r := newResolver(MapTree{"a/b": {Mode: 0o644}}, Options{Roots: []string{"/repo"}})
		p, _, err := r.lexical(name)
		if err != nil {
			return
		}
		if p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "../") || p == ".." || strings.Contains("/"+p+"/", "/../") {
			t.Errorf("%q leads to %q", name, p)
		}
		for component := range strings.SplitSeq(p, "/") {
			if IsGitDir(component) || IsReserved(component) {
				t.Errorf("%q leads to %q", name, p)
			}
		}
	})
}
