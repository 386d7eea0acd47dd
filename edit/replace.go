package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit/internal/invisible"
	"github.com/chordgit/chordgit/edit/internal/match"
)

// A replacer applies the replacements of one operation to one text.
type replacer struct {
	*run
	op    *Op
	src   *source
	hay   *haystack
	items []Replacement // as they are looked up and written: less what is invisible, or not in the file
	notes []Note
	told  int // facts that the items of a list have come to

	carried map[spelling][]match.Piece // what becomes of each, nil: the new text as it is
}

// A spelling is one way in which the file has the old text of an item.
type spelling struct {
	item int
	file string
}

func (r *run) replacer(op *Op, src *source, doc *match.Document) *replacer {
	items := slices.Clone(op.Replacements)
	if bytes.IndexByte(doc.Text, '\r') >= 0 && bytes.IndexByte(doc.Text, '\n') < 0 {
		// Every CR of the file is a line break, so those of the request are.
		for i := range items {
			items[i].Old = strings.ReplaceAll(items[i].Old, "\r", "\n")
			items[i].New = strings.ReplaceAll(items[i].New, "\r", "\n")
		}
	}
	return &replacer{run: r, op: op, src: src, hay: newHaystack(doc), items: items}
}

// replace applies the operation's replacements to a text.
func (r *run) replace(op *Op, src *source) ([]byte, Errors) {
	doc := src.document()
	p := r.replacer(op, src, doc)
	hits, errs := p.find()
	if len(errs) > 0 && errs[0].Code == NoMatch {
		if again := doc.WithLoneCR(); again != nil {
			q := r.replacer(op, src, again)
			if h, e := q.find(); len(e) == 0 {
				p, hits, errs = q, h, nil
				p.note("lone-cr", nil, "a carriage return without line feed was taken as a line break")
			}
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	r.notes = append(r.notes, p.notes...)
	return p.splice(hits)
}

// splice puts the new texts in the places of the old ones.
func (p *replacer) splice(hits []hit) ([]byte, Errors) {
	text := p.src.text
	out := make([]byte, 0, len(text)+64)
	done := 0
	removed, control := invisible.Counts{}, invisible.Counts{}
	var controlLines []int
	cleaned := make([]bool, len(p.items))
	for _, h := range hits {
		p.outcome.Lines = append(p.outcome.Lines, h.line)
		if err := p.src.halved(h.start, h.line); err != nil {
			return nil, Errors{err}
		}
		item := &p.items[h.item]
		if !cleaned[h.item] { // the places of one item are alike
			cleaned[h.item] = true
			var counts invisible.Counts
			item.New, counts = invisible.Clean(item.New, string(text[h.start:h.end]), false)
			if item.New == "" && counts != nil {
				return nil, fail(OnlyInvisible, "the new text consists of characters that cannot be seen: %s", counts)
			}
			removed.Add(counts)
			counts, _ = invisible.Control(item.New)
			if control.Add(counts); len(counts) > 0 {
				controlLines = append(controlLines, h.line)
			}
		}
		out = append(out, text[done:h.start]...)
		var err *Error
		if out, err = p.write(out, h); err != nil {
			return nil, Errors{err}
		}
		done = h.end
	}
	p.noteCleaned(removed)
	p.noteControl(control, controlLines)
	return append(out, text[done:]...), nil
}

// write appends the new text of a place: with the line endings of its place
// and, after the tolerant step, the file's characters where the request did
// not mean to change them. In a file of mixed endings the line breaks among
// them keep theirs.
func (p *replacer) write(out []byte, h hit) ([]byte, *Error) {
	item := &p.items[h.item]
	pieces := []match.Piece{{Text: []byte(item.New)}}
	if h.tolerant || p.hay.mixed && strings.Contains(item.Old, "\n") && strings.Contains(item.New, "\n") {
		place := spelling{h.item, string(p.src.text[h.start:h.end])}
		carried, known := p.carried[place]
		if !known {
			var ok bool
			if carried, ok = match.Carry(p.hay.doc, []byte(place.file), []byte(item.Old), []byte(item.New)); !ok && h.tolerant {
				return nil, tolerantUnsafe()
			}
			if p.carried == nil {
				p.carried = map[spelling][]match.Piece{}
			}
			p.carried[place] = carried
		}
		if carried != nil || h.tolerant {
			pieces = carried
		}
	}
	for _, piece := range pieces {
		if piece.File {
			out = append(out, piece.Text...)
			continue
		}
		if err := p.src.holds(string(piece.Text)); err != nil {
			return nil, err
		}
		out = append(out, bytes.ReplaceAll(piece.Text, []byte{'\n'}, p.hay.ending(h))...)
	}
	return out, nil
}

func (p *replacer) note(code Code, lines []int, format string, args ...any) {
	p.notes = append(p.notes, Note{Code: code, Path: p.path, Op: p.number, Lines: lines, Msg: fmt.Sprintf(format, args...)})
}

// find returns the places of all replacements, sorted, or every reason why an
// item has none.
func (p *replacer) find() ([]hit, Errors) {
	if p.op.Batch {
		return p.batch()
	}
	hits, err := p.item(0)
	if err != nil && err.Code == NoMatch {
		if h, ok := p.trailingNewline(); ok {
			return h, nil
		}
		hits, err = p.tolerantly()
	}
	if err != nil {
		return nil, Errors{err}
	}
	return hits, nil
}

// batch finds the places of a list: every item in the original text, all of
// them or none. Items that change nothing or repeat another are skipped.
func (p *replacer) batch() ([]hit, Errors) {
	items := p.op.Replacements
	failed := make([]*Error, len(items))
	var all []hit
	var skipped []string
	var tried []int
	seen := map[Replacement]bool{}
	for i := range items {
		if items[i].Old == items[i].New || seen[items[i]] {
			skipped = append(skipped, fmt.Sprint(i))
			continue
		}
		seen[items[i]] = true
		tried = append(tried, i)
		hits, err := p.item(i)
		if failed[i] = err; err != nil {
			p.told += min(len(err.Facts), factsMostItem)
		}
		all = append(all, hits...)
	}
	slices.SortFunc(all, func(a, b hit) int { return a.start - b.start })
	for i := 1; i < len(all); i++ { // touching is fine
		if a, b := all[i-1], all[i]; b.start < a.end {
			first, second := min(a.item, b.item), max(a.item, b.item)
			failed[second] = &Error{Code: EditOverlap, Path: p.path, Op: p.number, Lines: []int{b.line}, Msg: fmt.Sprintf("overlaps edits[%d] at line %d", first, b.line)}
		}
	}
	fit, errs := judge(failed, tried, skipped)
	if len(errs) > 0 {
		return nil, errs
	}
	if len(skipped) > 0 {
		p.note("skipped-edit", nil, "edits %s change nothing or repeat another and were skipped", strings.Join(skipped, ", "))
	}
	p.outcome.Edits = len(fit)
	return all, nil
}

// judge completes the failures of a list's items: which item each is of, what
// would have matched, and no more detail than can be read. Without failures it
// returns the items that fit.
func judge(failed []*Error, tried []int, skipped []string) (fit []string, errs Errors) {
	for _, i := range tried {
		if err := failed[i]; err != nil {
			err.Hunk, err.Of, err.Msg = i+1, len(failed), fmt.Sprintf("edits[%d]: %s", i, err.Msg)
			errs = append(errs, err)
			continue
		}
		fit = append(fit, fmt.Sprint(i))
	}
	if len(errs) == 0 {
		return fit, nil
	}
	if len(errs) > 1 {
		for _, err := range errs {
			boundFacts(Errors{err}, factsMostItem)
		}
		boundFacts(errs, factsMostList)
	}
	last := errs[len(errs)-1]
	if len(fit) > 0 {
		last.Facts = append(last.Facts, fmt.Sprintf("edits %s would match, but a list is applied as a whole", strings.Join(fit, ", ")))
	}
	if len(skipped) > 0 {
		last.Facts = append(last.Facts, fmt.Sprintf("edits %s change nothing or repeat another", strings.Join(skipped, ", ")))
	}
	return fit, errs
}

// item finds the places of one replacement by the exact steps.
func (p *replacer) item(i int) ([]hit, *Error) {
	rep := &p.items[i]
	if rep.Old == "" {
		return nil, &Error{Code: EmptyOld, Path: p.path, Op: p.number, Msg: fmt.Sprintf("old_string is empty, but the file has %d bytes: give the text to replace", len(p.hay.doc.Text))}
	}
	if invisible.Only(rep.Old) {
		_, counts := invisible.Strip(rep.Old)
		return nil, &Error{Code: OnlyInvisible, Path: p.path, Op: p.number, Msg: fmt.Sprintf("old_string consists of characters that cannot be seen: %s", counts)}
	}
	hits, total := p.places(rep, i)
	if total == 0 && !ascii(rep.Old) {
		// What the file itself has of them is no accident.
		bare := *rep
		var counts invisible.Counts
		if bare.Old, counts = invisible.Clean(rep.Old, string(p.hay.doc.Text), false); counts != nil {
			if hits, total = p.places(&bare, i); total > 0 {
				*rep = bare
				p.note("cleaned", lines(hits), "old_string was found without the characters that cannot be seen: %s", counts)
			}
		}
	}
	if total == 0 {
		return nil, p.notFoundText(i)
	}
	if rep.From > 0 {
		hits, total = p.within(rep, hits, total)
	}
	if err := p.count(rep, hits, total, ""); err != nil {
		return nil, err
	}
	if p.hay.mixed && strings.Contains(rep.Old, "\n") {
		p.note("line-ending", lines(hits), "the file mixes line endings; each line break of old_string stands for the one in the file")
	}
	return hits, nil
}

func (p *replacer) places(rep *Replacement, i int) ([]hit, int) {
	every := rep.All || rep.Count > 0
	return p.hay.all(rep.Old, !every, every || rep.From > 0, i)
}

// within keeps the places that lie inside the lines which the request names. If
// none does the text must stand once, and then it is taken where it stands.
func (p *replacer) within(rep *Replacement, hits []hit, total int) ([]hit, int) {
	inside := slices.DeleteFunc(slices.Clone(hits), func(h hit) bool {
		last := h.line + strings.Count(strings.TrimSuffix(rep.Old, "\n"), "\n")
		return h.line < rep.From || rep.To > 0 && last > rep.To || rep.To == 0 && h.line != rep.From
	})
	switch {
	case len(inside) == 0:
		rep.All = false
		return hits[:min(len(hits), match.Kept)], total
	case len(inside) < len(hits):
		p.note("also-matches", lines(hits), "old_string stands %d times in the file; of these the lines given hold %d", total, len(inside))
	}
	return inside, len(inside)
}

// count tells whether so many places are what the replacement wants. step
// names the step that found them, if it was not the exact one.
func (p *replacer) count(rep *Replacement, hits []hit, total int, step string) *Error {
	at := lines(hits)
	found := fmt.Sprintf("old_string found %d time%s%s, at line%s %s", total, plural(total), step, plural(len(at)), listed(at, total))
	switch {
	case rep.Count > 0 && total != rep.Count:
		return &Error{Code: CountMismatch, Path: p.path, Op: p.number, Lines: at, Msg: fmt.Sprintf("%s, where %d are expected", found, rep.Count)}
	case total > 1 && !rep.All && rep.Count == 0:
		return &Error{Code: Ambiguous, Path: p.path, Op: p.number, Lines: at, Msg: found + ": add context or set replace_all"}
	}
	return nil
}

// trailingNewline finds an old text whose final line break the file lacks. It
// never cuts a line in half: the place ends the file, or the new text ends in
// a line break of its own.
func (p *replacer) trailingNewline() ([]hit, bool) {
	rep := &p.items[0]
	old, ok := strings.CutSuffix(rep.Old, "\n")
	if !ok || old == "" {
		return nil, false
	}
	hits, total := p.hay.all(old, true, false, 0)
	if total != 1 || hits[0].end != len(p.hay.doc.Text) && !strings.HasSuffix(rep.New, "\n") {
		return nil, false
	}
	rep.Old, rep.New = old, strings.TrimSuffix(rep.New, "\n")
	p.outcome.How = "without its last line break"
	p.note("trailing-newline", lines(hits), "old_string ends in a line break that the file does not have there")
	return hits, true
}

// tolerantly finds the one replacement by the tolerant step.
func (p *replacer) tolerantly() ([]hit, *Error) {
	rep := &p.items[0]
	every := rep.All || rep.Count > 0
	hits, total := p.hay.tolerant(rep.Old, !every, every)
	if total == 0 {
		return nil, p.notFoundText(0)
	}
	if err := p.count(rep, hits, total, " by the tolerant step"); err != nil {
		return nil, err
	}
	at := lines(hits)
	p.outcome.How = "by the tolerant step"
	p.note("tolerant", at, "old_string matched at line%s %s by the tolerant step: punctuation or single spaces differ", plural(len(at)), listed(at, total))
	return hits, nil
}
