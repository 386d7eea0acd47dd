package patchapply

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

// render writes a request or its refusal in a compact form, one fact a line:
//
//	add|update|delete|replace|block|write PATH[ -> PATH] @LINE, then the operation's details
//	call ID NAME, base DIR, note CODE LINE, fail CODE LINE
func render(req *Request, err error) string {
	var b strings.Builder
	if req != nil && err == nil {
		if req.Base != "" {
			fmt.Fprintf(&b, "base %s\n", req.Base)
		}
		if req.DryRun {
			b.WriteString("dry run\n")
		}
		for _, op := range req.Ops {
			b.WriteString(renderOp(op))
		}
		for _, n := range req.Notes {
			fmt.Fprintf(&b, "note %s %d\n", n.Code, n.Line)
		}
	}
	if req != nil {
		for _, c := range req.Calls {
			switch {
			case c.View != nil:
				fmt.Fprintf(&b, "view %s %d %d\n", c.View.Path, c.View.From, c.View.To)
			case c.Undo != "":
				fmt.Fprintf(&b, "undo %s\n", c.Undo)
			}
			if c.Form == Text {
				continue
			}
			fmt.Fprintf(&b, "call %s %s\n", c.ID, c.Name)
		}
	}
	var errs edit.Errors
	if errors.As(err, &errs) {
		for _, e := range errs {
			fmt.Fprintf(&b, "fail %s %d\n", e.Code, e.Line)
		}
	}
	return b.String()
}

func renderOp(op edit.Op) string {
	var b strings.Builder
	kind := map[edit.Kind]string{edit.Add: "add", edit.Update: "update", edit.Delete: "delete", edit.Replace: "replace", edit.Block: "block", edit.Write: "write", edit.Insert: "insert", edit.Diff: "diff"}[op.Kind]
	fmt.Fprintf(&b, "%s %s", kind, op.Path)
	if op.MoveTo != "" {
		fmt.Fprintf(&b, " -> %s", op.MoveTo)
	}
	fmt.Fprintf(&b, " @%d\n", op.Line)
	b.WriteString(renderDiff(op))
	if op.Kind == edit.Insert {
		fmt.Fprintf(&b, " behind %d", op.At)
	}
	if op.Kind == edit.Add || op.Kind == edit.Write || op.Kind == edit.Insert {
		fmt.Fprintf(&b, " %q\n", op.Content)
	}
	for _, h := range op.Hunks {
		fmt.Fprintf(&b, " @@%d", h.Line)
		for _, a := range h.Anchors {
			fmt.Fprintf(&b, " <%s>", a)
		}
		for _, l := range h.Lines {
			fmt.Fprintf(&b, " %c%s|", l.Kind, l.Text)
		}
		if h.EOF {
			b.WriteString(" EOF")
		}
		b.WriteByte('\n')
	}
	for _, r := range op.Replacements {
		fmt.Fprintf(&b, " %q -> %q", r.Old, r.New)
		if r.All {
			b.WriteString(" all")
		}
		if r.Count > 0 {
			fmt.Fprintf(&b, " count %d", r.Count)
		}
		if r.Hint > 0 {
			fmt.Fprintf(&b, " line %d", r.Hint)
		}
		if op.Batch {
			b.WriteString(" batch")
		}
		if op.InOrder {
			b.WriteString(" in order")
		}
		if r.From > 0 {
			fmt.Fprintf(&b, " in %d-%d", r.From, r.To)
		}
		b.WriteByte('\n')
	}
	for _, r := range op.Readings {
		fmt.Fprintf(&b, " or %s %q -> %q\n", r.Code, r.Old, r.New)
	}
	return b.String()
}

// marks are the short spellings of markers at the beginning of lines.
var marks = map[string]string{"BP": beginMark, "EP": endMark, "A ": addMark, "U ": updMark, "D ": delMark, "M ": moveMark, "EOF": eofMark}

var mark = regexp.MustCompile(`(?m)^([ \t]*)(BP|EP|A |U |D |M |EOF)`)

