package patchapply

import (
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

func exists(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, name) }
}

// In blockTests S, M and E stand for the head, the divider and the close.
var blockTests = []parseTest{
	{name: "name with blanks that exists", in: "my file|S|a|M|b|E", opt: Options{Exists: exists("my file")}, want: "block my file @2\n \"a\\n\" -> \"b\\n\"\n"},
	{name: "prose is no name", in: "Now change this|S|a|M|b|E", want: "fail bad-input 2\n"},
	{name: "name behind a blank line", in: "src/f||```|S|a|M|b|E|```", want: "block src/f @4\n \"a\\n\" -> \"b\\n\"\n"},
	{name: "word behind a blank line", in: "f||```|S|a|M|b|E|```", want: "fail bad-input 4\n"},
	{name: "in the fence before above it", in: "g|```|f|S|a|M|b|E|```", want: "block f @4\n \"a\\n\" -> \"b\\n\"\nnote prose 1\n"},
	{name: "info before above the fence", in: "g|```x/f|S|a|M|b|E|```", want: "block x/f @3\n \"a\\n\" -> \"b\\n\"\nnote prose 1\n"},
	{name: "the fence's first block names the second", in: "f|```|S|a|M|b|E||S|c|M|d|E|```", want: "block f @3\n \"a\\n\" -> \"b\\n\"\nblock f @9\n \"c\\n\" -> \"d\\n\"\n"},
	{name: "path of the request", in: "S|a|M|b|E", opt: Options{Path: "f"}, want: "block f @1\n \"a\\n\" -> \"b\\n\"\n"},
	{name: "empty sides", in: "f|S|M|E", want: "block f @2\n \"\" -> \"\"\n"},
	{name: "CRLF", in: "f\r|S\r|a\r|M\r|b\r|E\r|", want: "block f @2\n \"a\\n\" -> \"b\\n\"\n"},
	{name: "nine wide around seven", in: "f|<<<<<<<<< SEARCH|S|a|M|b|E|=========|x|>>>>>>>>> REPLACE", want: "block f @2\n \"<<<<<<< SEARCH\\na\\n=======\\nb\\n>>>>>>> REPLACE\\n\" -> \"x\\n\"\n"},
	{name: "close of another width", in: "f|S|a|M|b|>>>>>> REPLACE", want: "block f @2\n \"a\\n\" -> \"b\\n\"\nnote marker-width 2\n"},
	{name: "conflict that is not closed", in: "f|S|<<<<<<< HEAD|a|M|b|E", want: "fail bad-input 3\n"},
	{name: "cut, then another", in: "f|S|a|M|b||f|S|c|M|d|E", want: "fail truncated 2\n"},
	{name: "all problems", in: "f|S|a|M|b|M|c|E|S|a|E", want: "fail bad-input 6\nfail truncated 9\n"},
	{name: "fence inside", in: "f|```|S|```|a|```|M|b|E|```|x", want: "block f @3\n \"```\\na\\n```\\n\" -> \"b\\n\"\nnote prose 11\n"},
	{name: "wrapped", in: "d/f|S|f|```py|a|```|M|```|b|```|E", want: "block d/f @2\n \"f\\n```py\\na\\n```\\n\" -> \"```\\nb\\n```\\n\"\n or fence \"a\\n\" -> \"b\\n\"\n"},
	{name: "blank first lines", in: "f|S||a|b|M||c|E", want: "block f @2\n \"\\na\\nb\\n\" -> \"\\nc\\n\"\n or trimmed \"a\\nb\\n\" -> \"c\\n\"\n"},
	{name: "Roo's dashes need its hint", in: "f|S|-------|a|M|b|E", want: "block f @2\n \"-------\\na\\n\" -> \"b\\n\"\n"},
	{name: "Roo", in: "f|S|:start_line:4|:end_line:5|-------|a|M|\\-------|E", want: "block f @2\n \"a\\n\" -> \"-------\\n\" line 4\n"},
	{name: "Roo by name", in: "f|S|-------|\\S|M|b|E", opt: Options{Format: "roo"}, want: "block f @2\n \"<<<<<<< SEARCH\\n\" -> \"b\\n\"\n"},
	{name: "Cline", in: "f|--- SEARCH>|a|=====>|b|+++ REPLACE", want: "block f @2\n \"a\\n\" -> \"b\\n\"\n"},
	{name: "Cline's older, not asked for", in: "f|<<< SEARCH|a|===|b|>>> REPLACE", want: "fail nothing-recognised 2\n"},
	{name: "a call", in: `{"name":"replace_in_file","input":{"path":"f","diff":"--- SEARCH\na\n===\nb\n+++ REPLACE"}}`, want: "block f @1\n \"a\\n\" -> \"b\\n\"\n"},
	{name: "a call without blocks", in: `{"name":"apply_diff","input":{"path":"f","diff":"a"}}`, want: "fail nothing-recognised 1\n"},
	{name: "a call without path", in: `{"name":"apply_diff","input":{"diff":"a"}}`, want: "fail bad-arguments 1\n"},

	{name: "listing of a word", in: "f|```|a|```", opt: Options{Exists: exists("f")}, want: "write f @2\n \"a\\n\"\n"},
	{name: "listing of a word that is no file", in: "f|```|a|```", want: "fail nothing-recognised 0\n"},
	{name: "listing of a marked word", in: "**f**:|```|a|```", want: "write f @2\n \"a\\n\"\n"},
	{name: "listing in a list", in: "1. x||   a.b|   ```|   a|     b|   ```", want: "write a.b @4\n \"a\\n  b\\n\"\nnote prose 1\n"},
	{name: "listing of a script", in: "a.sh|```sh|a|```||```sh|b|```", want: "write a.sh @2\n \"a\\n\"\nnote shell-block 6\n"},
	{name: "listing for the request's path", in: "So:||```|a|```", opt: Options{Path: "f"}, want: "write f @3\n \"a\\n\"\nnote prose 1\n"},
	{name: "two for the request's path", in: "```|a|```||```|b|```", opt: Options{Path: "f"}, want: "fail nothing-recognised 0\n"},
	{name: "a near miss in a listing", in: "a.b|```|<<<<<<<<<< SEARCH|```", want: "fail nothing-recognised 3\n"},
	{name: "a near miss in a listing that is asked for", in: "a.b|```|<<<<<<<<<< SEARCH|```", opt: Options{Format: "whole"}, want: "write a.b @2\n \"<<<<<<<<<< SEARCH\\n\"\n"},

	{name: "tag in a fence", in: "```xml|<write_to_file>|<path>f</path>|<content>|a|</content>|</write_to_file>|```", want: "write f @5\n \"a\\n\"\n"},
	{name: "content that closes itself", in: "<write_to_file><path>f</path><content>a</content>b</content></write_to_file>", want: "write f @1\n \"a</content>b\"\n"},
	{name: "tag without path", in: "<replace_in_file><diff>|--- SEARCH|a|===|+++ REPLACE|</diff></replace_in_file>", want: "fail bad-input 1\n"},
	{name: "CDATA that holds the closing tag", in: "<write_to_file>|<path>f</path>|<content><![CDATA[|</write_to_file>|]]></content>|</write_to_file>", want: "write f @3\n \"\\n</write_to_file>\\n\"\n"},
	{name: "entities", in: "<replace_in_file><path>f</path><diff>|--- SEARCH|&amp;lt;|===|&lt;|+++ REPLACE|</diff></replace_in_file>", want: "block f @2\n \"&amp;lt;\\n\" -> \"&lt;\\n\"\n or entities \"&lt;\\n\" -> \"<\\n\"\n"},
	{name: "Zed", in: "<edits>|<old_text line=4>|a|</old_text>|<new_text>|b|</new_text>|<old_text>c</old_text><new_text></new_text>|</edits>", opt: Options{Path: "f"}, want: "block f @3\n \"a\\n\" -> \"b\\n\" line 4\nblock f @8\n \"c\\n\" -> \"\"\n"},
	{name: "instruction alone", in: "<instruction>x</instruction>|y", opt: Options{Path: "f"}, want: "fail truncated 1\n"},
}

