// Package match finds texts in files and says how they differ.
//
// It knows lines, the ways in which a line of a request may equal one of a
// file, and the units of the tolerant step. It decides nothing: every place is
// returned with the way it was found, and whether one, none or many is right
// is the caller's business. A search is linear in file and text, however
// repetitive both are.
package match
