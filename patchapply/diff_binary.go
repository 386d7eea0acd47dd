package patchapply

import (
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/chordgit/chordgit/edit"
)

// binary reads a binary patch: the change, and perhaps its reverse, each up to a
// blank line.
func (d *diff) binary() *edit.BinaryPatch {
	first := d.at
	text := diffGit + "a/f b/f\n" + d.line() + "\n" // what it takes to be read alone
	var b strings.Builder
	b.WriteString(text)
	for d.at++; d.at < d.to && isChunk(d.line()); d.at++ {
		for ; d.at < d.to && d.line() != ""; d.at++ {
			b.WriteString(d.line())
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	files, _, err := gitdiff.Parse(strings.NewReader(b.String()))
	switch {
	case err != nil:
		// What is wrong stands behind the library's own line number.
		why := strings.TrimPrefix(lineNumber().ReplaceAllString(err.Error(), ""), "binary patch: ")
		d.fail(edit.BadInput, first+1, "the binary patch that begins here cannot be decoded: %s", why)
		return &edit.BinaryPatch{}
	case len(files) != 1 || files[0].BinaryFragment == nil:
		d.fail(edit.BadInput, first+1, "%q or %q with a size is expected after %s", "literal", "delta", quote(d.lines[first]))
		return &edit.BinaryPatch{}
	}
	f := files[0].BinaryFragment
	return &edit.BinaryPatch{Delta: f.Method == gitdiff.BinaryPatchDelta, Size: f.Size, Data: f.RawData}
}

var lineNumber = lazyRegexp(`^gitdiff: line \d+: `)

func isChunk(line string) bool {
	return strings.HasPrefix(line, "literal ") || strings.HasPrefix(line, "delta ")
}
