package edit

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A foldingTree finds its files under every spelling, each with an inode of its
// own, as exFAT does.
type foldingTree struct{ MapTree }

func (t foldingTree) Lookup(p string) (*File, error) {
	for name := range t.MapTree {
		if strings.EqualFold(name, p) {
			f, err := t.MapTree.Lookup(name)
			if f != nil {
				c := *f
				f = &c
				f.Stat.Ino = uint64(len(t.MapTree))
				for _, r := range p {
					f.Stat.Ino = f.Stat.Ino*31 + uint64(r)
				}
			}
			return f, err
		}
	}
	return t.MapTree.Lookup(p)
}

func (t foldingTree) Load(p string, f *File) error {
	for name, file := range t.MapTree {
		if strings.EqualFold(name, p) {
			f.Data = file.Data
		}
	}
	return nil
}

func TestRecase(t *testing.T) {
	tree := foldingTree{MapTree{"d/Hello": {Mode: 0o644, Data: []byte("hello\n")}, "other": {Mode: 0o644, Data: []byte("x\n")}}}
	hunks := []Hunk{{Lines: []Line{{Kind: Removed, Text: "hello"}, {Kind: Added, Text: "bye"}}}}
	back := []Hunk{{Lines: []Line{{Kind: Removed, Text: "bye"}, {Kind: Added, Text: "hello"}}}}
	for _, c := range []struct {
		name string
		ops  []Op
		want string // path=content of what the plan changes, or the code of what it refuses
	}{
		{"another case", []Op{{Kind: Update, Path: "d/Hello", MoveTo: "d/HELLO", Hunks: hunks}}, "d/HELLO=bye d/Hello="},
		{"then changed", []Op{{Kind: Update, Path: "d/Hello", MoveTo: "d/HELLO", Hunks: hunks}, {Kind: Update, Path: "d/HELLO", Hunks: back}}, "d/HELLO=hello d/Hello="},
		{"and back", []Op{{Kind: Update, Path: "d/Hello", MoveTo: "d/HELLO", Hunks: hunks}, {Kind: Update, Path: "d/HELLO", MoveTo: "d/Hello"}}, "d/Hello=bye"},
		{"the directory alone", []Op{{Kind: Update, Path: "d/Hello", MoveTo: "D/Hello", Hunks: hunks}}, "d/Hello=bye"},
		{"over another", []Op{{Kind: Update, Path: "d/Hello", MoveTo: "OTHER"}}, "exists"},
		{"named before", []Op{{Kind: Update, Path: "d/HELLO", Hunks: hunks}, {Kind: Update, Path: "d/Hello", MoveTo: "d/HELLO"}}, "overlap"},
		{"two spellings", []Op{{Kind: Update, Path: "d/Hello", Hunks: hunks}, {Kind: Update, Path: "d/hello", Hunks: back}}, "overlap"},
		{"a copy", []Op{{Kind: Diff, Path: "d/Hello", MoveTo: "d/HELLO", Copy: true}}, "overlap"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := NewPlan(tree, c.ops, Options{Folds: true, Atomic: true})
			var got []string
			if errs, ok := err.(Errors); ok {
				codes := map[string]bool{}
				for _, e := range errs {
					codes[string(e.Code)] = true
				}
				got = slices.Sorted(maps.Keys(codes))
			} else {
				for _, ch := range plan.Changes {
					s := ch.Path + "="
					if ch.After != nil {
						s += strings.TrimSpace(string(ch.After.Data))
					}
					got = append(got, s)
				}
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}
