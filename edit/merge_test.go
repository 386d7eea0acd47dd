package edit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// utf16LE stores a text as UTF-16 with a mark.
func utf16LE(text string) string {
	out := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

// mergeCases are also the seeds of the fuzzer. Those that differ name their
// line of the list of differences.
var mergeCases = []struct {
	about              string
	base, ours, theirs string
	want               string
	conflicts          []MergeConflict
	differs            string
}{
	{about: "both change", base: "a\nb\nc\n", ours: "A\nb\nc\n", theirs: "a\nb\nC\n", want: "A\nb\nC\n"},
	{about: "ours alone", base: "a\n", ours: "b\n", theirs: "a\n", want: "b\n"},
	{about: "theirs alone", base: "a\n", ours: "a\n", theirs: "b\n", want: "b\n"},
	{about: "nothing", base: "a\n", ours: "a\n", theirs: "a\n", want: "a\n"},
	{about: "the same line", base: "a\nb\nc\n", ours: "a\nx\nc\n", theirs: "a\ny\nc\n", conflicts: []MergeConflict{{2, 2}}},
	{about: "lines side by side", base: "a\nb\nc\nd\n", ours: "a\nB\nc\nd\n", theirs: "a\nb\nC\nd\n", conflicts: []MergeConflict{{2, 3}}},
	{about: "one line between", base: "a\nb\nc\n", ours: "A\nb\nc\n", theirs: "a\nb\n", want: "A\nb\n"},
	{about: "overlap", base: "a\nb\nc\nd\ne\n", ours: "a\nX\nY\nd\ne\n", theirs: "a\nb\nZ\ne\n", conflicts: []MergeConflict{{2, 4}}},
	{about: "a chain of overlaps", base: "a\nb\nc\nd\ne\nf\ng\n", ours: "a\nB\nc\nd\nE\nf\ng\n", theirs: "a\nb\nC\nD\ne\nf\ng\n", conflicts: []MergeConflict{{2, 5}}},
	{about: "two conflicts", base: "a\nb\nc\nd\ne\n", ours: "1\nb\nc\nd\n2\n", theirs: "3\nb\nc\nd\n4\n", conflicts: []MergeConflict{{1, 1}, {5, 5}}},
	{about: "a conflict beside clean changes", base: "a\nb\nc\nd\ne\n", ours: "0\n1\na\nb\nC\nd\ne\n", theirs: "a\nb\nX\nd\nE\n", conflicts: []MergeConflict{{5, 5}}},
	{about: "equal changes", base: "a\nb\nc\n", ours: "a\nx\nc\n", theirs: "a\nx\nc\nd\n", want: "a\nx\nc\nd\n"},
	{about: "equal changes of different extent", base: "a\nb\nc\nd\n", ours: "x\ny\nd\ne\n", theirs: "x\ny\nd\n", want: "x\ny\nd\ne\n"},
	{about: "both delete", base: "a\nb\nc\nd\n", ours: "a\nc\nd\n", theirs: "a\nc\nD\n", want: "a\nc\nD\n"},
	{about: "one deletes more", base: "a\nb\nc\nd\n", ours: "a\nd\n", theirs: "a\nc\nd\n", conflicts: []MergeConflict{{2, 1}}},
	{about: "deleted here, changed there", base: "a\nb\nc\n", ours: "a\nc\n", theirs: "a\nB\nc\n", conflicts: []MergeConflict{{2, 1}}},
	{about: "insertions at one point", base: "a\nb\n", ours: "a\nx\nb\n", theirs: "a\ny\nb\n", conflicts: []MergeConflict{{2, 2}}},
	{about: "equal insertions at one point", base: "a\nb\n", ours: "a\nx\nb\nc\n", theirs: "a\nx\nb\n", want: "a\nx\nb\nc\n"},
	{about: "an insertion behind a changed line", base: "a\nb\nc\n", ours: "a\nB\nc\n", theirs: "a\nb\nn\nc\n", conflicts: []MergeConflict{{2, 2}}},
	{about: "appended by both", base: "a\n", ours: "a\nb\n", theirs: "a\nc\n", conflicts: []MergeConflict{{2, 2}}},
	{about: "ours loses its last newline", base: "a\nb\nc\n", ours: "a\nb\nc", theirs: "A\nb\nc\n", want: "A\nb\nc"},
	{about: "theirs loses its last newline", base: "a\nb\nc\n", ours: "A\nb\nc\n", theirs: "a\nb\nc", want: "A\nb\nc"},
	{about: "theirs gets a last newline", base: "a\nb\nc", ours: "A\nb\nc", theirs: "a\nb\nc\n", want: "A\nb\nc\n"},
	{about: "no last newline anywhere", base: "a\nb\nc", ours: "A\nb\nc", theirs: "a\nb\nC", want: "A\nb\nC"},
	{about: "appended without newline, and the line before changed", base: "a\nb", ours: "a\nb\nc", theirs: "a\nB", conflicts: []MergeConflict{{2, 3}}},
	{about: "CRLF", base: "a\r\nb\r\nc\r\n", ours: "A\r\nb\r\nc\r\n", theirs: "a\r\nb\r\nC\r\n", want: "A\r\nb\r\nC\r\n"},
	{about: "CRLF in one line only", base: "a\nb\nc\n", ours: "a\r\nb\nc\n", theirs: "a\nb\nC\n", want: "a\r\nb\nC\n"},
	{about: "dos2unix and a change", base: "a\r\nb\r\nc\r\n", ours: "a\nb\nc\n", theirs: "a\r\nB\r\nc\r\n", conflicts: []MergeConflict{{1, 3}}},
	{about: "blanks count", base: "a\nb\nc\n", ours: "a\n b\nc\n", theirs: "a\nb \nc\n", conflicts: []MergeConflict{{2, 2}}},
	{about: "CR as data", base: "a\rb\nc\nd\n", ours: "a\rB\nc\nd\n", theirs: "a\rb\nc\nD\n", want: "a\rB\nc\nD\n"},
	{about: "CR as data is one line", base: "a\rb\rc\nd\n", ours: "A\rb\rc\nd\n", theirs: "a\rb\rC\nd\n", conflicts: []MergeConflict{{1, 1}}},
	{about: "lone CR", base: "a\rb\rc\r", ours: "A\rb\rc\r", theirs: "a\rb\rC\r", want: "A\rb\rC\r", differs: "CR alone"},
	{about: "lone CR against LF", base: "a\rb\rc\r", ours: "A\nb\nc\n", theirs: "a\rb\rC\r", conflicts: []MergeConflict{{1, 3}}},
	{about: "empty base", base: "", ours: "a\n", theirs: "b\n", conflicts: []MergeConflict{{1, 1}}},
	{about: "empty base, same text", base: "", ours: "a\n", theirs: "a\n", want: "a\n"},
	{about: "ours emptied", base: "a\nb\n", ours: "", theirs: "a\nB\n", conflicts: []MergeConflict{{1, 0}}},
	{about: "both emptied", base: "a\nb\n", ours: "", theirs: "", want: ""},
	{about: "Latin-1", base: "caf\xE9\nb\nth\xE9\n", ours: "CAF\xC9\nb\nth\xE9\n", theirs: "caf\xE9\nb\nTH\xC9\n", want: "CAF\xC9\nb\nTH\xC9\n"},
	{about: "Latin-1 here, UTF-8 there", base: "a\nb\nc\n", ours: "\xE9\nb\nc\n", theirs: "a\nb\né\n", want: "\xE9\nb\né\n"},
	{about: "a mark of UTF-8 is part of its line", base: "\xEF\xBB\xBFa\nb\nc\n", ours: "a\nb\nc\n", theirs: "\xEF\xBB\xBFa\nb\nC\n", want: "a\nb\nC\n"},
	{about: "NUL behind the first 8 KiB", base: "a\nb\n" + long + "\x00\n", ours: "A\nb\n" + long + "\x00\n", theirs: "a\nb\n" + long + "\x00\n\n", want: "A\nb\n" + long + "\x00\n\n"},
	{about: "UTF-16", base: utf16LE("a\nb\n\u0A0A\n"), ours: utf16LE("a😀\nb\n\u0A0A\n"), theirs: utf16LE("a\nb\n\u0A0A\u0D0A"), want: utf16LE("a😀\nb\n\u0A0A\u0D0A"), differs: "UTF-16 and UTF-32 with a mark"},
	{about: "UTF-16 conflict", base: utf16LE("a\nb\n"), ours: utf16LE("A\nb\n"), theirs: utf16LE("Ä\nb\n"), conflicts: []MergeConflict{{1, 1}}, differs: "UTF-16 and UTF-32 with a mark"},
	{about: "theirs goes back to UTF-16", base: "a\nb\né\n", ours: "A\nb\né\n", theirs: utf16LE("a\nb\né\n"), want: utf16LE("A\nb\né\n"), differs: "UTF-16 and UTF-32 with a mark"},
	{about: "ours left UTF-16", base: utf16LE("a\nb\nc\n"), ours: "A\nb\nc\n", theirs: utf16LE("a\nb\nC\n"), want: "A\nb\nC\n", differs: "UTF-16 and UTF-32 with a mark"},
	{about: "one side is as base, binary", base: "\x00a", ours: "\x00b", theirs: "\x00a", want: "\x00b", differs: "binary files that one side left as they were"},
	{about: "both made the same binary", base: "\x00a", ours: "\x00b", theirs: "\x00b", want: "\x00b", differs: "binary files that one side left as they were"},
}

var long = strings.Repeat("0123456789abcde\n", 600)

func TestMerge(t *testing.T) {
	for _, tt := range mergeCases {
		t.Run(tt.about, func(t *testing.T) {
			merged, conflicts, err := Merge([]byte(tt.base), []byte(tt.ours), []byte(tt.theirs))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(conflicts, tt.conflicts) || string(merged) != tt.want {
				t.Errorf("%q, %v; want %q, %v", merged, conflicts, tt.want, tt.conflicts)
			}
			if conflicts != nil && merged != nil {
				t.Error("a result beside conflicts")
			}
		})
	}
}

// noMerge are texts that have no merge by lines.
var noMerge = []struct {
	about              string
	base, ours, theirs string
	code               Code
	differs            string
}{
	{"binary ours", "a\nb\n", "a\x00\nb\n", "A\nb\n", Binary, ""},
	{"binary base", "a\x00\nb\n", "a\nb\n", "A\nb\n", Binary, ""},
	{"binary theirs", "a\nb\n", "A\nb\n", "a\x00\nb\n", Binary, ""},
	{"NUL just below 8 KiB", "a\nb\n", strings.Repeat("n", 8191) + "\x00", "A\nb\n", Binary, "NUL from byte 8,000 on"},
	{"half a character of UTF-16", utf16LE("a\nb\n"), utf16LE("a\nb\n") + "b", utf16LE("A\nb\n"), Encoding, ""},
	{"three encodings", utf16LE("a\nb\n"), "\xFE\xFF\x00a", "A\nb\n", Encoding, ""},
	{"what UTF-16 cannot hold", "a\nb\nc\n", "a\nb\n\xE9\n", utf16LE("A\nb\nc\n"), Encoding, ""},
	{"33,554,433 bytes", "a\nb\n", strings.Repeat("n", 32<<20+1), "A\nb\n", TooLarge, "32 MiB, 1,000,000 lines"},
	{"1,000,001 lines", "a\nb\n", "b\n" + strings.Repeat("\n", 1_000_000), "A\nb\n", TooLarge, "32 MiB, 1,000,000 lines"},
	{"1,000,001 lines, the last one bare", "a\nb\n", strings.Repeat("\n", 1_000_000) + "b", "A\nb\n", TooLarge, "32 MiB, 1,000,000 lines"},
	{"1,000,001 lines that end at CR", "a\rb\r", strings.Repeat("\r", 1_000_001), "A\rb\r", TooLarge, "32 MiB, 1,000,000 lines"},
}

func TestNoMerge(t *testing.T) {
	for _, tt := range noMerge {
		t.Run(tt.about, func(t *testing.T) {
			merged, conflicts, err := Merge([]byte(tt.base), []byte(tt.ours), []byte(tt.theirs))
			if !errors.Is(err, &Error{Code: tt.code}) || merged != nil || conflicts != nil {
				t.Errorf("%.40q, %v, %v; want code %s", merged, conflicts, err, tt.code)
			}
		})
	}
}

func TestMergeAtLimit(t *testing.T) {
	base := "a\n" + strings.Repeat("\n", 999_998)
	merged, conflicts, err := Merge([]byte(base), []byte("b"+base[1:]), []byte(base+"c"))
	if want := "b" + base[1:] + "c"; err != nil || conflicts != nil || string(merged) != want {
		t.Errorf("%d bytes, %v, %v", len(merged), conflicts, err)
	}
}

// TestMergeDifferences holds the list of differences from git merge-file: a
// case that names a line of it does differ, every other is as git's, and no
// line is without a case.
func TestMergeDifferences(t *testing.T) {
	git := mergeFile(t)
	told := mergeDifferences(t)
	if len(told) == 0 || len(told) > 10 {
		t.Errorf("%d kinds are listed", len(told))
	}
	shown := map[string]bool{}
	check := func(about, base, ours, theirs, differs string, same func(merged []byte, conflict bool, err error) bool) {
		t.Helper()
		merged, conflict, err := git([]byte(base), []byte(ours), []byte(theirs))
		switch equal := same(merged, conflict, err); {
		case differs != "" && !told[differs]:
			t.Errorf("%s: %q is not in testdata/differences.md", about, differs)
		case equal != (differs == ""):
			t.Errorf("%s: git has %.80q, conflict %v, %v; listed as different: %q", about, merged, conflict, err, differs)
		}
		shown[differs] = true
	}
	for _, tt := range mergeCases {
		check(tt.about, tt.base, tt.ours, tt.theirs, tt.differs, func(merged []byte, conflict bool, err error) bool {
			return err == nil && conflict == (tt.conflicts != nil) && string(merged) == tt.want
		})
	}
	refused := func(_ []byte, _ bool, err error) bool { return err != nil }
	for _, tt := range noMerge {
		check(tt.about, tt.base, tt.ours, tt.theirs, tt.differs, refused)
	}
	for kind := range told {
		if !shown[kind] {
			t.Errorf("%q is listed as different, and no case shows it", kind)
		}
	}
}

// mergeDifferences are the kinds that testdata/differences.md lists.
func mergeDifferences(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "differences.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "\n# Where a merge differs from `git merge-file`'s\n")
	text, _, _ = strings.Cut(text, "\n# ")
	_, rows, _ := strings.Cut(text, "|---|---|---|---|\n")
	told := map[string]bool{}
	for row := range strings.Lines(rows) {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			told[strings.TrimSpace(cells[1])] = true
		}
	}
	return told
}

