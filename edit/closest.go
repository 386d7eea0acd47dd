package edit

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/chordgit/chordgit/edit/internal/match"
)

// What the search for the closest text may cost: it feeds messages only, so
// beyond these bounds the cheaper facts must do.
const (
	closestCells   = 30_000_000 // cells of all comparisons of one request
	closestTries   = 20         // texts of one request
	closestText    = 2000       // characters of the old text
	closestLines   = 10_000     // lines of the file
	closestWindows = 256        // places that are compared
	closestAtLeast = 0.6        // similarity that is worth telling
)

// resembling finds the lines that are most like the text, and tells how they
// differ.
func (r *run) resembling(q *question, f *facts) {
	doc, n := q.finder.Doc, len(q.old)
	if !q.whole && n > 1 && len(q.old[n-1]) == 0 {
		n-- // the text ends in a line break
	}
	text := join(q.old[:n])
	want := []rune(string(text))
	if len(want) == 0 || len(want) > closestText || len(doc.Lines) > closestLines || r.tries == 0 {
		return
	}
	r.tries--
	best, from, score := -1, 0, closestAtLeast
	for _, at := range candidates(doc, q.old[:n], q.start) {
		window := doc.Text[doc.Lines[at].Start:doc.Lines[at+n-1].End]
		if len(window) > 4*closestText {
			continue
		}
		got := []rune(string(window))
		longer := len(want)
		if q.whole {
			longer = max(longer, len(got))
		}
		most := int(float64(longer) * (1 - score)) // what may differ and still be better
		distance, start, cells := distance(want, got, most, !q.whole)
		if r.work -= cells; r.work < 0 {
			break
		}
		if s := 1 - float64(distance)/float64(longer); distance <= most && s > score {
			best, from, score = at, len(string(got[:start])), s
		}
	}
	if best < 0 {
		return
	}
	var differ []int
	file := func(i int) []byte {
		if i == 0 {
			return doc.Line(best)[min(from, len(doc.Line(best))):]
		}
		return doc.Line(best + i)
	}
	for i, l := range q.old[:n] {
		if !bytes.Equal(q.trim(l), q.trim(file(i))) {
			differ = append(differ, i)
		}
	}
	f.at(best, "closest at line %d (%d %% alike), %d of %d line%s different", best+1, int(score*100), len(differ), n, plural(n))
	if len(differ) > driftFrom {
		drift(f, best+1, n)
		return
	}
	for _, i := range differ {
		f.add("line %d is %s where %s is expected (%s)", best+i+1, quoted(string(file(i))), quoted(string(q.old[i])), firstDifference(q, q.old[i], file(i)))
	}
}

// candidates are the places worth comparing: all of a short file, else those
// in which some line of the text stands where it should, rarest line first,
// else those that have the rarest word of its first line.
func candidates(doc *match.Document, old [][]byte, start int) (at []int) {
	last := len(doc.Lines) - len(old)
	if last-start < closestWindows {
		for i := start; i <= last; i++ {
			at = append(at, i)
		}
		return at
	}
	where := map[string][]int{}
	for _, l := range old {
		where[string(bytes.TrimSpace(l))] = nil
	}
	words := map[string][]int{}
	for _, w := range wordsOf(old[0]) {
		words[w] = nil
	}
	for i := range doc.Lines {
		line := doc.Line(i)
		if found, ok := where[string(bytes.TrimSpace(line))]; ok {
			where[string(bytes.TrimSpace(line))] = append(found, i)
		}
		for _, w := range wordsOf(line) {
			if found, ok := words[w]; ok && (len(found) == 0 || found[len(found)-1] != i) {
				words[w] = append(found, i)
			}
		}
	}
	rare, offset := []int(nil), 0
	for i, l := range old {
		if found := where[string(bytes.TrimSpace(l))]; len(found) > 0 && (rare == nil || len(found) < len(rare)) {
			rare, offset = found, i
		}
	}
	if rare == nil {
		for _, w := range wordsOf(old[0]) {
			if found := words[w]; len(found) > 0 && (rare == nil || len(found) < len(rare)) {
				rare = found
			}
		}
	}
	for _, i := range rare {
		if i -= offset; i >= start && i <= last && len(at) < closestWindows {
			at = append(at, i)
		}
	}
	return at
}

// wordsOf returns the words of a line that tell something: three letters or
// more.
func wordsOf(line []byte) []string {
	words := strings.FieldsFunc(string(line), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.DeleteFunc(words, func(w string) bool { return len(w) < 3 })
}

// distance counts the characters that must be changed to make b of a. With
// within, b may have anything before and behind, and start is where in b the
// part that is compared begins. It gives up beyond most, in which case the
// count is higher than most. cells is what it cost.
func distance(a, b []rune, most int, within bool) (count, start, cells int) {
	// Only cells near the diagonal can hold a count of at most most.
	row, begin := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		if within {
			begin[j] = j
		} else {
			row[j] = j
		}
	}
	for i, x := range a {
		low, high := 0, len(b)
		if !within {
			low, high = max(0, i+1-most-1), min(len(b), i+1+most+1)
		}
		diagonal, diagonalBegin := row[max(0, low-1)], begin[max(0, low-1)]
		if low == 0 {
			diagonal, diagonalBegin = row[0], begin[0]
			row[0] = i + 1
		} else {
			row[low-1] = most + 1
		}
		least := row[max(0, low-1)]
		for j := max(1, low); j <= high; j++ {
			cost, from := diagonal, diagonalBegin
			if x != b[j-1] {
				cost++
				if row[j]+1 < cost {
					cost, from = row[j]+1, begin[j]
				}
				if row[j-1]+1 < cost {
					cost, from = row[j-1]+1, begin[j-1]
				}
			}
			diagonal, diagonalBegin = row[j], begin[j]
			row[j], begin[j] = cost, from
			least = min(least, cost)
		}
		if high < len(b) {
			row[high+1] = most + 1 // the next row looks at it
		}
		cells += high - low + 1
		if least > most {
			return most + 1, 0, cells
		}
	}
	if !within {
		return row[len(b)], 0, cells
	}
	end := 0
	for j := range row {
		if row[j] < row[end] {
			end = j
		}
	}
	return row[end], begin[end], cells
}
