package ref

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

// A packed-refs file has a line for each ref, sorted by name where its header
// says so, and below a tag's line one that begins with ^. git replaces the
// file, it never writes into it.

func (s *Store) packedPath() string { return filepath.Join(s.CommonDir, "packed-refs") }

// packedFile is the file that is replaced: the one that a link leads to, as git
// does it.
func (s *Store) packedFile() string {
	if file, err := filepath.EvalSymlinks(s.packedPath()); err == nil {
		return file
	}
	return s.packedPath()
}

const packedWindow = 16 << 10 // bytes scanned line by line at the end of a search

// packedFrom reads the packed refs from a line on that is not behind the first
// with that name or a greater one, and tells whether they are in order. Where the
// file is sorted, only a few blocks of it are read: a repository may have
// packed refs by the hundred thousand.
func (s *Store) packedFrom(name string) (r io.ReadCloser, inOrder bool, err error) {
	f, err := os.Open(s.packedPath())
	if err != nil {
		return nil, false, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, false, err
	}
	lo, hi := int64(0), info.Size()
	if inOrder = sorted(f); !inOrder {
		hi = 0
	}
	// A ref's line that begins at or before lo has a smaller name.
	for hi-lo > packedWindow {
		at, found, err := lineAfter(f, lo+(hi-lo)/2, hi)
		switch {
		case err != nil:
			f.Close()
			return nil, false, err
		case at < 0:
			hi = lo + (hi-lo)/2
		case found < name:
			lo = at
		default:
			hi = lo + (hi-lo)/2
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(f, lo, 1<<62), f}, inOrder, nil
}

func sorted(f io.ReaderAt) bool {
	var b [256]byte
	n, _ := f.ReadAt(b[:], 0)
	line, _, _ := bytes.Cut(b[:n], []byte("\n"))
	return bytes.HasPrefix(line, []byte("# pack-refs with:")) && bytes.Contains(append(line, ' '), []byte(" sorted "))
}

// lineAfter finds the first ref's line that begins after pos and before end,
// and its name; the position is -1 if there is none.
func lineAfter(f io.ReaderAt, pos, end int64) (int64, string, error) {
	buf := make([]byte, 2<<10)
	for {
		n, err := f.ReadAt(buf, pos)
		if err != nil && err != io.EOF {
			return 0, "", err
		}
		b := buf[:n]
		at := pos
		for {
			i := bytes.IndexByte(b, '\n')
			if i < 0 {
				break
			}
			b, at = b[i+1:], at+int64(i)+1
			if at >= end {
				return -1, "", nil
			}
			if line, _, ok := bytes.Cut(b, []byte("\n")); ok {
				if r, ok := parsePacked(string(line)); ok {
					return at, r.Name, nil
				}
			}
		}
		if pos+int64(n) >= end || err == io.EOF {
			return -1, "", nil
		}
		// No whole line in here: names have up to 4096 bytes.
		buf = make([]byte, 2*len(buf))
	}
}

func parsePacked(line string) (Ref, bool) {
	digits, name, ok := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
	if !ok || digits == "" || digits[0] == '#' {
		return Ref{}, false
	}
	id, ok := object.ParseID(digits)
	return Ref{Name: name, ID: id}, ok
}

// eachPacked calls f for the packed refs whose names begin with prefix, until
// it returns false.
func (s *Store) eachPacked(prefix string, f func(Ref) bool) error {
	r, inOrder, err := s.packedFrom(prefix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil // git ends each line
		}
		if err != nil {
			return err
		}
		ref, ok := parsePacked(strings.TrimSuffix(line, "\n"))
		switch {
		case !ok || ref.ID.Format() != s.Format:
		case strings.HasPrefix(ref.Name, prefix):
			if !f(ref) {
				return nil
			}
		case inOrder && ref.Name > prefix:
			return nil
		}
	}
}

func (s *Store) readPacked(name string) (object.ID, error) {
	var id object.ID
	err := s.eachPacked(name, func(r Ref) bool {
		if r.Name == name {
			id = r.ID
		}
		return r.Name != name
	})
	if err == nil && id.IsZero() {
		err = ErrNotFound
	}
	return id, err
}

func (s *Store) listPacked(prefix string) ([]Ref, error) {
	var refs []Ref
	err := s.eachPacked(prefix, func(r Ref) bool {
		if validName(r.Name) {
			refs = append(refs, r)
		}
		return true
	})
	return refs, err
}