// short expands a request that is written with | for line breaks.
func short(s string) string {
	return mark.ReplaceAllStringFunc(strings.ReplaceAll(s, "|", "\n"), func(m string) string {
		t := strings.TrimLeft(m, " \t")
		return m[:len(m)-len(t)] + marks[t]
	})
}

type parseTest struct {
	name, in, want string
	opt            Options
}

func check(t *testing.T, tests []parseTest, expand func(string) string) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := expand(tt.in)
			got := render(Parse([]byte(in), tt.opt))
			if want := strings.TrimPrefix(tt.want, "\n"); got != want {
				_, err := Parse([]byte(in), tt.opt)
				t.Errorf("%q\ngot\n%swant\n%serror: %v", in, got, want, err)
			}
		})
	}
}

// readTests are about what a complete patch says: BP and EP stand around each.
var readTests = []parseTest{
	{name: "all kinds", in: "U m|@@| one|-two|+TWO|A n/new.md|+# Hi|D t", want: "\nupdate m @2\n @@3  one| -two| +TWO|\nadd n/new.md @7\n \"# Hi\\n\"\ndelete t @9\n"},
	{name: "padded headers", in: "  U m  |-a| D k", want: "update m @2\n @@3 -a|  *** Delete File: k|\n"},
	{name: "padded headers behind an Add", in: " A k|+1|  D m", want: "add k @2\n \"1\\n\"\ndelete m @4\n"},
	{name: "blank lines between sections", in: "A k|+1||D z", want: "add k @2\n \"1\\n\"\ndelete z @5\n"},
	{name: "blank line in an Add", in: "A k|+a||+b", want: "fail bad-input 4\n"},
	{name: "empty Add", in: "A k", want: "add k @2\n \"\"\n"},
	{name: "Add with an empty line", in: "A k|+x|+", want: "add k @2\n \"x\\n\\n\"\n"},
	{name: "Add with markers as content", in: "A k|+*** End Patch|+*** x", want: "add k @2\n \"*** End Patch\\n*** x\\n\"\n"},
	{name: "Add without plus", in: "A k|+a|b|c|D z|x", want: "fail bad-input 4\nfail bad-input 7\n"},
	{name: "Delete has no body", in: "D k|-a", want: "fail bad-input 3\n"},
	{name: "prefixed markers are content", in: "U m| a| *** note|-*** x|+*** y", want: "update m @2\n @@3  a|  *** note| -*** x| +*** y|\n"},
	{name: "unknown marker", in: "U m|@@|-a|+b|*** Rename File: q", want: "fail bad-input 6\n"},
	{name: "all problems", in: "U m|@@|-a|+b|*** Rename File: q|A k|x|U n|EP ", want: "fail bad-input 6\nfail bad-input 8\nfail bad-input 9\n"},
	{name: "marker in other case", in: "*** add file: q|+x", want: "fail bad-input 2\n"},
	{name: "header without blank", in: "*** Add File:q|+x", want: "fail bad-input 2\n"},
	{name: "header without path", in: "A |+x|D z", want: "fail bad-input 2\n"},
	{name: "path is literal", in: "D  \"a b\" %20#[x]~  ", want: "delete \"a b\" %20#[x]~ @2\n"},
	{name: "move", in: "U a|M d/b|@@|-x|+y", want: "update a -> d/b @2\n @@4 -x| +y|\n"},
	{name: "pure move", in: "U a|M b", want: "update a -> b @2\n"},
	{name: "late move", in: "U m|@@|-a|+b|M n", want: "fail bad-input 6\n"},
	{name: "second move", in: "U m|M n|M o", want: "fail bad-input 4\n"},
	{name: "move without path", in: "U m|M |@@|-a", want: "fail bad-input 3\n"},
	{name: "no hunk", in: "U m", want: "fail bad-input 2\n"},
	{name: "hunk without lines", in: "U m|@@", want: "fail bad-input 3\n"},
	{name: "hunk without lines before another", in: "U m|@@ a||@@ b|-x", want: "fail bad-input 3\n"},
	{name: "first hunk without @@", in: "U m|-a|+b|@@|-c", want: "update m @2\n @@3 -a| +b|\n @@5 -c|\n"},
	{name: "tab is no prefix", in: "U m|@@|\ta|-b|+c|x", want: "fail bad-input 4\n"},
	{name: "blanks are literal", in: "U m|@@| a|    |\t\t|-d", want: "update m @2\n @@3  a|     |  \t| -d|\n"},
	{name: "anchors", in: "U m|@@ -4,3 +4,3 @@ func y() {|-a|@@x|-b|@@    y  |-c|@@ z @@|-d", want: "update m @2\n @@3 <func y() {> -a|\n @@5 <x> -b|\n @@7 <   y> -c|\n @@9 <z> -d|\n"},
	{name: "bare anchors", in: "U m|@@ -1 +1 @@|-a|@@ ...|-b|@@ ... @@|-c|@@ @@|-d", want: "update m @2\n @@3 -a|\n @@5 -b|\n @@7 -c|\n @@9 -d|\n"},
	{name: "stacked anchors", in: "U m|@@ class B:|@@|@@     def run(self):|-a", want: "update m @2\n @@3 <class B:> <    def run(self):> -a|\n"},
	{name: "@@@", in: "U m|@@@ a|-a", want: "fail bad-input 3\n"},
	{name: "blank context", in: "U m|@@| a||-b|+B", want: "update m @2\n @@3  a|  | -b| +B|\n"},
	{name: "blank separators", in: "U m||@@|-b|+B|||@@|-c||A k|+1||", want: "update m @2\n @@4 -b| +B|\n @@9 -c|\nadd k @12\n \"1\\n\"\n"},
	{name: "blank before literal blanks", in: "U m|@@|-b|||  |A k|+1", want: "update m @2\n @@3 -b|  |  |   |\nadd k @8\n \"1\\n\"\n"},
	{name: "end of file", in: "U m|@@|-a|EOF|@@|-b|EOF  ", want: "update m @2\n @@3 -a| EOF\n @@6 -b| EOF\n"},
	{name: "end of file behind blanks", in: "U m|@@|-a||EOF", want: "update m @2\n @@3 -a| EOF\n"},
	{name: "end of file without lines", in: "U m|@@|EOF|-a", want: "fail bad-input 4\n"},
	{name: "lines behind end of file", in: "U m|@@|-a|EOF|-b|-c", want: "fail bad-input 6\n"},
	{name: "end of file elsewhere", in: "A m|+a|EOF", want: "fail bad-input 4\n"},
	{name: "no-newline marker", in: "U m|@@| a|-b|+c|\\ No newline at end of file", want: "update m @2\n @@3  a| -b| +c|\nnote no-newline-marker 7\n"},
	{name: "context only", in: "U m|@@| a", want: "update m @2\n @@3  a|\n"},
	{name: "environment", in: "*** Environment ID: e1|A k|+1", want: "add k @3\n \"1\\n\"\nnote environment 2\n"},
	{name: "environment twice", in: "*** Environment ID: e1|*** Environment ID: e2|A k|+1", want: "fail bad-input 3\n"},
	{name: "late environment", in: "A k|+1|*** Environment ID: e1", want: "fail bad-input 4\n"},
	{name: "other carriage returns are content", in: "U m|@@|-a\rb\r\r", want: "update m @2\n @@3 -a\rb\r|\n"},
	{name: "no section", in: "", want: "fail nothing-recognised 1\n"},
}

