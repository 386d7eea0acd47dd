package edit

import (
	"bytes"
	"fmt"
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit/internal/invisible"
	"github.com/chordgit/chordgit/edit/internal/match"
	"golang.org/x/text/unicode/norm"
)

// firstDifference names the first character in which a line of the request
// and one of the file differ.
func firstDifference(q *question, request, file []byte) string {
	n := 1
	if a, b := q.trim(request), q.trim(file); !bytes.Equal(a, b) {
		n += utf8.RuneCount(request[:bytes.Index(request, a)])
		request, file = a, b
	}
	for ; ; n++ {
		a, an := utf8.DecodeRune(request)
		b, bn := utf8.DecodeRune(file)
		if an > 0 && an == bn && bytes.Equal(request[:an], file[:bn]) {
			request, file = request[an:], file[bn:]
			continue
		}
		return fmt.Sprintf("rune %d: request %s, file %s", n, codePoint(request, a, an), codePoint(file, b, bn))
	}
}

func codePoint(text []byte, r rune, size int) string {
	switch {
	case size == 0:
		return "end of line"
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("byte 0x%02X", text[0])
	}
	return fmt.Sprintf("U+%04X", r)
}

// A kind is one way in which two texts look the same, or nearly, and differ.
type kind struct {
	name string
	fold func([]byte) []byte // makes texts equal that differ in nothing else
}

func mapping(f func(rune) rune) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Map(f, b) }
}

func kinds() []kind {
	return []kind{
		{"trailing blanks", func(b []byte) []byte {
			lines := bytes.Split(b, []byte{'\n'})
			for i, l := range lines {
				lines[i] = bytes.TrimRightFunc(l, unicode.IsSpace)
			}
			return bytes.Join(lines, []byte{'\n'})
		}},
		{"blanks", blankRuns},
		{"letter case", bytes.ToLower},
		{"a carriage return (CR)", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte{'\r'}, nil) }},
		{"Unicode normalisation (NFC against NFD)", norm.NFC.Bytes},
		{"quotes or dashes of another kind", mapping(plainQuote)},
		{"a no-break space or another special blank", mapping(plainBlank)},
		{"a byte order mark (U+FEFF)", mapping(func(r rune) rune {
			if r == 0xFEFF {
				return -1
			}
			return r
		})},
		{"characters that cannot be seen", func(b []byte) []byte {
			s, _ := invisible.Strip(string(b))
			return []byte(s)
		}},
		{"bytes that are not UTF-8", foreign},
	}
}

// blankRuns makes every run of spaces and tabs one space.
func blankRuns(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, c := range b {
		if c == '\t' {
			c = ' '
		}
		if c == ' ' && len(out) > 0 && out[len(out)-1] == ' ' {
			continue
		}
		out = append(out, c)
	}
	return out
}

// plainQuote maps quotes to ' and dashes to -, whether the tolerant step knows
// them or not.
func plainQuote(r rune) rune {
	switch {
	case r == '"' || r == '`' || r == '´' || unicode.In(r, unicode.Pi, unicode.Pf):
		return '\''
	case r == '‚' || r == '„':
		return '\''
	case unicode.Is(unicode.Pd, r) || r == '−':
		return '-'
	}
	return r
}

// plainBlank maps the blanks of Unicode to a space.
func plainBlank(r rune) rune {
	if unicode.Is(unicode.Zs, r) {
		return ' '
	}
	return r
}

// foreign maps whatever is not ASCII to one sign.
func foreign(b []byte) []byte {
	return mapping(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	})(b)
}

// difference names the one kind in which two texts differ, empty if it takes
// more than one.
func difference(file, request []byte) string {
	for _, k := range kinds() {
		if !bytes.Equal(k.fold(file), k.fold(request)) {
			continue
		}
		if k.name == "blanks" {
			return blanksOf(file, request)
		}
		return k.name
	}
	return ""
}

// blanksOf says what is different about the blanks of two texts.
func blanksOf(file, request []byte) string {
	switch f, r := bytes.ContainsRune(file, '\t'), bytes.ContainsRune(request, '\t'); {
	case f && !r:
		return "TAB against spaces, the file uses tabs"
	case r && !f:
		return "TAB against spaces, the file uses spaces"
	}
	return "the number of blanks"
}

// A skeleton is a text without all that may differ unseen: blanks, letter
// case, normalisation, kinds of quotes and dashes, invisible characters.
type skeleton struct {
	text  []byte
	lines []int // where each line begins
	plain bool  // what is not ASCII is one sign: the file is not UTF-8
}

