package invisible

import (
	"slices"
	"testing"
)

func TestMarks(t *testing.T) {
	for text, want := range map[string][]int{
		"\u0304x\u0304":                   {0},
		"a \u0304\u0305b\u0305":           {2, 3},
		"a\n\u0304b":                      {2},
		"a\r\u0304b":                      {2},
		"\u200b\u0304":                    {1},
		"a\u200b\u0304":                   nil,
		"\u20dd\u0304":                    {1},
		" \ufe0f\ufe00":                   {2},
		"\u00a0\u093e":                    {1},
		"## \u03042.1 T\u0308itle \ufeff": {3},
	} {
		var m Marks
		var got []int
		for i, r := range []rune(text) {
			if m.Floats(r) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+q: floating at %v, want %v", text, got, want)
		}
	}
}

func TestControl(t *testing.T) {
	for _, tt := range []struct {
		text, counts string
		lines        []int
	}{
		{"a\tb\r\nc\n", "", nil},
		{"é\u0085\u009f\u200d\u2010\u2029\u202f\u2065\u206a\u061c", "", nil},
		{"a\n\x1b[0m\x1b\n\n\x7f\x00", "U+0000×1, U+001B×2, U+007F×1", []int{2, 4}},
		{"\u200e\u200f\n\u202a\u202e\n\u2066\u2069", "U+200E×1, U+200F×1, U+202A×1, U+202E×1, U+2066×1, U+2069×1", []int{1, 2, 3}},
		{"a\r\x01\r\n\x02", "U+0001×1, U+0002×1", []int{1, 2}},
		{"a\r\x01", "U+0001×1", []int{2}},
	} {
		counts, lines := Control(tt.text)
		if counts.String() != tt.counts || !slices.Equal(lines, tt.lines) {
			t.Errorf("Control(%+q) = %q, %v; want %q, %v", tt.text, counts, lines, tt.counts, tt.lines)
		}
	}
}