func TestEnvelope(t *testing.T) {
	check(t, readTests, func(s string) string {
		if s == "" {
			return short("BP|EP|")
		}
		return short("BP|" + s + "|EP|")
	})
}

const upd = "update m @%d\n @@%d -a| +b|\n"

var wrapTests = []parseTest{
	{name: "plain", in: "BP|U m|@@|-a|+b|EP|", want: fmt.Sprintf(upd, 2, 3)},
	{name: "no line feed at the end", in: "BP|U m|@@|-a|+b|EP", want: fmt.Sprintf(upd, 2, 3)},
	{name: "CRLF", in: "BP\r|U m\r|@@\r|-a\r|+b\r|EP\r", want: fmt.Sprintf(upd, 2, 3)},
	{name: "Begin missing", in: "U m|@@|-a|+b|EP", want: fmt.Sprintf(upd, 1, 2) + "note begin-missing 1\n"},
	{name: "End missing", in: "BP|U m|@@|-a|+b", want: fmt.Sprintf(upd, 2, 3) + "note end-missing 5\n"},
	{name: "both missing", in: "D m.txt", want: "delete m.txt @1\nnote begin-missing 1\nnote end-missing 1\n"},
	{name: "pure move without End", in: "BP|U a|M b", want: "update a -> b @2\nnote end-missing 3\n"},
	{name: "prose", in: "Here is the change:||BP|U m|@@|-a|+b|EP|Hope that helps.", want: fmt.Sprintf(upd, 4, 5) + "note prose 1\n"},
	{name: "prose without Begin", in: "Here is the change:|U m|@@|-a|+b|EP", want: "fail bad-input 1\n"},
	{name: "header before Begin", in: "D x|BP|U m|@@|-a|+b|EP", want: "fail bad-input 1\n"},
	{name: "header after End", in: "BP|U m|@@|-a|+b|EP|D g|D h", want: "fail bad-input 7\n"},
	{name: "junk", in: "BP now|U m|@@|-a|+b|EP.", want: fmt.Sprintf(upd, 2, 3) + "note junk 1\nnote junk 6\n"},
	{name: "glued End", in: "BP|A m|+x*** End Patch", want: "fail bad-input 3\n"},
	{name: "padded marks", in: "  BP|U m|@@|-a|+b|  EP  ", want: fmt.Sprintf(upd, 2, 3)},
	{name: "marks in lists", in: "- do:|  BP|  U m|  @@|  -a|  +b|  EP|done", want: fmt.Sprintf(upd, 3, 4) + "note dedent 2\nnote prose 1\n"},
	{name: "dedent", in: "    BP|    U m|    @@|    -a||    +b|    EP", want: "update m @2\n @@3 -a|  | +b|\nnote dedent 1\n"},
	{name: "dedent without Begin", in: "\tU m|\t@@|\t-a|\t+b|\tEP", want: fmt.Sprintf(upd, 1, 2) + "note begin-missing 1\nnote dedent 1\n"},
	{name: "heredoc", in: "apply_patch <<'PATCH'|BP|U m|@@|-a|+b|EP|PATCH", want: fmt.Sprintf(upd, 3, 4) + "note heredoc 1\n"},
	{name: "heredoc with cd", in: "cd sub && applypatch <<X|BP|U m|@@|-a|+b|EP|X", want: "base sub\n" + fmt.Sprintf(upd, 3, 4) + "note heredoc 1\n"},
	{name: "heredoc with a quoted directory", in: "cd 'a b' && apply_patch <<\"E-1\"|BP|U m|@@|-a|+b|EP|E-1", want: "base a b\n" + fmt.Sprintf(upd, 3, 4) + "note heredoc 1\n"},
	{name: "heredoc with tabs", in: "<<-END|\tBP|\tU m|\t@@|\t-a|\t+b|\tEP|\tEND", want: fmt.Sprintf(upd, 3, 4) + "note heredoc 1\n"},
	{name: "indented heredoc", in: "  apply_patch <<X|  BP|  U m|  @@|  -a|  +b|  EP|  X", want: fmt.Sprintf(upd, 3, 4) + "note heredoc 1\nnote dedent 1\n"},
	{name: "heredoc without terminator", in: "apply_patch <<X|BP|U m|@@|-a|+b|EP", want: fmt.Sprintf(upd, 3, 4) + "note heredoc 1\n"},
	{name: "heredoc without terminator and End", in: "apply_patch <<X|BP|U m|@@|-a|+b", want: "fail truncated 1\n"},
	{name: "heredoc in two directories", in: "cd a && apply_patch <<X|BP|D m|EP|X|cd b && apply_patch <<X|BP|D n|EP|X", want: "fail bad-input 7\n"},
	{name: "heredoc whose directory needs a shell", in: "cd $HOME && apply_patch <<X|BP|D m|EP|X", want: "fail bad-input 1\n"},
	{name: "cd on a line of its own", in: "cd a|apply_patch <<X|BP|D m|EP|X", want: "fail bad-input 1\n"},
	{name: "fence", in: "So:|```diff|BP|U m|@@|-a|+b|EP|```|Done.", want: fmt.Sprintf(upd, 4, 5) + "note fence 2\nnote prose 1\n"},
	{name: "tilde fence without Begin", in: "So:|~~~~|U m|@@|-a|+b|~~~~", want: fmt.Sprintf(upd, 3, 4) + "note begin-missing 3\nnote end-missing 6\nnote fence 2\nnote prose 1\n"},
	{name: "indented fence", in: "1. So:|   ```|   BP|   U m|   @@|   -a|   +b|   EP|   ```", want: fmt.Sprintf(upd, 4, 5) + "note fence 2\nnote prose 1\n"},
	{name: "fence as context", in: "```|BP|U m|@@| ```|-a|+b| ```|EP|```", want: "update m @3\n @@4  ```| -a| +b|  ```|\nnote fence 1\n"},
	{name: "heredoc in a fence", in: "```bash|apply_patch <<'E'|BP|U m|@@|-a|+b|EP|E|```", want: fmt.Sprintf(upd, 4, 5) + "note heredoc 2\nnote fence 1\n"},
	{name: "open fence with End", in: "```|BP|U m|@@|-a|+b|EP", want: fmt.Sprintf(upd, 3, 4) + "note fence 1\n"},
	{name: "open fence without End", in: "```|BP|U m|@@|-a|+b", want: "fail truncated 1\n"},
	{name: "shell block", in: "```sh|rm -rf x|```|BP|D m|EP", want: "delete m @5\nnote shell-block 1\n"},
	{name: "section in a shell block", in: "```sh|x|D m|```", want: "fail bad-input 1\n"},
	{name: "several", in: "BP|U m|@@|-a|+b|EP|and|BP|D x|EP", want: fmt.Sprintf(upd, 2, 3) + "delete x @9\nnote envelopes 8\nnote prose 7\n"},
	{name: "several without End", in: "BP|D x|BP|D y|EP", want: "delete x @2\ndelete y @4\nnote end-missing 2\nnote envelopes 3\n"},

	{name: "cut in a marker", in: "BP|U m|@@|-a|+b|*** Upd", want: "fail truncated 6\n"},
	{name: "cut in an anchor", in: "BP|U m|@@|-a|+b|@@ func", want: "fail truncated 2\n"},
	{name: "cut behind a header", in: "BP|A m", want: "fail truncated 2\n"},
	{name: "cut in a header", in: "BP|D x|*** Update File:", want: "fail truncated 3\n"},
	{name: "cut in an Update", in: "BP|U m", want: "fail truncated 2\n"},
	{name: "cut behind Begin", in: "BP", want: "fail truncated 1\n"},
	{name: "bad and cut", in: "BP|A k|x|D z|U m", want: "fail bad-input 3\nfail truncated 5\n"},

	{name: "empty", in: "", want: "fail nothing-recognised 0\n"},
	{name: "prose only", in: "I could not find it.", want: "fail nothing-recognised 0\n"},
	{name: "near miss", in: "x|*** begin patch", want: "fail nothing-recognised 2\n"},
	{name: "near miss of a block", in: "<<<< SEARCH", want: "fail nothing-recognised 1\n"},
	{name: "search and replace", in: "f|<<<<<<< SEARCH|a|=======|b|>>>>>>> REPLACE", want: "block f @2\n \"a\\n\" -> \"b\\n\"\n"},
	{name: "xml", in: "<replace_in_file>|<path>f</path>", want: "fail truncated 1\n"},
	{name: "listing", in: "src/f.go|```|package f|```", want: "write src/f.go @2\n \"package f\\n\"\n"},
	{name: "block behind a patch", in: "BP|D m|EP|f|<<<<<<< SEARCH|a|=======|>>>>>>> REPLACE", want: "fail mixed-formats 5\n"},
	{name: "block behind a patch, format given", in: "BP|D m|EP|<<<<<<< SEARCH|a", opt: Options{Format: "patch"}, want: "delete m @2\nnote prose 4\n"},
	{name: "V4A", in: "@@|-a|+b", opt: Options{Path: "f"}, want: "update f @1\n @@1 -a| +b|\n"},
	{name: "unknown format", in: "x", opt: Options{Format: "zip"}, want: "fail usage 0\n"},
	{name: "too large", in: "12345", opt: Options{Limit: 4}, want: "fail too-large 0\n"},
}

