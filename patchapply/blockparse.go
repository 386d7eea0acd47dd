package patchapply

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// A blockHead is the first line of a SEARCH/REPLACE block.
type blockHead struct {
	mark   byte // < or -
	width  int
	indent string // before all lines of the block
	hint   int    // Zed's line, 0 for none
}

var blockHeadLine = lazyRegexp(`^([ \t]*)(<{3,}|-{3,}) SEARCH(?:>|>? line=(\d{1,9}))?[ \t]*$`)

// headOf reads a head in a dialect: Aider's five to nine wide, Cline's of
// dashes, and, only if Cline's are asked for, its older ones of any width.
func headOf(line, dialect string) (h blockHead, ok bool) {
	if !strings.Contains(line, " SEARCH") {
		return h, false
	}
	m := blockHeadLine().FindStringSubmatch(line)
	if m == nil {
		return h, false
	}
	h = blockHead{mark: m[2][0], width: len(m[2]), indent: m[1]}
	h.hint, _ = strconv.Atoi(m[3])
	return h, h.mark == '-' || dialect == "cline" || h.width >= 5 && h.width <= 9
}

// loose heads are closed by markers of any width.
func (h blockHead) loose(dialect string) bool { return h.mark == '-' || dialect == "cline" }

// A block is one that was read. Its lines have no line breaks and lost the
// block's indentation.
type block struct {
	head     blockHead
	old, new []string
	hint     int
	roo      bool
	width    bool        // a marker has another width than the head
	end      int         // the line after the block
	err      *edit.Error // why it is none
}

// A blockScan walks down the lines of one block.
type blockScan struct {
	*block
	lines   []string // of the text
	at, to  int
	dialect string
	fenced  bool // a fence ends at line to

	dividers []int // of the head's width (loose: of any) outside conflicts
	others   []int // of another width
	closed   int   // the line of the close, -1 for none
	stop     int   // where the block must have ended: its close, another head, the end
	conflict int   // where a conflict begins that is not closed, -1 for none
	uneven   int   // the first line that lacks the head's indentation, -1 for none
}

// parseBlock reads the block whose head is line i, before line to.
func (g *region) parseBlock(i, to int) *block {
	dialect := g.dialect()
	h, _ := headOf(g.lines[i], dialect)
	s := &blockScan{block: &block{head: h, hint: h.hint, roo: dialect == "roo"}, lines: g.lines, at: i, to: to, dialect: dialect, fenced: g.head >= 0 && g.open == ""}
	s.scan()
	divider, doubled := s.divide()
	if s.err != nil {
		s.end = s.stop
		if s.closed >= 0 {
			s.end = s.closed + 1
		}
		return s.block
	}
	last := s.closed
	if last < 0 {
		last = doubled
	}
	s.end = last + 1
	newEnd := last
	if doubled >= 0 {
		newEnd = doubled
	}
	if s.uneven >= 0 && s.uneven < last {
		s.fail(edit.BadInput, s.uneven, "the block that begins in line %d is indented, and this line of it is not: %s", i+1, quote(s.lines[s.uneven]))
		return s.block
	}
	start := s.hints(i+1, divider)
	s.old, s.new = s.content(start, divider), s.content(divider+1, newEnd)
	return s.block
}

func (s *blockScan) fail(code edit.Code, line int, format string, args ...any) {
	s.err = &edit.Error{Code: code, Line: line + 1, Msg: fmt.Sprintf(format, args...)}
}

// line returns a line without the block's indentation.
func (s *blockScan) line(i int) string { return strings.TrimPrefix(s.lines[i], s.head.indent) }

// content returns the lines from up to before to.
func (s *blockScan) content(from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		l, ok := strings.CutPrefix(s.lines[i], s.head.indent)
		if !ok {
			l = "" // a blank line, which editors cut short
		}
		if s.roo && escapedMark().MatchString(l) {
			l = l[1:]
		}
		out = append(out, l)
	}
	return out
}

var (
	escapedMark = lazyRegexp(`^\\(?:<{7} |={7}|>{7} |-{7}|:(?:start|end)_line:)`)
	dividerLine = lazyRegexp(`^(={3,})(>?)[ \t]*$`)
	closeLine   = lazyRegexp(`^(>{3,}|\+{3,}) REPLACE(>?)[ \t]*$`)
)