func TestOnlyLineEndings(t *testing.T) {
	for _, tt := range []struct {
		about, a, b string
		want        bool
	}{
		{"dos2unix", "a\r\nb\r\n", "a\nb\n", true},
		{"unix2dos in part", "a\nb\nc\n", "a\nb\r\nc\n", true},
		{"mac2unix", "a\rb\r", "a\nb\n", true},
		{"the last newline", "a\nb\n", "a\nb", true},
		{"UTF-16", utf16LE("a\r\nb\r\n"), utf16LE("a\nb\n"), true},
		{"the same", "a\nb\n", "a\nb\n", false},
		{"a change, too", "a\r\nb\r\n", "a\nB\n", false},
		{"a blank line more", "a\r\nb\r\n", "a\nb\n\n", false},
		{"CR as data", "a\rb\nc\n", "a\nb\nc\n", false},
		{"the encoding, too", utf16LE("a\r\n"), "a\n", false},
		{"binary", "a\r\n\x00", "a\n\x00", false},
	} {
		if got := OnlyLineEndings([]byte(tt.a), []byte(tt.b)); got != tt.want {
			t.Errorf("%s: %v", tt.about, got)
		}
		if got := OnlyLineEndings([]byte(tt.b), []byte(tt.a)); got != tt.want {
			t.Errorf("%s, the other way round: %v", tt.about, got)
		}
	}
}

