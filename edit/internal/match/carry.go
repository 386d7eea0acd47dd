package match

import (
	"bytes"
	"slices"
)

// A Piece is a part of a text that Carry made.
type Piece struct {
	Text []byte
	File bool // the file's own characters; false: as the request has them
}

// carryMost is how many pairs of units one comparison may cost.
const carryMost = 4_000_000

// Carry writes new text in the file's own characters where the request did not
// change them. file is a part of the document's text, old what the request calls
// it: they have the same units, but that only LF breaks a line of old and new.
// What old and new spell alike, in a longest common subsequence of units, is
// taken from file, the rest as new has it. False means that it cannot be told:
// the comparison would cost too much, or the texts are not the same.
func Carry(doc *Document, file, old, new []byte) ([]Piece, bool) {
	return carry(reading{crlf: true, loneCR: doc.LoneCR, raw: doc.Raw}, file, old, new)
}

// CarryLines is Carry for whole lines of the document. All texts are joined, and
// the pieces make up a text, by LF.
func CarryLines(doc *Document, file, old, new [][]byte) ([]Piece, bool) {
	join := func(lines [][]byte) []byte { return bytes.Join(lines, []byte{'\n'}) }
	return carry(reading{raw: doc.Raw}, join(file), join(old), join(new))
}

func carry(stands reading, file, old, new []byte) ([]Piece, bool) {
	if bytes.Equal(file, old) {
		return []Piece{{Text: new}}, true
	}
	sent := reading{raw: stands.raw}
	f, o, n := stands.units(file), sent.units(old), sent.units(new)
	if len(f) != len(o) {
		return nil, false
	}
	alike := func(i, j int) bool {
		return o[i].key == n[j].key && bytes.Equal(old[o[i].start:o[i].end], new[n[j].start:n[j].end])
	}
	head := 0
	for head < len(o) && head < len(n) && alike(head, head) {
		head++
	}
	tail := 0
	for tail < len(o)-head && tail < len(n)-head && alike(len(o)-1-tail, len(n)-1-tail) {
		tail++
	}
	rows, cols := len(o)-head-tail, len(n)-head-tail
	if rows > 0 && cols > carryMost/rows {
		return nil, false
	}
	w := carrier{}
	for i := range head {
		w.put(file[f[i].start:f[i].end], true)
	}
	w.middle(rows, cols, func(i, j int) bool { return alike(head+i, head+j) },
		func(i int) []byte { return file[f[head+i].start:f[head+i].end] },
		func(j int) []byte { return new[n[head+j].start:n[head+j].end] })
	for i := len(o) - tail; i < len(o); i++ {
		w.put(file[f[i].start:f[i].end], true)
	}
	return w.pieces, true
}

// A carrier puts pieces together.
type carrier struct{ pieces []Piece }

func (w *carrier) put(text []byte, file bool) {
	if n := len(w.pieces); n > 0 && w.pieces[n-1].File == file {
		w.pieces[n-1].Text = append(w.pieces[n-1].Text, text...)
		return
	}
	w.pieces = append(w.pieces, Piece{slices.Clone(text), file})
}

// middle walks the longest common subsequence of what differs, the first of
// several.
func (w *carrier) middle(rows, cols int, alike func(i, j int) bool, kept, sent func(int) []byte) {
	length := make([]int32, (rows+1)*(cols+1)) // of the rest from (i, j) on
	at := func(i, j int) int { return i*(cols+1) + j }
	for i := rows - 1; i >= 0; i-- {
		for j := cols - 1; j >= 0; j-- {
			if alike(i, j) {
				length[at(i, j)] = 1 + length[at(i+1, j+1)]
			} else {
				length[at(i, j)] = max(length[at(i+1, j)], length[at(i, j+1)])
			}
		}
	}
	for i, j := 0, 0; j < cols; {
		switch {
		case i < rows && alike(i, j):
			w.put(kept(i), true)
			i, j = i+1, j+1
		case i < rows && length[at(i+1, j)] >= length[at(i, j+1)]:
			i++
		default:
			w.put(sent(j), false)
			j++
		}
	}
}