// scan finds the markers of the block.
func (s *blockScan) scan() {
	s.closed, s.conflict, s.uneven, s.stop = -1, -1, -1, s.to
	loose, w := s.head.loose(s.dialect), s.head.width
	opens := strings.Repeat("<", w) + " "
	shuts := strings.Repeat(">", w) + " "
	divided := false // the open conflict has its divider
	other := -1      // a close of another width
	for i := s.at + 1; i < s.to; i++ {
		l := s.line(i)
		if s.uneven < 0 && !strings.HasPrefix(s.lines[i], s.head.indent) && !isBlank(l) {
			s.uneven = i
		}
		switch l = strings.TrimRight(l, " \t"); {
		case l == "":
		case strings.IndexByte("<-", l[0]) >= 0:
			if h, ok := headOf(l, s.dialect); ok && h.mark == s.head.mark && (loose || h.width == w) {
				s.stop = i
			} else if !loose && s.conflict < 0 && strings.HasPrefix(l, opens) {
				s.conflict, divided = i, false
			}
		case l[0] == '=':
			m := dividerLine().FindStringSubmatch(l)
			switch {
			case m == nil, !loose && m[2] != "":
			case loose:
				s.dividers = append(s.dividers, i)
			case len(m[1]) != w:
				if n := len(m[1]); n >= 5 && n <= 9 && s.conflict < 0 {
					s.others = append(s.others, i)
				}
			case s.conflict < 0 || divided:
				s.dividers = append(s.dividers, i)
			default:
				divided = true
			}
		case l[0] == '>' || l[0] == '+':
			m := closeLine().FindStringSubmatch(l)
			switch {
			case m == nil:
				if s.conflict >= 0 && divided && strings.HasPrefix(l, shuts) {
					s.conflict = -1
				}
			case loose && (s.head.mark == '<' || l[0] == '+'), !loose && m[1] == shuts[:w] && m[2] == "":
				s.closed, s.stop = i, i
			case !loose && other < 0 && l[0] == '>' && len(m[1]) >= 5 && len(m[1]) <= 9 && m[2] == "":
				other = i
			}
		}
		if s.stop < s.to {
			break
		}
	}
	if s.closed < 0 && other >= 0 {
		s.closed, s.width = other, true
		before := func(at []int) []int {
			for n, i := range at {
				if i > other {
					return at[:n]
				}
			}
			return at
		}
		s.dividers, s.others = before(s.dividers), before(s.others)
	}
}

// divide finds the one divider of the block, and a second one that stands in
// for the close or directly before it, -1 if there is none.
func (s *blockScan) divide() (divider, doubled int) {
	head := s.at + 1
	switch n := len(s.dividers); {
	case s.conflict >= 0 && s.closed >= 0:
		s.fail(edit.BadInput, s.conflict, "the conflict that begins here, inside the block of line %d, is not closed", head)
	case n == 0 && s.closed >= 0 && len(s.others) == 1:
		s.width = true
		return s.others[0], -1
	case n == 1 && s.closed >= 0:
		return s.dividers[0], -1
	case n == 2 && s.closed == s.dividers[1]+1 && !s.head.loose(s.dialect):
		return s.dividers[0], s.dividers[1]
	case n == 2 && s.closed < 0 && s.conflict < 0 && !s.head.loose(s.dialect) && s.shut(s.dividers[1]+1):
		return s.dividers[0], s.dividers[1]
	case n == 0 && len(s.others) == 0:
		s.fail(edit.Truncated, s.at, "the block that begins here has no divider %q", strings.Repeat("=", s.head.width))
	case s.closed < 0:
		s.fail(edit.Truncated, s.at, "the block that begins here is not closed by %q", s.closes())
	case n == 0:
		s.fail(edit.BadInput, s.others[1], "the block of line %d has %d lines that could be its divider, and none is as wide as its head", head, len(s.others))
	default:
		s.fail(edit.BadInput, s.dividers[1], "the block of line %d has %d dividers, one is expected: markers that are content need another width than the block's", head, n)
	}
	return -1, -1
}

func (s *blockScan) closes() string {
	if s.head.mark == '-' {
		return "+++++++ REPLACE"
	}
	return strings.Repeat(">", s.head.width) + " REPLACE"
}

// shut reports whether the block must have ended before line i: the fence ends
// there, or another block begins.
func (s *blockScan) shut(i int) bool {
	for i < s.to && isBlank(s.lines[i]) {
		i++
	}
	if i == s.to {
		return s.fenced
	}
	l := s.line(i)
	_, head := headOf(l, s.dialect)
	m := fence().FindStringSubmatch(l)
	return head || m != nil && strings.TrimSpace(m[3]) == "" || tagEnd().MatchString(l)
}

var rooHint = lazyRegexp(`^:(start|end)_line:[ \t]*(\d{1,9})[ \t]*$`)

// hints reads what Roo puts between the head and the lines that are looked for.
func (s *blockScan) hints(from, to int) int {
	for ; from < to; from++ {
		l := s.line(from)
		m := rooHint().FindStringSubmatch(l)
		switch {
		case m != nil:
			s.roo = true
			if m[1] == "start" {
				s.hint, _ = strconv.Atoi(m[2])
			}
		case s.roo && strings.TrimRight(l, " \t") == "-------":
			return from + 1
		default:
			return from
		}
	}
	return from
}
