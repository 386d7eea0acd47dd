package merge3

import "bytes"

// lines is a text split into lines that are numbered by what they say: equal
// lines have equal ids, also across the texts of one merge.
type lines struct {
	text []byte
	at   []uint32 // where each line starts, and where the last one ends
	ids  []int32
}

// bytes returns the text of the lines from up to to.
func (l *lines) bytes(from, to int) []byte { return l.text[l.at[from]:l.at[to]] }

// ending is the byte at which the lines of texts end.
func ending(texts ...[]byte) byte {
	for _, text := range texts {
		if bytes.IndexByte(text, '\n') >= 0 {
			return '\n'
		}
	}
	return '\r'
}

// Lines counts the lines of a text.
func Lines(text []byte) int {
	end := ending(text)
	n := bytes.Count(text, []byte{end})
	if len(text) > 0 && text[len(text)-1] != end {
		n++
	}
	return n
}

// read splits texts into lines and numbers these. The number of different
// lines comes with them.
//
// All texts are split alike. Were one split at CR and another at LF, a line of
// the one could stand in the other as what is no line there.
func read(texts ...[]byte) (all []*lines, different int) {
	end := []byte{ending(texts...)}
	ids := make(map[string]int32, bytes.Count(texts[0], end)+1)
	for _, text := range texts {
		n := bytes.Count(text, end) + 1
		l := &lines{text: text, at: make([]uint32, 1, n+1), ids: make([]int32, 0, n)}
		for start := 0; start < len(text); {
			next := len(text)
			if k := bytes.IndexByte(text[start:], end[0]); k >= 0 {
				next = start + k + 1
			}
			id, known := ids[string(text[start:next])]
			if !known {
				id = int32(len(ids))
				ids[string(text[start:next])] = id
			}
			l.ids = append(l.ids, id)
			l.at = append(l.at, uint32(next))
			start = next
		}
		all = append(all, l)
	}
	return all, len(ids)
}
