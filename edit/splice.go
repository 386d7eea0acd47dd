package edit

import (
	"bytes"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/invisible"
	"github.com/chordgit/chordgit/edit/internal/match"
)

// compose makes the lines that each spot will write: added lines are cleaned,
// and after the tolerant step take the file's characters where the request did
// not mean to change them.
func (r *run) compose(src *source, doc *match.Document, spots []spot) *Error {
	removed := invisible.Counts{}
	for i := range spots {
		s := &spots[i]
		s.lines = cleanHunk(s, doc, removed)
		var err *Error
		if s.tolerant {
			err = s.carry(src, doc)
		} else {
			err = s.holds(src)
		}
		if err != nil {
			err.Hunk, err.Of, err.Line = s.number, len(spots), s.hunk.Line
			return err
		}
	}
	r.noteCleaned(removed)
	return nil
}

// cleanHunk returns the lines of a hunk with the added ones cleaned. Beside
// what the request calls old, the file's own lines vouch for joiners and soft
// hyphens.
func cleanHunk(s *spot, doc *match.Document, removed invisible.Counts) []Line {
	var added []byte
	plain := true
	for _, l := range s.hunk.Lines {
		if l.Kind == Added {
			plain = plain && ascii(l.Text)
			added = append(append(added, l.Text...), '\n')
		}
	}
	if plain {
		return s.hunk.Lines
	}
	var old []byte
	for i := s.at; i < s.at+s.count; i++ {
		old = append(append(old, doc.Line(i)...), '\n')
	}
	text, counts := invisible.Clean(string(added), string(old), false)
	if counts == nil {
		return s.hunk.Lines
	}
	removed.Add(counts)
	lines := make([]Line, len(s.hunk.Lines))
	for i, l := range s.hunk.Lines {
		if l.Kind == Added {
			l.Text, text, _ = strings.Cut(text, "\n")
		}
		lines[i] = l
	}
	return lines
}

