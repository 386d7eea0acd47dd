package main

import (
	"bytes"
	"encoding/json"

	"github.com/chordgit/chordgit/gitops"
)

// Paths are bytes, and JSON would turn those that are no UTF-8 into others: all
// that holds a path encodes it first.

func (f file) MarshalJSON() ([]byte, error) {
	type plain file
	f.Path, f.From = gitops.EncodePath(f.Path), gitops.EncodePath(f.From)
	return unescaped(plain(f))
}

func (f failure) MarshalJSON() ([]byte, error) {
	type plain failure
	f.Path = gitops.EncodePath(f.Path)
	return unescaped(plain(f))
}

func (n note) MarshalJSON() ([]byte, error) {
	type plain note
	n.Path = gitops.EncodePath(n.Path)
	return unescaped(plain(n))
}

func (v view) MarshalJSON() ([]byte, error) {
	type plain view
	v.Path = gitops.EncodePath(v.Path)
	return unescaped(plain(v))
}

// paths are a list of paths.
type paths []string

func (p paths) MarshalJSON() ([]byte, error) {
	list := make([]string, len(p))
	for i, path := range p {
		list[i] = gitops.EncodePath(path)
	}
	return unescaped(list)
}

// unescaped is JSON as the commands write it, "<" as it is.
func unescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func (w wished) MarshalJSON() ([]byte, error) {
	type plain wished
	w.Path, w.From = gitops.EncodePath(w.Path), gitops.EncodePath(w.From)
	return unescaped(plain(w))
}