func skeletonOf(doc *match.Document) *skeleton {
	s := &skeleton{text: make([]byte, 0, len(doc.Text)), plain: !utf8.Valid(doc.Text)}
	for i := range doc.Lines {
		s.lines = append(s.lines, len(s.text))
		s.text = append(s.append(s.text, doc.Line(i), nil), '\n')
	}
	return s
}

// append appends the skeleton of a line. from, if not nil, gets the offset in
// line that each byte of it came from.
func (s *skeleton) append(dst, line []byte, from *[]int) []byte {
	if from == nil && ascii(line) {
		for _, c := range line {
			switch {
			case c >= 'a' && c <= 'z':
			case c == ' ' || c >= '\t' && c <= '\r':
				continue
			case c >= 'A' && c <= 'Z':
				c += 'a' - 'A'
			case c == '"' || c == '`':
				c = '\''
			}
			dst = append(dst, c)
		}
		return dst
	}
	normal := norm.NFC.IsNormal(line)
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		was := len(dst)
		if normal || r < utf8.RuneSelf && (i+1 == len(line) || line[i+1] < utf8.RuneSelf) {
			dst = s.appendRune(dst, r)
		} else {
			if n = norm.NFC.NextBoundary(line[i:], true); n <= 0 {
				n = len(line) - i
			}
			for _, r := range string(norm.NFC.Bytes(line[i : i+n])) {
				dst = s.appendRune(dst, r)
			}
		}
		if from != nil {
			for range len(dst) - was {
				*from = append(*from, i)
			}
		}
		i += n
	}
	return dst
}

func (s *skeleton) appendRune(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		switch {
		case r == ' ' || r >= '\t' && r <= '\r':
			return dst
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r == '"' || r == '`':
			r = '\''
		}
		return append(dst, byte(r))
	}
	r = unicode.ToLower(plainQuote(r))
	switch {
	case unicode.IsSpace(r), r == 0xFEFF, r == 0x200B, r == 0x200C, r == 0x200D, r == 0x2060, r == 0x00AD:
		return dst
	case s.plain && r >= utf8.RuneSelf:
		r = '?'
	}
	return utf8.AppendRune(dst, r)
}

// unseen looks for a place that differs from the text only in what is hard to
// see, and names it.
func (r *run) unseen(q *question, f *facts) {
	doc := q.finder.Doc
	s := skeletonOf(doc)
	needle := &skeleton{plain: s.plain}
	for i, l := range q.old {
		if i > 0 {
			needle.text = append(needle.text, '\n')
		}
		needle.text = needle.append(needle.text, l, nil)
	}
	if len(bytes.TrimSpace(needle.text)) == 0 || q.start >= len(doc.Lines) {
		return
	}
	at := s.find(needle.text, q.start, q.whole)
	if at < 0 {
		return
	}
	first := sort.SearchInts(s.lines, at+1) - 1
	count := len(q.old)
	if first+count > len(doc.Lines) {
		return
	}
	file := make([][]byte, count)
	for i := range file {
		file[i] = doc.Line(first + i)
	}
	if !q.whole { // cut to where the text begins and ends
		var from []int
		last := s.append(nil, file[count-1], &from)
		if end := at + len(needle.text) - s.lines[first+count-1]; end >= 0 && end < len(last) {
			file[count-1] = file[count-1][:from[end]]
		}
		from = nil
		s.append(nil, file[0], &from)
		if o := at - s.lines[first]; o > 0 && o < len(from) {
			file[0] = file[0][from[o]:]
		}
	}
	i := -1
	for j := range file {
		if !bytes.Equal(q.trim(file[j]), q.trim(q.old[j])) {
			i = j
			break
		}
	}
	if i < 0 {
		return
	}
	where := fmt.Sprintf("line %d is %s where %s is expected (%s)", first+i+1, quoted(string(file[i])), quoted(string(q.old[i])), firstDifference(q, q.old[i], file[i]))
	if kind := difference(join(file), join(q.old)); kind != "" {
		f.at(first+i, "the only difference is %s: %s", kind, where)
		return
	}
	f.at(first+i, "the only differences are hard to see: %s", where)
}

// find returns where a skeleton stands from a line on, -1 if it does not.
func (s *skeleton) find(needle []byte, start int, whole bool) int {
	for pos := s.lines[start]; ; {
		i := bytes.Index(s.text[pos:], needle)
		if i < 0 {
			return -1
		}
		pos += i
		end := pos + len(needle)
		if !whole || (pos == 0 || s.text[pos-1] == '\n') && end < len(s.text) && s.text[end] == '\n' {
			return pos
		}
		next := bytes.IndexByte(s.text[pos:], '\n') // a line of the needle begins a line
		if next < 0 {
			return -1
		}
		pos += next + 1
	}
}