func FuzzMerge(f *testing.F) {
	for _, tt := range mergeCases {
		f.Add([]byte(tt.base), []byte(tt.ours), []byte(tt.theirs))
	}
	for _, tt := range noMerge {
		if len(tt.ours) < 1<<16 {
			f.Add([]byte(tt.base), []byte(tt.ours), []byte(tt.theirs))
		}
	}
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		before := [3][]byte{bytes.Clone(base), bytes.Clone(ours), bytes.Clone(theirs)}
		merged, conflicts, err := Merge(base, ours, theirs)
		swapped, mirror, errSwapped := Merge(base, theirs, ours)
		for i, now := range [3][]byte{base, ours, theirs} {
			if !bytes.Equal(now, before[i]) {
				t.Fatalf("argument %d was changed", i)
			}
		}
		if (err == nil) != (errSwapped == nil) || len(conflicts) != len(mirror) || !bytes.Equal(merged, swapped) {
			t.Fatalf("%q, %v, %v; sides exchanged %q, %v, %v", merged, conflicts, err, swapped, mirror, errSwapped)
		}
		if err != nil && (merged != nil || conflicts != nil) {
			t.Fatalf("%q, %v beside an error", merged, conflicts)
		}
		end := 0 // of the conflict before
		for _, c := range conflicts {
			if c.First <= end || c.Last < c.First-1 || c.Last > bytes.Count(ours, []byte{'\n'})+bytes.Count(ours, []byte{'\r'})+1 {
				t.Fatalf("conflicts %v", conflicts)
			}
			end = c.Last
		}
		for _, alone := range [][3][]byte{{base, ours, base}, {base, base, ours}, {base, ours, ours}} {
			merged, conflicts, err := Merge(alone[0], alone[1], alone[2])
			if err != nil || conflicts != nil || !bytes.Equal(merged, ours) {
				t.Fatalf("one change alone: %q, %v, %v", merged, conflicts, err)
			}
		}
		if only := OnlyLineEndings(base, ours); only != OnlyLineEndings(ours, base) || only && bytes.Equal(base, ours) {
			t.Fatalf("line endings: %v", only)
		}
	})
}
