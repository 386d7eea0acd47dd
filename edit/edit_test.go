package edit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

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
