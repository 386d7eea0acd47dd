package edit

import (
	"bytes"
	"hash/maphash"
	"unicode"
)

// A pass is one way in which a line of a hunk equals a line of a file. Passes
// are tried strictest first, each over all places before the next begins.
type pass uint8

const (
	exact   pass = iota // the same characters
	blanks              // trailing blanks cut
	trimmed             // blanks at both ends cut
	passes
)

// note is the code under which a place that the pass found is noted.
func (p pass) note() Code {
	return [...]Code{"", "trailing-blanks", "trimmed"}[p]
}

// norm cuts what the pass does not compare. Blanks are Unicode's White_Space.
func (p pass) norm(line []byte) []byte {
	switch p {
	case blanks:
		return bytes.TrimRightFunc(line, unicode.IsSpace)
	case trimmed:
		return bytes.TrimFunc(line, unicode.IsSpace)
	}
	return line
}

// kept is how many places are kept by position; beyond it they are counted.
const kept = 1000

// A finder finds blocks of whole lines in a document. It works in time linear
// in document and block, however repetitive both are.
type finder struct {
	doc    *document
	hunks  int // how many blocks will be looked for; a few do not pay for an index
	seed   maphash.Seed
	tables [passes]*lineTable
}

func newFinder(doc *document, hunks int) *finder {
	return &finder{doc: doc, hunks: hunks, seed: maphash.MakeSeed()}
}

// places returns every place >= start where the lines of the block stand, in
// order, at most kept of them, and the count of all.
func (f *finder) places(block [][]byte, start int, p pass) (found []int, total int) {
	n, m := len(f.doc.lines), len(block)
	if m == 0 || start < 0 || n-start < m {
		return nil, 0
	}
	pat := make([][]byte, m)
	for i, l := range block {
		pat[i] = p.norm(l)
	}
	add := func(at int) {
		if total < kept {
			found = append(found, at)
		}
		total++
	}
	// One walk over the document costs about as much as building the index, so
	// the index pays from a few blocks on. It checks the places of the block's
	// rarest line only; where even that one is common, the walk is the bound.
	if f.hunks > 4 {
		t := f.table(p)
		rarest, count := 0, n+1
		for i, l := range pat {
			if c := t.count(maphash.Bytes(f.seed, l)); c < count {
				rarest, count = i, c
			}
		}
		if count*m <= 4*n {
			for at := t.first(maphash.Bytes(f.seed, pat[rarest])); at >= 0; at = t.next(at) {
				if s := at - rarest; s >= start && s+m <= n && f.equalAt(pat, s, p) {
					add(s)
				}
			}
			return found, total
		}
	}
	f.walk(pat, start, p, add)
	return found, total
}

func (f *finder) equalAt(pat [][]byte, at int, p pass) bool {
	for i, l := range pat {
		if !bytes.Equal(p.norm(f.doc.line(at+i)), l) {
			return false
		}
	}
	return true
}

// walk is Knuth, Morris and Pratt's search over lines; it returns the longest
// beginning of the block that stands anywhere, and where.
func (f *finder) walk(pat [][]byte, start int, p pass, hit func(at int)) (longest, at int) {
	m := len(pat)
	back := make([]int, m+1) // back[q]: longest proper border of pat[:q]
	for i, q := 1, 0; i < m; i++ {
		for q > 0 && !bytes.Equal(pat[i], pat[q]) {
			q = back[q]
		}
		if bytes.Equal(pat[i], pat[q]) {
			q++
		}
		back[i+1] = q
	}
	q := 0
	for i := start; i < len(f.doc.lines); i++ {
		l := p.norm(f.doc.line(i))
		for q > 0 && (q == m || !bytes.Equal(l, pat[q])) {
			q = back[q]
		}
		if bytes.Equal(l, pat[q]) {
			q++
		}
		if q > longest {
			longest, at = q, i-q+1
		}
		if q == m {
			hit(i - m + 1)
		}
	}
	return longest, at
}

// equal returns the first line >= start that equals text, in the strictest pass
// that has one; -1 if none has.
func (f *finder) equal(text []byte, start int) int {
	for p := range passes {
		want := p.norm(text)
		if f.hunks > 4 {
			t := f.table(p)
			for at := t.first(maphash.Bytes(f.seed, want)); at >= 0; at = t.next(at) {
				if at >= start && bytes.Equal(p.norm(f.doc.line(at)), want) {
					return at
				}
			}
			continue
		}
		for i := start; i < len(f.doc.lines); i++ {
			if bytes.Equal(p.norm(f.doc.line(i)), want) {
				return i
			}
		}
	}
	return -1
}

// containing returns the lines >= start that contain text, at most limit.
func (f *finder) containing(text []byte, start, limit int) []int {
	var at []int
	if len(text) == 0 || start >= len(f.doc.lines) {
		return nil
	}
	line := start
	for pos := int(f.doc.lines[start].start); len(at) < limit; {
		i := bytes.Index(f.doc.text[pos:], text)
		if i < 0 {
			break
		}
		pos += i
		for f.doc.next(line) <= pos {
			line++
		}
		if pos+len(text) <= int(f.doc.lines[line].end) {
			at = append(at, line)
		}
		pos = f.doc.next(line)
	}
	return at
}

// A lineTable chains the lines of a document by the hash of what a pass
// compares.
type lineTable struct {
	mask   uint64
	heads  []int32 // first line of each bucket, -1: none
	counts []int32
	chain  []int32 // next line of the same bucket
}

func (f *finder) table(p pass) *lineTable {
	if f.tables[p] != nil {
		return f.tables[p]
	}
	n := len(f.doc.lines)
	size := 1
	for size < 2*n {
		size *= 2
	}
	t := &lineTable{mask: uint64(size - 1), heads: make([]int32, size), counts: make([]int32, size), chain: make([]int32, n)}
	for i := range t.heads {
		t.heads[i] = -1
	}
	for i := n - 1; i >= 0; i-- { // backwards, so that a chain runs downwards
		b := maphash.Bytes(f.seed, p.norm(f.doc.line(i))) & t.mask
		t.chain[i] = t.heads[b]
		t.heads[b] = int32(i)
		t.counts[b]++
	}
	f.tables[p] = t
	return t
}

func (t *lineTable) count(h uint64) int { return int(t.counts[h&t.mask]) }
func (t *lineTable) first(h uint64) int { return int(t.heads[h&t.mask]) }
func (t *lineTable) next(at int) int    { return int(t.chain[at]) }