func TestWrapping(t *testing.T) { check(t, wrapTests, short) }

func TestBytes(t *testing.T) {
	patch := short("BP|D é𝄞|EP|")
	utf16 := func(order func(hi, lo byte) []byte, units ...uint16) string {
		var b []byte
		for _, u := range units {
			b = append(b, order(byte(u>>8), byte(u))...)
		}
		return string(b)
	}
	le := func(hi, lo byte) []byte { return []byte{lo, hi} }
	be := func(hi, lo byte) []byte { return []byte{hi, lo} }
	units := []uint16{0xFEFF}
	for _, r := range patch {
		if r > 0xFFFF {
			units = append(units, 0xD834, 0xDD1E)
		} else {
			units = append(units, uint16(r))
		}
	}
	const want = "delete é𝄞 @2\n"
	check(t, []parseTest{
		{name: "UTF-8", in: patch, want: want},
		{name: "with mark", in: "\uFEFF" + patch, want: want},
		{name: "UTF-16LE", in: utf16(le, units...), want: want},
		{name: "UTF-16BE", in: utf16(be, units...), want: want},
		{name: "half a unit", in: utf16(be, units...) + "x", want: "fail bad-input 4\n"},
		{name: "half a character", in: utf16(be, 0xFEFF, 10, 0xD834), want: "fail bad-input 2\n"},
		{name: "UTF-32", in: "\xFF\xFE\x00\x00x\x00\x00\x00", want: "fail bad-input 1\n"},
		{name: "Latin-1", in: "a\n\uFFFDb\xE9", want: "fail bad-input 2\n"},
	}, func(s string) string { return s })
	_, err := Parse([]byte("\uFEFFa\n\xE9"), Options{})
	if !strings.Contains(err.Error(), "byte 0xE9 at offset 5") {
		t.Error(err)
	}
}

// A problem is told with its line, the text there and what was expected.
func TestMessages(t *testing.T) {
	long := strings.Repeat("é", 200)
	for in, want := range map[string][]string{
		"BP|U m|@@|-a|x" + long + "|EP": {`line 5: a line of a hunk begins with a space, "+" or "-", found "x` + strings.Repeat("é", 119) + `"`},
		"BP|A m|a|b|c|EP":               {`line 3: a line of a new file begins with "+", found "a" (and 2 more)`},
		"x|*** begin patch":             {`"*** begin patch" comes near a marker`},
		"BP|D m|EP|<<<<<<< SEARCH":      {"line 4: the block that begins here has no divider", "line 4: an envelope begins in line 1 and a SEARCH/REPLACE block in line 4"},
		`{"file_path":"f","edits":[{"old_string":"a","new_string":"b"},{"new_string":"b"}]}`: {"line 1: edits[1]: old_string is missing"},
	} {
		_, err := Parse([]byte(short(in)), Options{})
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%q:\ngot  %v\nwant %s", in, err, w)
			}
		}
	}
}
