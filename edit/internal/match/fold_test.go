package match

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFold tells texts that are the same to the tolerant step from those that
// are not.
func TestFold(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"‘a’ ‚b‛", "'a' 'b'", true},
		{"“a” „b‟", `"a" "b"`, true},
		{"a–b—c−d", "a-b-c-d", true},
		{"，；：！？（）．。", ",;:!?()..", true},
		{"a\u200Bb\u200C\u200D\u2060\u00AD\uFEFF\uFE00\uFE0Fc", "abc", true},
		{"\u0304a b\u0304", "ab\u0304", true}, // the first mark floats, the second has a base
		{"a, b; c: d. e! f? (g", "a,b;c:d.e!f?(g", true},
		{"f( a )", "f(a)", true},
		{"foo bar", "foobar", true},
		{"保存 然后 x 1", "保存然后x1", true},
		{"e\u0301 f", "e\u0301f", true}, // a mark on a letter is part of the word
		{"a,\u200B b", "a,b", true},     // what counts for nothing is looked through
		{"a, ", "a,", true},

		{"a  b", "a b", false},
		{"a  b", "ab", false},
		{"a\tb", "a b", false},
		{"a\u00A0b", "a b", false},
		{" a", "a", false},
		{" )", ")", false}, // at the start of a line it is indentation
		{"a - b", "a-b", false},
		{`say "a" b`, `say "a"b`, false},
		{"a\u2010b", "a-b", false},
		{"a…", "a...", false},
		{"a、b", "a,b", false},
		{"「a」", "\"a\"", false},
		{"Ａ", "A", false},
		{"A", "a", false},
		{"\u00E9", "e\u0301", false},
		{"caf\xE9", "caf\xE8", false},
	} {
		if got := bytes.Equal(appendFold(nil, []byte(tt.a), false), appendFold(nil, []byte(tt.b), false)); got != tt.same {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, got, tt.same)
		}
	}
}

// TestCarry writes new text in the characters of the file.
func TestCarry(t *testing.T) {
	for _, tt := range []struct{ file, old, new, want string }{
		{"提示：保存，然后退出。", "提示: 保存, 然后退出.", "提示: 保存, 再退出.", "提示：保存，再退出。"},
		{"甲：“一”，乙：“二”。", `甲:"一",乙:"二".`, `甲:"三",乙:"四".`, "甲：“三”，乙：“四”。"},
		{"甲：1", "甲:1", "甲:2\n乙:3", "甲：2\n乙:3"},
		{"f(a,b)", "f(a, b)", "f(a, b, c)", "f(a,b, c)"},
		{"co\u00ADop x", "coop x", "coop y", "co\u00ADop y"},
		{"“a”\r\n“b”", "\"a\"\n\"b\"", "\"a\"\n\"c\"", "“a”\r\n“c”"},
		{"“a”\r\r\nb", "\"a\"\r\nb", "\"a\"\r\nc", "“a”\r\r\nc"}, // the first CR is data
		{"same", "same", "any “thing”", "any “thing”"},
		{"“a”", `"a"`, "", ""},
	} {
		pieces, ok := Carry(new(Document), []byte(tt.file), []byte(tt.old), []byte(tt.new))
		var got strings.Builder
		for _, p := range pieces {
			got.Write(p.Text)
		}
		if !ok || got.String() != tt.want {
			t.Errorf("%q, %q for %q: %q %v, want %q", tt.file, tt.new, tt.old, got.String(), ok, tt.want)
		}
	}
	long := strings.Repeat("“x y”\n", 3000)
	if _, ok := Carry(new(Document), []byte(long), []byte(strings.NewReplacer("“", `"`, "”", `"`).Replace(long)), []byte(strings.Repeat("z\n", 3000))); ok {
		t.Error("a comparison of 30 million pairs was made")
	}
}

// FuzzUnits: the fast way over ASCII and the general one agree, places lead
// back into the text, and a text that changes nothing comes out as the file has
// it.
func FuzzUnits(f *testing.F) {
	for _, s := range []string{"foo( a, b )\n“x”  y", "a\u200B b\u0304\r\nc", "\xE9 ) x", "保存 然后。\rx", " \u0304\n\n"} {
		f.Add(s, uint(0), uint(3))
	}
	f.Fuzz(func(t *testing.T, text string, from, n uint) {
		doc := Split([]byte(text))
		doc.Raw = n%2 == 1
		for i := range doc.Lines {
			line := doc.Line(i)
			var want []byte
			last := uint32(0)
			for _, u := range (reading{raw: doc.Raw}).units(line) {
				if u.start != last || u.own < u.start || u.ownEnd > u.end {
					t.Fatalf("units of %q leave a gap at %d: %+v", line, last, u)
				}
				last = u.end
				want = u.appendKey(want)
			}
			if len(want) > 0 && int(last) != len(line) {
				t.Fatalf("units of %q end at %d", line, last)
			}
			if got := appendFold(nil, line, doc.Raw); !bytes.Equal(got, want) {
				t.Fatalf("%q: %q by units, %q by the fast way", line, want, got)
			}
		}
		folded := foldDocument(doc)
		if size := uint(len(folded.Text)); size > 0 {
			o := from % size
			for o > 0 && !utf8.RuneStart(folded.Text[o]) {
				o--
			}
			length := 1 + n%(size-o)
			start, end := folded.Original(int(o), int(length), false)
			_, all := folded.Original(int(o), int(length), true)
			if start < 0 || start > end || end > all || all > len(text) {
				t.Fatalf("%q: %d bytes at %d of %q are %d to %d (%d)", text, length, o, folded.Text, start, end, all)
			}
		}
		if len(text) < 2000 {
			file, old := []byte(text), NewFinder(doc, 1).FoldText(strings.ReplaceAll(text, "\r\n", "\n"))
			if pieces, ok := Carry(doc, file, old, old); ok && len(reading{raw: doc.Raw}.units(old)) > 0 {
				var got []byte
				for _, p := range pieces {
					got = append(got, p.Text...)
				}
				if !bytes.Equal(got, file) {
					t.Fatalf("%q came out as %q", file, got)
				}
			}
		}
	})
}
