package object

import (
	"errors"
	"testing"
)

// TestCheckOrder knows git's order, in which a directory's name ends in "/".
func TestCheckOrder(t *testing.T) {
	one := SHA1.Hash(Blob, []byte("one"))
	file := func(name string) Entry { return Entry{Name: name, Mode: File, ID: one} }
	dir := func(name string) Entry { return Entry{Name: name, Mode: Dir, ID: one} }
	for _, tt := range []struct {
		name    string
		entries []Entry
		ok      bool
	}{
		{"none", nil, true},
		{"a directory sorts as a/", []Entry{file("a.b"), dir("a"), file("a0")}, true},
		{"a directory sorted as a file", []Entry{dir("a"), file("a.b")}, false},
		{"wrong way round", []Entry{file("b"), file("a")}, false},
		{"twice", []Entry{file("a"), file("a")}, false},
		{"as a file and as a directory", []Entry{file("a"), file("a.b"), dir("a")}, false},
	} {
		if err := CheckOrder(tt.entries); (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for _, e := range []Entry{{Name: "..", Mode: File, ID: one}, {Name: ".GIT", Mode: Dir, ID: one}, {Name: "a", Mode: 0o100600, ID: one}, {Name: "a", Mode: File}} {
		if err := e.Check(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%+v: %v", e, err)
		}
	}
	if err := file("a").Check(); err != nil {
		t.Error(err)
	}
}
