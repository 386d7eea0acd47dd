package patchapply

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/chordgit/chordgit/edit"
)

// renderDiff writes what only operations of a diff have.
func renderDiff(op edit.Op) string {
	var b strings.Builder
	if op.Copy {
		b.WriteString(" copy\n")
	}
	if op.Verify {
		b.WriteString(" verify\n")
	}
	if op.Mode != 0 {
		fmt.Fprintf(&b, " mode %03o\n", op.Mode)
	}
	if op.PreImage != "" {
		fmt.Fprintf(&b, " of %s\n", op.PreImage)
	}
	if op.Binary != nil {
		fmt.Fprintf(&b, " binary delta=%v size=%d\n", op.Binary.Delta, op.Binary.Size)
	}
	if op.Unsupported != "" {
		b.WriteString(" unsupported\n")
	}
	for i, h := range op.Hunks {
		if h.At != 0 || h.OldBare || h.NewBare {
			fmt.Fprintf(&b, " hunk %d at %d%s%s\n", i+1, h.At, map[bool]string{true: " old bare"}[h.OldBare], map[bool]string{true: " new bare"}[h.NewBare])
		}
	}
	return b.String()
}

// exist says which names exist.
func exist(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, name) }
}

var diffTests = []parseTest{
	{name: "git", in: "diff --git a/f b/f|index 1..2 100644|--- a/f|+++ b/f|@@ -3,2 +3,2 @@ func x|-a|+b| c", want: `
diff f @1
 of 1
 hunk 1 at 3
 @@5 -a| +b|  c|
`},
	{name: "nothing", in: "diff --git a/f b/f|--- a/f|+++ b/f", want: "fail bad-input 1\n"},
	{name: "plain", in: "x|--- f|+++ f|@@ -1 +1 @@|-a|+b", want: `
diff f @2
 hunk 1 at 1
 @@4 -a| +b|
note prose 1
`},
	{name: "numberless", in: "--- f|+++ f|@@ ... @@|-a|+b|@@|-c", want: `
diff f @1
 @@3 -a| +b|
 @@6 -c|
`},
	{name: "two files", in: "--- f|+++ f|@@ @@|-a|+b||--- g|+++ g|@@ @@|-a", want: `
diff f @1
 @@3 -a| +b|
diff g @7
 @@9 -a|
`},
	{name: "mnemonic prefixes", in: "diff --git i/f w/f|--- i/f|+++ w/f|@@ -1 +1 @@|-a|+b", want: `
diff f @1
 hunk 1 at 1
 @@4 -a| +b|
`},
	{name: "no mnemonic prefixes outside git", in: "--- i/f|+++ w/f|@@ -1 +1 @@|-a|+b", want: `
diff w/f @1
 hunk 1 at 1
 @@3 -a| +b|
`},
	{name: "no prefixes", in: "diff --git f f|old mode 100644|new mode 100755", want: "diff f @1\n mode 755\n"},
	{name: "a name with blanks", in: "diff --git a/my f b/my f|old mode 100755|new mode 100644", want: "diff my f @1\n mode 644\n"},
	{name: "quoted names", in: `diff --git "a/\303\244" "b/\303\244"|new file mode 100644`, want: "add ä @1\n mode 644\n \"\"\n"},
	{name: "one quoted name", in: `diff --git a/x "b/\303\244"|similarity index 100%|rename from x|rename to "\303\244"`, want: "diff x -> ä @1\n"},
	{name: "a bad quotation", in: `--- "a\q|+++ b/f|@@ -1 +1 @@|-a|+b`, want: "fail bad-input 1\n"},
	{name: "a prefix that exists", in: "--- a/f|+++ b/f|@@ -1 +1 @@|-a|+b", opt: Options{Exists: exist("b/f")}, want: `
diff b/f @1
 hunk 1 at 1
 @@3 -a| +b|
`},
	{name: "a deleted prefix that exists", in: "--- a/f|+++ /dev/null|@@ -1 +0,0 @@|-a", opt: Options{Exists: exist("a/f")}, want: `
delete a/f @1
 verify
 hunk 1 at 1
 @@3 -a|
`},
	{name: "copies come first", in: "diff --git a/a b/a|--- a/a|+++ b/a|@@ -1 +1 @@|-a|+b|diff --git a/a b/c|copy from a|copy to c", want: `
diff a -> c @7
 copy
diff a @1
 hunk 1 at 1
 @@4 -a| +b|
`},
	{name: "new without newline", in: "--- /dev/null|+++ b/n|@@ -0,0 +1,2 @@|+a|+b|\\ No newline at end of file", want: "add n @1\n \"a\\nb\"\n"},
	{name: "new with old lines", in: "diff --git a/n b/n|new file mode 100644|--- /dev/null|+++ b/n|@@ -1 +1 @@|-a|+b", want: "fail bad-input 1\n"},
	{name: "deletion that keeps", in: "--- a/f|+++ /dev/null|@@ -1,2 +1 @@|-a| b", want: "fail bad-input 1\n"},
	{name: "new and gone", in: "diff --git a/f b/f|new file mode 100644|deleted file mode 100644", want: "fail bad-input 1\n"},
	{name: "no mode", in: "diff --git a/f b/f|old mode 100644|new mode 7", want: "fail bad-input 3\n"},
	{name: "markers", in: "--- f|+++ f|@@ -1 +1 @@|-a|\\ No newline at end of file|+b|\\ Kein Zeilenumbruch", want: `
diff f @1
 hunk 1 at 1 old bare new bare
 @@3 -a| +b|
`},
	{name: "a line after the last", in: "--- f|+++ f|@@ -1,2 +1,2 @@|-a|\\ No newline at end of file|-b|+c|+d", want: "fail bad-input 6\n"},
	{name: "an insertion", in: "--- f|+++ f|@@ -4,0 +5,1 @@|+a", want: `
diff f @1
 hunk 1 at 5
 @@3 +a|
`},
	{name: "an insertion whose head counts old lines", in: "--- f|+++ f|@@ -4,2 +5,1 @@|+a", want: `
diff f @1
 @@3 +a|
note hunk-counts 3
`},
	{name: "a hunk after counted lines", in: "--- f|+++ f|@@ -1 +1 @@|-a|+b||+c", want: `
diff f @1
 hunk 1 at 1
 @@3 -a| +b|  | +c|
note hunk-counts 3
`},
	{name: "a blank line of context", in: "--- f|+++ f|@@ -1,3 +1,3 @@|-a|+b|| c", want: `
diff f @1
 hunk 1 at 1
 @@3 -a| +b|  |  c|
`},
	{name: "prose behind", in: "--- f|+++ f|@@ @@|-a|+b|Done.", want: `
diff f @1
 @@3 -a| +b|
note prose 6
`},
	{name: "signature", in: "--- f|+++ f|@@ @@|-a|+b|-- |2.39.5|", want: `
diff f @1
 @@3 -a| +b|
note prose 6
`},
	{name: "names behind counted lines", in: "--- f|+++ f|@@ -1 +1 @@|-a|+b|--- g|+++ g|@@ -1 +1 @@|-a|+b", want: `
diff f @1
 hunk 1 at 1
 @@3 -a| +b|
diff g @6
 hunk 1 at 1
 @@8 -a| +b|
`},
	{name: "no lines", in: "--- f|+++ f|@@ -1 +1 @@|@@ -2 +2 @@|-a", want: "fail bad-input 3\n"},
	{name: "old name alone", in: "diff --git a/f b/f|--- a/f|x", want: "fail bad-input 3\n"},
	{name: "fence", in: "```diff|@@ -1 +1 @@|-a|+b|```", opt: Options{Path: "f"}, want: `
diff f @2
 hunk 1 at 1
 @@2 -a| +b|
note fence 1
`},
	{name: "bare", in: "@@ -1 +1 @@|-a|+b", opt: Options{Path: "f", Format: "udiff"}, want: `
diff f @1
 hunk 1 at 1
 @@1 -a| +b|
`},
	{name: "nameless", in: "```diff|@@ -1 +1 @@|-a|+b|```", want: "fail bad-input 2\n"},
	{name: "merge", in: "diff --cc f|index 1,2..3|--- a/f|+++ b/f|@@@ -1 -1 +1 @@@|- a|++b|diff --git a/g b/g|deleted file mode 100644", want: `
diff f @1
 unsupported
delete g @8
 verify
`},
	{name: "merge without name", in: "diff --cc \"|", want: "fail bad-input 1\n"},
	{name: "only CR", in: "--- f|+++ f|@@ -1 +1 @@|-a\r|+a|", want: `
diff f @1
 unsupported
 hunk 1 at 1
 @@3 -a| +a|
`},
	{name: "binary", in: "diff --git a/b b/b|index 1..2|GIT binary patch|literal 5|McmYdfNKWAb00ZR#GXMYp||literal 4|LcmYdfNa6wj0#*Rd||", want: `
diff b @1
 of 1
 binary delta=false size=5
`},
	{name: "damaged binary", in: "diff --git a/b b/b|GIT binary patch|literal 6|Nxx||", want: "fail bad-input 2\n"},
	{name: "binary without data", in: "diff --git a/b b/b|GIT binary patch|x", want: "fail bad-input 2\n"},
	{name: "binary files differ", in: "diff --git a/b b/b|index 1..2|Binary files a/b and b/b differ", want: "diff b @1\n of 1\n unsupported\n"},
}

