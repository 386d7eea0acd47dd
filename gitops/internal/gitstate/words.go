package gitstate

import (
	"slices"
	"strings"
)

// moveWords are the kinds of move with an article: at length, and once it was
// spoken of.
var moveWords = map[string][2]string{
	moveSwitch:  {"the branch switch", "the switch"},
	moveReset:   {"the reset of the branch", "the reset"},
	moveUnknown: {"a move of HEAD", "the move"},
}

// Kinds are the kinds of the turn's moves of HEAD, each once, in the order of the
// first of each; nil if there was none. A switch to no branch is a checkout.
func (t *Turn) Kinds() (kinds []string) {
	for _, x := range t.Record.Moves {
		kind := x.Kind
		if kind == moveSwitch && t.Head.After.Ref == "" {
			kind = "checkout"
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Words names moves of HEAD by their kinds, of which there must be one: "the branch
// switch", "the pull and the reset". Again: they were spoken of, so "the switch"
// will do.
func Words(kinds []string, again bool) string {
	var list []string
	for _, kind := range kinds {
		w := moveWords[kind][0]
		if again {
			w = moveWords[kind][1]
		}
		if w == "" {
			w = "the " + kind
		}
		list = append(list, w)
	}
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return list[0]
}
