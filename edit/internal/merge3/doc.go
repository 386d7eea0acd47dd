// Package merge3 merges two changes of one text by lines, as git merge-file
// does, without fuzz and without folding blanks.
//
// It works on bytes and knows nothing of encodings: a line is what ends at LF
// (or at CR in texts without LF), its ending included, and lines are equal if
// their bytes are. What it does not touch stays as it is.
//
// Whether two changes conflict depends on where the difference between two
// texts is seen, of which there is more than one truth where lines repeat. So
// that people find here what they know, the diff takes the same decisions as
// git's: see diff.
package merge3