func TestDiff(t *testing.T) { check(t, diffTests, short) }

func TestDiffLinear(t *testing.T) {
	for _, unit := range []string{"@@ -1,99999 +1,99999 @@\n-a\n", "--- a\n+++ b\n", "--- a\n+++ b\n@@ -1,9 +1,9 @@\n-a\n", "diff --git a/f b/f\n", "-- \n2.3\n",
		"copy from a\n", "\\ No newline at end of file\n", "@@\n", "-a\n\n\n", "diff --cc a\n", "GIT binary patch\nliteral 5\n", "McmYdfNKWAb00ZR#GXMYp\n"} {
		for _, head := range []string{"", "```diff\n", "--- a\n+++ b\n@@ -1,99999 +1,99999 @@\n-a\n", "diff --git a/f b/f\nGIT binary patch\nliteral 5\n"} {
			_, _ = Parse([]byte(head+strings.Repeat(unit, 200_000/len(unit))), Options{})
		}
	}
}

// compareReaders reads a well-formed diff twice.
func compareReaders(t *testing.T, text string) {
	t.Helper()
	files, _, err := gitdiff.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	req, err := Parse([]byte(text), Options{Format: "git-diff"})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want := make([]string, len(files))
	for i, f := range files {
		want[i] = describe(f)
	}
	got := make([]string, len(req.Ops))
	for i, op := range req.Ops {
		got[i] = describeOp(op)
	}
	slices.Sort(want) // copies come first
	slices.Sort(got)
	for i := range min(len(want), len(got)) {
		if got[i] != want[i] {
			t.Fatalf("got\n%s\nwant\n%s", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d files, want %d", len(got), len(want))
	}
}

func describe(f *gitdiff.File) string {
	var b strings.Builder
	name := f.NewName
	if f.IsDelete || f.IsRename || f.IsCopy {
		name = f.OldName
	}
	fmt.Fprintln(&b, name, f.IsNew, f.IsDelete, f.IsCopy, f.BinaryFragment != nil)
	for _, k := range f.TextFragments {
		if !f.IsNew {
			at := k.OldPosition
			if k.OldLines == 0 {
				at++
			}
			fmt.Fprintln(&b, "@@", at)
		}
		for _, l := range k.Lines {
			fmt.Fprint(&b, map[gitdiff.LineOp]string{gitdiff.OpContext: " ", gitdiff.OpAdd: "+", gitdiff.OpDelete: "-"}[l.Op], strings.TrimSuffix(l.Line, "\n"), "\n")
		}
	}
	if f.BinaryFragment != nil {
		data, err := io.ReadAll(f.BinaryFragment.Data())
		fmt.Fprintln(&b, len(data), err)
	}
	return b.String()
}

func describeOp(op edit.Op) string {
	var b strings.Builder
	fmt.Fprintln(&b, op.Path, op.Kind == edit.Add, op.Kind == edit.Delete, op.Copy, op.Binary != nil)
	for l := range strings.Lines(string(op.Content)) {
		fmt.Fprintf(&b, "+%s\n", strings.TrimSuffix(l, "\n"))
	}
	for _, h := range op.Hunks {
		fmt.Fprintln(&b, "@@", h.At)
		for _, l := range h.Lines {
			fmt.Fprintf(&b, "%c%s\n", l.Kind, l.Text)
		}
	}
	if p := op.Binary; p != nil {
		data, err := io.ReadAll((&gitdiff.BinaryFragment{Size: p.Size, RawData: p.Data}).Data())
		fmt.Fprintln(&b, len(data), err)
	}
	return b.String()
}
