package edit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkHunks plans 200 hunks of seven lines in 50,000, found in each pass,
// and with a last one that is missing.
func BenchmarkHunks(b *testing.B) {
	const lines, hunks = 50_000, 200
	line := func(i int) string {
		return fmt.Sprintf("    value%d := parse.token(\"%d\", %d)", i, i*7919%65536, i*31%1000)
	}
	var text bytes.Buffer
	for i := range lines {
		text.WriteString(line(i) + "\n")
	}
	tree := MapTree{"f": {Mode: 0o644, Data: text.Bytes()}}
	for _, bb := range []struct {
		name  string
		spell func(string) string
		miss  bool
	}{
		{"exact", func(s string) string { return s }, false},
		{"trailing", func(s string) string { return s + " " }, false},
		{"trimmed", strings.TrimSpace, false},
		{"tolerant", func(s string) string { return strings.ReplaceAll(s, `"`, "”") }, false},
		{"missing", func(s string) string { return s }, true},
	} {
		op := Op{Kind: Update, Path: "f"}
		for h := range hunks {
			var hunk Hunk
			for i := range 7 {
				l := bb.spell(line((h+1)*lines/hunks - 20 + i))
				if bb.miss && h == hunks-1 {
					l = strings.ReplaceAll(l, ":=", "!=")
				}
				if i == 3 {
					hunk.Lines = append(hunk.Lines, Line{Removed, l}, Line{Added, "    other()"})
				} else {
					hunk.Lines = append(hunk.Lines, Line{Context, l})
				}
			}
			op.Hunks = append(op.Hunks, hunk)
		}
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				plan, err := NewPlan(tree, []Op{op}, Options{})
				if err != nil || (len(plan.Failures) > 0) != bb.miss {
					b.Fatal(err, plan)
				}
			}
		})
	}
}
