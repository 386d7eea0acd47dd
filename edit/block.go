package edit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// A blocker finds the place of one SEARCH/REPLACE block in one text.
type blocker struct {
	*run
	finder *match.Finder
	notes  []Note
}

// A sought is one way to read a block: its lines, and the note that it leaves.
type sought struct {
	old, new []string
	hint     int
	code     Code
	msg      string
}

// block puts whole lines in the place of whole lines. Lines that both sides
// have in common keep the file's bytes, and the file's last line ends as before.
func (r *run) block(n *node) Errors {
	if e := r.control(); e != nil {
		return e
	}
	rep := r.op.Replacements[0]
	blank := strings.TrimSpace(rep.Old) == ""
	if blank && (n == nil || n.size() == 0) {
		return r.fill(n, rep.New)
	}
	if n == nil {
		return r.missing()
	}
	src, err := r.text(n)
	if err != nil {
		return Errors{err}
	}
	doc := match.Split(src.text)
	b := &blocker{run: r, finder: match.NewFinder(doc, 1)}
	spots, err := b.place()
	if err != nil && err.Code == NoMatch {
		// A lone CR beside LFs is data, unless the text is only found with it as
		// a line break.
		if again := doc.WithLoneCR(); again != nil {
			c := &blocker{run: r, finder: match.NewFinder(again, 1)}
			if s, e := c.place(); e == nil {
				doc, b, spots, err = again, c, s, nil
				b.note("lone-cr", nil, "a carriage return without line feed was taken as a line break")
			}
		}
	}
	if err != nil {
		return Errors{err}
	}
	r.notes = append(r.notes, b.notes...)
	written := &Op{}
	for _, s := range spots {
		written.Hunks = append(written.Hunks, *s.hunk)
	}
	if errs := r.omissionsOf(written, src.text); len(errs) > 0 {
		return errs
	}
	if err := r.compose(src, doc, spots); err != nil {
		err.Hunk, err.Of = 0, 0
		return Errors{err}
	}
	w := splice(doc, spots, true)
	r.noteControl(w.control, w.controlLines)
	m := *n
	if !bytes.Equal(w.out, src.text) {
		if err := r.store(&m, src, w.out); err != nil {
			return Errors{err}
		}
	}
	r.picture[r.path] = &m
	return nil
}

func (b *blocker) note(code Code, lines []int, format string, args ...any) {
	b.notes = append(b.notes, Note{Code: code, Path: b.path, Op: b.number, Lines: lines, Msg: fmt.Sprintf(format, args...)})
}

// place finds where the block goes: as it was sent, in another reading, or,
// if none stands as a whole, around the lines that dots stand for.
func (b *blocker) place() ([]spot, *Error) {
	rep := b.op.Replacements[0]
	given := sought{old: textLines(rep.Old), new: textLines(rep.New), hint: rep.Hint}
	if len(given.old) == 0 {
		return b.append(given)
	}
	readings := []sought{given}
	for _, alt := range b.op.Readings {
		readings = append(readings, sought{old: textLines(alt.Old), new: textLines(alt.New), hint: rep.Hint, code: alt.Code, msg: alt.Msg})
	}
	for _, look := range []func(sought) ([]spot, *Error){b.whole, b.around} {
		for _, s := range readings {
			spots, err := look(s)
			if spots == nil && err == nil {
				continue
			}
			if err == nil && s.code != "" {
				b.note(s.code, []int{spots[0].at + 1}, "%s", s.msg)
			}
			return spots, err
		}
	}
	if strings.TrimSpace(rep.Old) == "" {
		return b.append(given)
	}
	return nil, b.notFoundBlock(given)
}

// append is what is left for a block that looks for nothing in a file with
// content.
func (b *blocker) append(s sought) ([]spot, *Error) {
	if b.opt.Compat != Aider {
		return nil, &Error{Code: EmptyOld, Msg: fmt.Sprintf("SEARCH is empty, but the file has %d bytes: give the lines to replace", len(b.finder.Doc.Text))}
	}
	b.note("appended", nil, "SEARCH is empty: the new lines were added at the end of the file")
	return []spot{{hunk: &Hunk{Lines: lineDiff(nil, s.new)}, at: len(b.finder.Doc.Lines)}}, nil
}

// whole finds the lines of a reading together, by the strictest pass that finds
// any. Both results are nil if no pass does.
func (b *blocker) whole(s sought) ([]spot, *Error) {
	old := byteLines(s.old)
	for p := range match.Tolerant + 1 {
		places, total := b.finder.Places(old, 0, p)
		if total == 0 {
			continue
		}
		at, err := b.choose(places, total, s.hint, p)
		if err != nil {
			return nil, err
		}
		lines := lineDiff(s.old, s.new)
		switch p {
		case match.Blanks:
			b.note("trailing-blanks", []int{at + 1}, "the block matched at line %d with trailing blanks ignored", at+1)
		case match.Trimmed:
			shifted, why := reindent(b.finder.Doc, at, lines)
			if why != "" {
				return nil, b.uneven(s, at, why)
			}
			lines = shifted
			b.note("reindented", []int{at + 1}, "the block matched at line %d with another indentation, which its new lines were given", at+1)
		case match.Tolerant:
			b.noteTolerant(old, at)
		}
		if len(s.old) == len(lines) && !(&Hunk{Lines: lines}).changes() {
			b.note("unchanged", []int{at + 1}, "the block's two sides are equal: line %d stays as it is", at+1)
		}
		return []spot{{hunk: &Hunk{Lines: lines}, at: at, count: len(old), tolerant: p == match.Tolerant}}, nil
	}
	return nil, nil
}

// choose takes the one place, the hinted one, or by Aider's rules the first.
func (b *blocker) choose(places []int, total, hint int, p match.Pass) (int, *Error) {
	at := places[0]
	if total == 1 {
		return at, nil
	}
	others := places[1:]
	chosen := b.opt.Compat == Aider
	for i, l := range places {
		if l+1 == hint {
			at, chosen = l, true
			others = append(append([]int{}, places[:i]...), places[i+1:]...)
		}
	}
	if !chosen || b.opt.RefuseAmbiguous {
		return 0, &Error{Code: Ambiguous, Lines: numbers(places), Msg: fmt.Sprintf("the block %s at lines %s: give more lines of the file in SEARCH", stands[p], list(places, total))}
	}
	b.note("also-matches", numbers(others), "the block also matches at line%s %s", plural(total-1), list(others, total-1))
	return at, nil
}

// stands says how a block matches by each pass.
var stands = [...]string{
	match.Exact:    "stands",
	match.Blanks:   "matches with trailing blanks ignored",
	match.Trimmed:  "matches with blanks at both ends ignored",
	match.Tolerant: "stands nowhere exactly, and by the tolerant step",
}

func (b *blocker) noteTolerant(old [][]byte, at int) {
	var differ []int
	for i, l := range old {
		if !bytes.Equal(b.finder.Doc.Line(at+i), l) && len(differ) < match.Kept {
			differ = append(differ, at+i)
		}
	}
	b.note("tolerant", numbers(differ), "the block matched at line %d by the tolerant step: punctuation or single spaces differ in line%s %s", at+1, plural(len(differ)), list(differ, len(differ)))
}

func byteLines(lines []string) [][]byte {
	out := make([][]byte, len(lines))
	for i, l := range lines {
		out[i] = []byte(l)
	}
	return out
}
