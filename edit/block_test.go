package edit

import (
	"slices"
	"strings"
	"testing"
)

// FuzzBlock replaces lines by a block and, for plain text, by hand: the results
// are the same, and a refusal changes nothing.
func FuzzBlock(f *testing.F) {
	f.Add("a\nb\nc\n", "b\n", "x\ny\n")
	f.Add("a\nb\nc", "c\n", "")
	f.Add("  a\n  b\n", "a\nb\n", "a\nc\n")
	f.Add("x\n1\ny\n", "x\n...\ny\n", "z\n...\nw\n")
	f.Add("a\r\nb\n", "\na\n\n", "b\n")
	f.Fuzz(func(t *testing.T, text, old, new string) {
		if len(text)+len(old)+len(new) > 4000 {
			return
		}
		tree := MapTree{"f": {Mode: 0o644, Data: []byte(text)}}
		op := Op{Kind: Block, Tool: "edit", Path: "f", Replacements: []Replacement{{Old: old, New: new}}}
		for _, compat := range []Compat{Chord, Aider} {
			plan, err := NewPlan(tree, []Op{op}, Options{Compat: compat})
			if err != nil {
				if err.Error() == "" {
					t.Fatal("a refusal without words")
				}
				continue
			}
			if len(plan.Failures) > 0 && !plan.Empty() {
				t.Fatalf("failed and changed: %v", plan.Failures)
			}
			want, ok := replacedLines(text, old, new)
			if !ok || compat != Chord {
				continue
			}
			if len(plan.Failures) > 0 {
				t.Fatalf("%q in %q is refused: %v", old, text, plan.Failures)
			}
			if got := string(tree.Apply(plan)["f"].Data); got != want {
				t.Fatalf("%q -> %q in %q: %q, want %q", old, new, text, got, want)
			}
		}
	})
}

// replacedLines puts lines in the place of lines, for texts of printable ASCII
// in which the old ones stand once.
func replacedLines(text, old, new string) (string, bool) {
	for _, r := range text + old + new {
		if r != '\n' && (r < ' ' || r > '~') {
			return "", false
		}
	}
	lines, o, n := textLines(text), textLines(old), textLines(new)
	at := -1
	for i := 0; i+len(o) <= len(lines); i++ {
		if !slices.Equal(lines[i:i+len(o)], o) {
			continue
		}
		if at >= 0 {
			return "", false
		}
		at = i
	}
	if at < 0 || len(o) == 0 || slices.ContainsFunc(n, isPlaceholder) || strings.Contains(new, "READ_RESULT") {
		return "", false
	}
	out := strings.Join(slices.Concat(lines[:at], n, lines[at+len(o):]), "\n")
	if out != "" || at+len(n) < len(lines) || len(n) > 0 {
		if rest := len(lines) - len(o) + len(n); rest > 0 && strings.HasSuffix(text, "\n") {
			out += "\n"
		}
	}
	return out, true
}

// A written file keeps its mode, its encoding, its mark and the bytes of the
// lines that did not change.
func TestWrite(t *testing.T) {
	for _, tt := range []struct{ name, before, content, want, fail string }{
		{"missing", "", "a\r\nb", "a\r\nb", ""},
		{"mixed", "x\r\ny\nz\r\n", "x\ny2\nz\n", "x\r\ny2\nz\r\n", ""},
		{"CRLF", "x\r\n", "x\ny2\nz\n", "x\r\ny2\r\nz\r\n", ""},
		{"CR", "x\ry\r", "x\nz\n", "x\rz\r", ""},
		{"CRLF sent", "x\ny\n", "x\r\ny\r\n", "x\r\ny\r\n", ""},
		{"no final newline", "x\r\ny\r\n", "x\r\nz", "x\r\nz", ""},
		{"LF without the last", "x\ny\n", "x\nz", "x\nz", ""},
		{"same without the last", "x\ny\n", "x\ny", "x\ny", ""},
		{"last added", "x\ny", "x\ny\n", "x\ny\n", ""},
		{"mark", "\uFEFFx\r\n", "\uFEFFy\n", "\uFEFFy\r\n", ""},
		{"emptied", "x\ny\n", "", "", ""},
		{"own joiner", "می\u200Cشود\n", "نمی\u200Cشود\n", "نمی\u200Cشود\n", ""},
		{"binary", "a\x00b", "x\n", "", "binary"},
		{"unknown encoding", "caf\xE9\nx\n", "y\n", "y\n", ""},
		{"unknown encoding, not ASCII", "caf\xE9\nx\n", "é\n", "", "encoding"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := MapTree{}
			if tt.before != "" {
				tree["f"] = &File{Mode: 0o755, Data: []byte(tt.before)}
			}
			plan, err := NewPlan(tree, []Op{{Kind: Write, Tool: "write", Path: "f", Content: []byte(tt.content)}}, Options{Umask: 0o022})
			if err != nil {
				t.Fatal(err)
			}
			if tt.fail != "" {
				if len(plan.Failures) != 1 || string(plan.Failures[0].Code) != tt.fail || !plan.Empty() {
					t.Fatalf("failures %v, want %s", plan.Failures, tt.fail)
				}
				return
			}
			after := tree.Apply(plan)["f"]
			if after == nil || string(after.Data) != tt.want || tt.before != "" && after.Mode != 0o755 {
				t.Errorf("%+v, want %q; failures %v", after, tt.want, plan.Failures)
			}
		})
	}
}
