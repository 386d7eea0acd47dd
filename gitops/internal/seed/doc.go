// Package seed decides which entries of git's index may give the object of a
// file without the file being read.
//
// git believes that a file is unchanged by its stat alone. That is not enough
// here: what git stores is what its conversions make of a file, while a capture
// stores the bytes of the disk. So an entry counts only where no conversion can
// apply, and whenever that is in doubt the answer is that nothing is known.
//
// It reads the index and attribute files, and no other file. It writes
// nothing, starts no program and reports no error: whatever cannot be read is
// a doubt.
package seed