var blockMarks = strings.NewReplacer("|", "\n", "S", "<<<<<<< SEARCH", "M", "=======", "E", ">>>>>>> REPLACE")

// shortBlock expands a request whose markers are single letters.
func shortBlock(s string) string {
	lines := strings.Split(s, "|")
	for i, l := range lines {
		if bare := strings.TrimSuffix(strings.TrimPrefix(l, `\`), "\r"); bare == "S" || bare == "M" || bare == "E" {
			lines[i] = blockMarks.Replace(l)
		}
	}
	return strings.Join(lines, "\n")
}

func TestBlocks(t *testing.T) { check(t, blockTests, shortBlock) }

// FuzzBlocks writes a block and reads it: what was put in comes out.
func FuzzBlocks(f *testing.F) {
	for _, tt := range blockTests {
		f.Add(shortBlock(tt.in), "new")
	}
	f.Fuzz(func(t *testing.T, old, new string) {
		old, new = terminated(splitText(old)), terminated(splitText(new))
		if strings.ContainsAny(old+new, "<>=\r\uFEFF") || strings.Contains(old, "_line:") {
			return // these may be markers, or are no content
		}
		in := "dir/f\n```\n<<<<<<< SEARCH\n" + old + "=======\n" + new + ">>>>>>> REPLACE\n```\n"
		req, err := Parse([]byte(in), Options{})
		if _, bad := toText([]byte(in), defaultLimit); bad != nil {
			return
		}
		if err != nil || len(req.Ops) != 1 {
			t.Fatalf("%q: %v", in, err)
		}
		op := req.Ops[0]
		if rep := op.Replacements[0]; op.Kind != edit.Block || op.Path != "dir/f" || rep.Old != old || rep.New != new {
			t.Fatalf("%q: %+v", in, op)
		}
	})
}
