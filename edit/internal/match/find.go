package match

import (
	"bytes"
	"hash/maphash"
	"unicode"
)

// A Pass is one way in which a line of a hunk equals a line of a file. Passes
// are tried strictest first, each over all places before the next begins.
type Pass uint8

// The passes. "for p := range Tolerant" walks the plain ones.
const (
	Exact       Pass = iota // the same characters
	Blanks                  // trailing blanks cut
	Trimmed                 // blanks at both ends cut
	Tolerant                // the same units, see Fold
	Typographic             // blanks at both ends cut, dashes, quotes and spaces of all sorts the same, as Codex does
	passes
)

// norm cuts what the pass does not compare. Blanks are Unicode's White_Space.
func (p Pass) norm(line []byte) []byte {
	switch p {
	case Blanks:
		return bytes.TrimRightFunc(line, unicode.IsSpace)
	case Trimmed:
		return bytes.TrimFunc(line, unicode.IsSpace)
	case Tolerant:
		return Fold(line)
	case Typographic:
		return bytes.Map(plain, bytes.TrimFunc(line, unicode.IsSpace))
	}
	return line
}

// plain is the ASCII character that Codex 0.171 takes a typographic one for.
func plain(r rune) rune {
	switch {
	case r >= 0x2010 && r <= 0x2015, r == 0x2212:
		return '-'
	case r >= 0x2018 && r <= 0x201B:
		return '\''
	case r >= 0x201C && r <= 0x201F:
		return '"'
	case r == 0x00A0, r >= 0x2002 && r <= 0x200A, r == 0x202F, r == 0x205F, r == 0x3000:
		return ' '
	}
	return r
}

// Kept is how many places are kept by position; beyond it they are counted.
const Kept = 1000

// A Finder finds blocks of whole lines in a document.
type Finder struct {
	Doc    *Document
	blocks int // how many blocks will be looked for; a few do not pay for an index
	seed   maphash.Seed
	tables [passes]*lineTable
	folded *Folded
}

// NewFinder prepares the search for about so many blocks.
func NewFinder(doc *Document, blocks int) *Finder {
	return &Finder{Doc: doc, blocks: blocks, seed: maphash.MakeSeed()}
}

// Folded returns the document's units. They are made when they are first
// needed: about as dear as two passes.
func (f *Finder) Folded() *Folded {
	if f.folded == nil {
		f.folded = foldDocument(f.Doc)
	}
	return f.folded
}

// line returns what a pass compares of line i.
func (f *Finder) line(i int, p Pass) []byte {
	if p == Tolerant {
		return f.Folded().line(i)
	}
	return p.norm(f.Doc.Line(i))
}

func normed(block [][]byte, p Pass) [][]byte {
	pat := make([][]byte, len(block))
	for i, l := range block {
		pat[i] = p.norm(l)
	}
	return pat
}

// Places returns every place >= start where the lines of the block stand, in
// order, at most Kept of them, and the count of all.
func (f *Finder) Places(block [][]byte, start int, p Pass) (found []int, total int) {
	n, m := len(f.Doc.Lines), len(block)
	if m == 0 || start < 0 || n-start < m {
		return nil, 0
	}
	pat := normed(block, p)
	add := func(at int) {
		if total < Kept {
			found = append(found, at)
		}
		total++
	}
	// One walk over the document costs about as much as building the index, so
	// the index pays from a few blocks on. It checks the places of the block's
	// rarest line only; where even that one is common, the walk is the bound.
	if f.blocks > 4 {
		t := f.table(p)
		rarest, count := 0, n+1
		for i, l := range pat {
			if c := t.count(maphash.Bytes(f.seed, l)); c < count {
				rarest, count = i, c
			}
		}
		if count*m <= 4*n {
			for at := t.first(maphash.Bytes(f.seed, pat[rarest])); at >= 0; at = t.next(at) {
				if s := at - rarest; s >= start && s+m <= n && f.fits(pat, s, p) {
					add(s)
				}
			}
			return found, total
		}
	}
	f.walk(pat, start, p, add)
	return found, total
}

// At reports whether the block stands at line at.
func (f *Finder) At(block [][]byte, at int, p Pass) bool {
	return at >= 0 && at+len(block) <= len(f.Doc.Lines) && f.fits(normed(block, p), at, p)
}

func (f *Finder) fits(pat [][]byte, at int, p Pass) bool {
	for i, l := range pat {
		if !bytes.Equal(f.line(at+i, p), l) {
			return false
		}
	}
	return true
}

// Longest returns the longest beginning of the block, in lines, that stands
// anywhere from start on, and where it stands first.
func (f *Finder) Longest(block [][]byte, start int, p Pass) (longest, at int) {
	return f.walk(normed(block, p), start, p, func(int) {})
}

// walk is Knuth, Morris and Pratt's search over lines; it returns the longest
// beginning of the block that stands anywhere, and where.
func (f *Finder) walk(pat [][]byte, start int, p Pass, hit func(at int)) (longest, at int) {
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
	for i := start; i < len(f.Doc.Lines); i++ {
		l := f.line(i, p)
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

// Equal returns the first line >= start that equals text, in the strictest
// plain pass that has one; -1 if none has.
func (f *Finder) Equal(text []byte, start int) int {
	for p := range Tolerant {
		want := p.norm(text)
		if f.blocks > 4 {
			t := f.table(p)
			for at := t.first(maphash.Bytes(f.seed, want)); at >= 0; at = t.next(at) {
				if at >= start && bytes.Equal(f.line(at, p), want) {
					return at
				}
			}
			continue
		}
		for i := start; i < len(f.Doc.Lines); i++ {
			if bytes.Equal(f.line(i, p), want) {
				return i
			}
		}
	}
	return -1
}

// Containing returns the lines >= start that contain text, at most limit.
func (f *Finder) Containing(text []byte, start, limit int) []int {
	var at []int
	d := f.Doc
	if len(text) == 0 || start >= len(d.Lines) {
		return nil
	}
	line := start
	for pos := int(d.Lines[start].Start); len(at) < limit; {
		i := bytes.Index(d.Text[pos:], text)
		if i < 0 {
			break
		}
		pos += i
		for d.Next(line) <= pos {
			line++
		}
		if pos+len(text) <= int(d.Lines[line].End) {
			at = append(at, line)
		}
		pos = d.Next(line)
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

func (f *Finder) table(p Pass) *lineTable {
	if f.tables[p] != nil {
		return f.tables[p]
	}
	n := len(f.Doc.Lines)
	size := 1
	for size < 2*n {
		size *= 2
	}
	t := &lineTable{mask: uint64(size - 1), heads: make([]int32, size), counts: make([]int32, size), chain: make([]int32, n)}
	for i := range t.heads {
		t.heads[i] = -1
	}
	for i := n - 1; i >= 0; i-- { // backwards, so that a chain runs downwards
		b := maphash.Bytes(f.seed, f.line(i, p)) & t.mask
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
