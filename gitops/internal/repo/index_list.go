package repo

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

// The bits of an entry in git's memory, which `ls-files --debug` prints.
const (
	memAssumeUnchanged = 1 << 15
	memIntentToAdd     = 1 << 29
	memSkipWorktree    = 1 << 30
)

// listIndex reads the index through the git program, which joins split and
// unfolds sparse ones. why is the reason, and the error without the program.
func (l *Layout) listIndex(why error) (*Index, error) {
	if !HasGit() {
		return nil, fmt.Errorf("index: %w: it %w", why, ErrNeedsGit)
	}
	cmd := l.Command("ls-files", "-z", "-s", "-t", "--debug")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("index: %w; git ls-files: %w: %s", why, err, bytes.TrimSpace(stderr.Bytes()))
	}
	x := &Index{}
	for len(out) > 0 {
		var e IndexEntry
		if e, out, err = readListed(out); err != nil {
			return nil, fmt.Errorf("git ls-files: %w", err)
		}
		x.listed = append(x.listed, e)
	}
	return x, nil
}

// readListed reads "<tag> <mode> <object> <stage>\t<path>\0" and, if they
// follow, the five lines of --debug, which begin with two blanks and whose last
// ends with the flags.
func readListed(out []byte) (e IndexEntry, rest []byte, err error) {
	record, rest, ok := bytes.Cut(out, []byte{0})
	head, path, ok2 := bytes.Cut(record, []byte("\t"))
	words := bytes.Fields(head)
	if !ok || !ok2 || len(words) != 4 {
		return e, nil, fmt.Errorf("unexpected line %q", record)
	}
	mode, err := strconv.ParseUint(string(words[1]), 8, 32)
	if err != nil {
		return e, nil, err
	}
	if e.ID, ok = object.ParseID(string(words[2])); !ok {
		return e, nil, fmt.Errorf("unexpected object %q", words[2])
	}
	e.Path, e.Mode = string(path), uint32(mode)
	if e.Stage, err = strconv.Atoi(string(words[3])); err != nil {
		return e, nil, err
	}
	e.SkipWorktree = words[0][0] == 'S' || words[0][0] == 's'
	for bytes.HasPrefix(rest, []byte("  ")) {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if _, number, ok := bytes.Cut(line, []byte("flags: ")); ok {
			flags, err := strconv.ParseUint(string(number), 16, 64)
			if err != nil {
				return e, nil, err
			}
			e.AssumeUnchanged = flags&memAssumeUnchanged != 0
			e.IntentToAdd = flags&memIntentToAdd != 0
			e.SkipWorktree = flags&memSkipWorktree != 0
		}
	}
	return e, rest, nil
}
