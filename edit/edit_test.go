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
	wide := []byte(strings.Repeat("提示：保存，然后退出。", 10_000))
	curly := []byte(strings.Repeat("some line of text “x”\n", 20_000))
	added := make([]Line, 20_000)
	for i := range added {
		added[i] = Line{Added, fmt.Sprint("一行\u200B ", i)}
	}
	tail := Hunk{EOF: true}
	for i := range 1000 {
		tail.Lines = append(tail.Lines, Line{Removed, fmt.Sprint(i)})
	}
	var items []Replacement
	var absent []Op
	for i := range 20_000 {
		items = append(items, Replacement{Old: fmt.Sprint("nowhere ", i), New: "y"})
		absent = append(absent, Op{Kind: Delete, Path: fmt.Sprint("absent", i)})
	}
	anchored := make([]Hunk, 10_000)
	for i := range anchored {
		anchored[i] = Hunk{Anchors: []string{"a"}, Lines: []Line{{Removed, fmt.Sprint(i)}, {Added, "b"}}}
	}
	var sections strings.Builder
	for i := range anchored {
		fmt.Fprintf(&sections, "a\n%d\n", i)
	}
	edit := func(r Replacement) []Op { return []Op{{Kind: Replace, Path: "f", Replacements: []Replacement{r}}} }
	update := func(h ...Hunk) []Op { return []Op{{Kind: Update, Path: "f", Hunks: h}} }
	file := func(data []byte) MapTree { return MapTree{"f": {Mode: 0o644, Data: data}} }
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
		{"tolerant places in one long line", file(wide), edit(Replacement{Old: "提示: 保存", New: "x", All: true}), 0},
		{"tolerant over many lines", file(curly), edit(Replacement{Old: strings.Repeat("some line of text \"x\"\n", 20_000), New: "x\n"}), 0},
		{"cleaned lines", file([]byte("a\n")), update(Hunk{Lines: append(added, Line{Context, "a"})}), 0},
		{"blank lines at the end", file(append(equal, bytes.Repeat([]byte{'\n'}, 50_000)...)), update(tail), 1},
		{"every item fails", file(equal), []Op{{Kind: Replace, Path: "f", Batch: true, Replacements: items}}, 20_000},
		{"every path is missing", MapTree{}, absent, 20_000},
		{"equal anchors", file([]byte(sections.String())), update(anchored...), 0},
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

// TestHunkNumber names a hunk that cannot be stored by its place in the
// request, although another one comes before it in the file.
func TestHunkNumber(t *testing.T) {
	op := Op{Kind: Update, Path: "f", Hunks: []Hunk{
		{Lines: []Line{{Added, "中"}}, Line: 3},
		{Lines: []Line{{Removed, "b"}, {Added, "c"}}, Line: 5},
	}}
	plan, err := NewPlan(MapTree{"f": {Mode: 0o644, Data: []byte("caf\xE9\nb\n")}}, []Op{op}, Options{})
	if err != nil || len(plan.Failures) != 1 {
		t.Fatal(err, plan)
	}
	if f := plan.Failures[0]; f.Code != Encoding || f.Hunk != 1 || f.Of != 2 || f.Line != 3 {
		t.Errorf("hunk %d of %d, line %d: %v", f.Hunk, f.Of, f.Line, f)
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

// TestFactsAreBounded: however much fails, an answer can be read.
func TestFactsAreBounded(t *testing.T) {
	text := "alpha beta\ngamma delta\n"
	tree, ops := MapTree{}, []Op(nil)
	for i := range 300 {
		name := fmt.Sprint("f", i)
		tree[name] = &File{Mode: 0o644, Data: []byte(text)}
		ops = append(ops, Op{Kind: Update, Path: name, Hunks: []Hunk{{Lines: []Line{{Context, "alpha beta"}, {Removed, "gamma dolta"}}}}})
	}
	list := Op{Kind: Replace, Path: "list", Batch: true}
	for i := range 30 {
		list.Replacements = append(list.Replacements, Replacement{Old: fmt.Sprintf("gamma de%dta", i), New: "x"})
	}
	tree["list"] = &File{Mode: 0o644, Data: []byte(text)}
	for _, tt := range []struct {
		ops  []Op
		most int
		item int // of one failure
	}{{ops, factsMost, factsMost}, {[]Op{list}, factsMostList + 2, factsMostItem + 2}} { // 2: what fits, what was skipped
		plan, err := NewPlan(tree, tt.ops, Options{})
		if err != nil {
			t.Fatal(err)
		}
		facts := 0
		for _, e := range plan.Failures {
			if facts += len(e.Facts); len(e.Facts) > tt.item {
				t.Errorf("%s: %d facts", e.Msg, len(e.Facts))
			}
			if e.Msg == "" {
				t.Error("a failure without a reason")
			}
		}
		if facts > tt.most || facts < tt.most/2 {
			t.Errorf("%d failures have %d facts, %d are the most", len(plan.Failures), facts, tt.most)
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
