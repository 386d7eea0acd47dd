// Package mmap maps files into memory, for reading. It is for files that are
// replaced and never cut, as git's index and packs are: the part of a mapped
// file that goes away ends the process that reads it.
package mmap