func ascii[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// holds checks that the file can store the added lines.
func (s *spot) holds(src *source) *Error {
	for _, l := range s.lines {
		if l.Kind != Added {
			continue
		}
		if err := src.holds(l.Text); err != nil {
			return err
		}
	}
	return nil
}

// carry writes the added lines of a spot that the tolerant step found in the
// characters of the file lines that they replace, run by run.
func (s *spot) carry(src *source, doc *match.Document) *Error {
	out := make([]Line, 0, len(s.lines))
	at := s.at
	for i := 0; i < len(s.lines); {
		if s.lines[i].Kind == Context {
			out = append(out, s.lines[i])
			i, at = i+1, at+1
			continue
		}
		var file, old, new [][]byte
		end := i
		for ; end < len(s.lines) && s.lines[end].Kind != Context; end++ {
			if s.lines[end].Kind == Added {
				new = append(new, []byte(s.lines[end].Text))
				continue
			}
			file = append(file, doc.Line(at+len(file)))
			old = append(old, []byte(s.lines[end].Text))
			out = append(out, s.lines[end])
		}
		pieces := []match.Piece{{Text: join(new)}}
		if len(old) > 0 && len(new) > 0 {
			var ok bool
			if pieces, ok = match.CarryLines(doc, file, old, new); !ok {
				return tolerantUnsafe()
			}
		}
		if len(new) > 0 {
			var text []byte
			for _, p := range pieces {
				if !p.File {
					if err := src.holds(string(p.Text)); err != nil {
						return err
					}
				}
				text = append(text, p.Text...)
			}
			for _, l := range bytes.Split(text, []byte{'\n'}) {
				out = append(out, Line{Added, string(l)})
			}
		}
		at, i = at+len(file), end
	}
	s.lines = out
	return nil
}

func tolerantUnsafe() *Error {
	return &Error{Code: TolerantUnsafe, Msg: "the text matches by the tolerant step only, and it cannot be told what of it is to change: send it exactly as the file has it, or in smaller parts"}
}

func join(lines [][]byte) []byte { return bytes.Join(lines, []byte{'\n'}) }

// splice builds the text that the spots make of a document. What no hunk
// covers is copied as it is; a new line takes the ending of the line it
// replaces or adjoins. Every line ends in a line break; with preserve the last
// one does if the document's last one did.
func splice(doc *match.Document, spots []spot, preserve bool) *writer {
	w := weave(doc, spots)
	if last := len(doc.Lines) - 1; preserve && last >= 0 && len(doc.Ending(last)) == 0 {
		w.unterminate()
	} else {
		w.terminate()
	}
	return w
}

// weave is splice that leaves the end of the text as it comes.
func weave(doc *match.Document, spots []spot) *writer {
	w := &writer{out: make([]byte, 0, len(doc.Text)+growth(spots)), control: invisible.Counts{}}
	if len(spots) > 0 {
		w.all = spots[0].ending
	}
	copied := 0 // lines of the document that are written or dropped
	for _, s := range spots {
		w.copy(doc, copied, s.at)
		s.write(w, doc)
		copied = s.at + s.count
	}
	w.copy(doc, copied, len(doc.Lines))
	return w
}

func growth(spots []spot) int {
	n := 64
	for _, s := range spots {
		for _, l := range s.lines {
			n += len(l.Text) + 2
		}
	}
	return n
}

// write writes one hunk's lines. In a run that replaces r lines the i-th new
// line takes the ending of the i-th of them, of the last if there are more; in
// a run that replaces none, of the old line before it in the hunk, else the
// next old line, else the file's line before, else the one after.
func (s spot) write(w *writer, doc *match.Document) {
	lines := s.lines
	old := s.at // the document's line that the next context or removed line is
	for i := 0; i < len(lines); {
		if lines[i].Kind == Context {
			w.copy(doc, old, old+1)
			old, i = old+1, i+1
			continue
		}
		removed, end := 0, i
		for end < len(lines) && lines[end].Kind != Context {
			if lines[end].Kind == Removed {
				removed++
			}
			end++
		}
		added := 0
		for _, l := range lines[i:end] {
			if l.Kind != Added {
				continue
			}
			var ending []byte
			switch {
			case s.ending != nil:
				ending = s.ending
			case removed > 0:
				ending = doc.EndingNear(old + min(added, removed-1))
			case old > s.at, old == s.at+s.count && old > 0:
				ending = doc.EndingNear(old - 1)
			default:
				ending = doc.EndingNear(old)
			}
			w.line([]byte(l.Text), ending)
			added++
		}
		old, i = old+removed, end
	}
}

// A writer puts lines one after another; a line that had no ending gets one as
// soon as another follows.
type writer struct {
	out    []byte
	open   bool   // the last line has no ending
	last   []byte // the ending it would get
	ending int    // length of the last line's ending
	all    []byte // the ending that every such line gets; nil: that of the lines before it

	lines        int              // written so far
	control      invisible.Counts // control characters among the new lines
	controlLines []int            // where they stand, at most match.Kept
}

// copy writes lines from up to before to as they stand in the document.
func (w *writer) copy(doc *match.Document, from, to int) {
	if from >= to {
		return
	}
	w.terminate()
	w.apart(doc.Text[doc.Lines[from].Start])
	w.lines += to - from
	w.out = append(w.out, doc.Text[doc.Lines[from].Start:doc.Next(to-1)]...)
	w.ending = len(doc.Ending(to - 1))
	if w.ending == 0 {
		if w.open, w.last = true, w.all; w.last == nil {
			w.last = doc.EndingNear(to - 1)
		}
	}
}

func (w *writer) line(text, ending []byte) {
	w.terminate()
	w.lines++
	w.ending = len(ending)
	if len(text) == 0 {
		w.apart(ending[0])
	}
	w.out = append(append(w.out, text...), ending...)
	if counts, lines := invisible.Control(string(text)); len(counts) > 0 {
		w.control.Add(counts)
		if len(lines) > 0 && len(w.controlLines) < match.Kept {
			w.controlLines = append(w.controlLines, w.lines)
		}
	}
}

// apart keeps an empty line that ends in LF from becoming the other half of
// the lone CR that ends the line before it: it ends in CRLF then.
func (w *writer) apart(next byte) {
	if n := len(w.out); next == '\n' && n > 0 && w.out[n-1] == '\r' {
		w.out = append(w.out, '\r')
	}
}

func (w *writer) terminate() {
	if w.open {
		w.out = append(w.out, w.last...)
		w.open = false
	}
}

// unterminate takes the last line's ending away.
func (w *writer) unterminate() {
	if !w.open {
		w.out = w.out[:len(w.out)-w.ending]
	}
}
