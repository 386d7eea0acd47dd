package invisible

import "unicode"

// Marks tells floating combining marks from those that have a base. It is fed
// every character of a text in order; the zero value stands at the start of a
// line.
type Marks struct{ based bool }

// Floats reports whether r is a mark (Mn or Mc) with nothing but a blank, a
// line break or the start of the text before it, marks and hidden characters
// looked through. It is false for the hidden characters themselves, U+FE0E and
// U+FE0F among them, and for enclosing marks, which can be seen alone.
func (m *Marks) Floats(r rune) bool {
	switch {
	case hidden(r):
		return false
	case mark(r):
		return !m.based && !unicode.Is(unicode.Me, r)
	}
	m.based = !unicode.IsSpace(r)
	return false
}
