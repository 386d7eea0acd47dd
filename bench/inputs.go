package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A file is one generated text file.
type file struct {
	path  string
	lines int
	equal bool // all lines are equal, but for the last one
}

func (f file) line(n int) string {
	if f.equal && n < f.lines {
		return "    next(0)"
	}
	return line(f.path, n)
}

// line is line n, from 1, of a file: something like code, about 55 bytes, and
// the only one of its kind in the file.
func line(path string, n int) string {
	words := [...]string{"index", "parse", "buffer", "length", "result", "write", "reader", "token",
		"value", "offset", "merge", "commit", "branch", "status", "config", "header"}
	h := uint32(n) * 2654435761
	for _, c := range []byte(path) { // files of different paths differ
		h = h*16777619 ^ uint32(c)
	}
	word := func(shift int) string { return words[h>>shift&15] }
	return fmt.Sprintf("    %s%d := %s.%s(\"%s\", %s, %d)", word(28), n, word(24), word(20), word(16), word(12), h>>4&0xFFFF)
}

// write makes the file below dir.
func (f file) write(dir string) error {
	name := filepath.Join(dir, f.path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer out.Close()
	return f.print(out)
}

// print writes what is in the file.
func (f file) print(out io.Writer) error {
	w := bufio.NewWriterSize(out, 64<<10)
	for n := 1; n <= f.lines; n++ {
		w.WriteString(f.line(n))
		w.WriteByte('\n')
	}
	return w.Flush()
}

// numbered are count files of the same length, twenty to a directory.
func numbered(count, lines int) []file {
	var list []file
	for i := range count {
		list = append(list, file{path: fmt.Sprintf("src/part%02d/file%03d.go", i/20, i), lines: lines})
	}
	return list
}

// mark is in every line that a round writes, and tells its bytes from those of
// all others.
func mark(round int) string { return fmt.Sprintf("// round %d of the benchmark", round) }

// A spelling is how a patch writes lines that the file has.
type spelling func(string) string

func exact(s string) string          { return s }
func trailingBlanks(s string) string { return s + "  " }
func trimmed(s string) string        { return strings.TrimSpace(s) }
func typographic(s string) string {
	return strings.Replace(strings.Replace(s, `"`, "“", 1), `"`, "”", 1)
}

// update asks for one line to be replaced in each of a number of hunks, three
// lines of context around it, spread so that the last one is near the end.
func update(f file, hunks, round int, spell spelling) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*** Update File: %s\n", f.path)
	for i := 1; i <= hunks; i++ {
		at := f.lines*i/hunks - 10
		b.WriteString("@@\n")
		for n := at - 3; n <= at+3; n++ {
			if n != at {
				fmt.Fprintf(&b, " %s\n", spell(f.line(n)))
				continue
			}
			fmt.Fprintf(&b, "-%s\n+    replaced(%d) %s\n", spell(f.line(n)), i, mark(round))
		}
	}
	return b.String()
}

// block asks for the last line to be replaced, with so many lines before it.
func block(f file, context, round int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*** Update File: %s\n@@\n", f.path)
	for n := f.lines - context; n < f.lines; n++ {
		fmt.Fprintf(&b, " %s\n", f.line(n))
	}
	fmt.Fprintf(&b, "-%s\n+    replaced() %s\n", f.line(f.lines), mark(round))
	return b.String()
}

// absent is block with a line in its middle that the file does not have.
func absent(f file, context, round int) string {
	lines := strings.SplitAfter(block(f, context, round), "\n")
	lines[len(lines)/2] = strings.ReplaceAll(lines[len(lines)/2], ":=", "!=")
	return strings.Join(lines, "")
}

// missing is update with lines in its last hunk that the file does not have.
func missing(f file, hunks, round int) string {
	text := update(f, hunks, round, exact)
	at := strings.LastIndex(text, "@@\n")
	return text[:at] + strings.ReplaceAll(text[at:], ":=", "!=")
}

func add(f file, round int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*** Add File: %s\n", f.path)
	for n := 1; n <= f.lines; n++ {
		fmt.Fprintf(&b, "+%s %s\n", f.line(n), mark(round))
	}
	return b.String()
}

func envelope(sections ...string) string {
	return "*** Begin Patch\n" + strings.Join(sections, "") + "*** End Patch\n"
}

// marked reports whether the end of a file bears the round's mark. It reads no
// more than that: what this process has in memory counts as its children's.
func marked(name string, round int) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return false, err
	}
	tail := make([]byte, min(st.Size(), 16<<10))
	if _, err := f.ReadAt(tail, st.Size()-int64(len(tail))); err != nil {
		return false, err
	}
	return bytes.Contains(tail, []byte(mark(round)+"\n")), nil
}

// copyFile writes a file's bytes into another, which keeps its inode.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if e := out.Close(); err == nil {
		err = e
	}
	return err
}
