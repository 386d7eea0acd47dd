package gitops

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// A listing is the list of closed turns, by number. From it lost refs are told
// and put back, and the store is measured without reading a turn. The list is
// written under the number lock only.
type listing map[int]listed

// A listed is what the list says of one turn.
type listed struct {
	tag   object.ID
	bytes int64 // stored for the turn; 0 if the line does not say
}

// parseList reads lines "<number> <tag> [<bytes>]". What is no such line, as one
// that a crash cut short, is passed over: the turn's ref still tells of it. Of
// several lines of a number the last counts.
func parseList(data []byte) listing {
	l := listing{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if !strings.HasSuffix(line, "\n") || len(fields) < 2 {
			continue
		}
		n, err := strconv.Atoi(fields[0])
		tag, ok := object.ParseID(fields[1])
		if err != nil || n < 1 || !ok || tag.IsZero() {
			continue
		}
		at := listed{tag: tag}
		if len(fields) > 2 {
			if size, err := strconv.ParseInt(fields[2], 10, 64); err == nil && size > 0 {
				at.bytes = size
			}
		}
		l[n] = at
	}
	return l
}

// encode is the text of the list, by number: what reads its end finds the
// highest.
func (l listing) encode() []byte {
	var b bytes.Buffer
	for _, n := range l.numbers() {
		b.WriteString(l[n].line(n))
	}
	return b.Bytes()
}

func (at listed) line(n int) string { return fmt.Sprintf("%d %s %d\n", n, at.tag, at.bytes) }

func (l listing) numbers() []int {
	list := make([]int, 0, len(l))
	for n := range l {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

func (r *Repo) listName() string { return filepath.Join(r.sharedDir(), "turns") }

// readList reads the list; without a file it is empty.
func (r *Repo) readList() (listing, error) {
	data, err := os.ReadFile(r.listName())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &edit.Error{Code: edit.Unreadable, Msg: "the list of closed turns cannot be read", Err: err}
	}
	return parseList(data), nil
}

// writeList replaces the list as a whole. The highest number in it that was, too,
// must not be given out again, so it is noted first.
func (r *Repo) writeList(old, l listing) error {
	if used := old.numbers(); len(used) > 0 {
		if err := r.useUp(used[len(used)-1]); err != nil {
			return err
		}
	}
	r.opt.Step("list")
	if err := r.writeFile(r.listName(), l.encode()); err != nil {
		return trouble(edit.CommitFailed, "the list of closed turns cannot be written", err)
	}
	return nil
}

// useUp notes that a number was used where nothing else will tell.
func (r *Repo) useUp(number int) error {
	name := filepath.Join(r.sharedDir(), "next")
	n, err := lastNumber(name)
	if err == nil && n < number {
		err = r.writeFile(name, []byte(strconv.Itoa(number)+"\n"))
	}
	return err
}

// list adds the turn's line, unless it is there.
func (r *Repo) list(t *Turn) error {
	unlock, err := r.lockNumbers(context.Background())
	if err != nil {
		return err
	}
	defer unlock()
	return r.addLine(t.N, listed{tag: t.tag, bytes: t.StoredBytes})
}

// addLine adds a line under the number lock, behind what a crash may have cut
// short.
func (r *Repo) addLine(n int, at listed) error {
	f, err := os.OpenFile(r.listName(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	r.layout.Perm().Fix(f.Name())
	data, err := io.ReadAll(f)
	if err != nil || parseList(data)[n] == at {
		return err
	}
	line := at.line(n)
	if len(data) > 0 && data[len(data)-1] != '\n' {
		line = "\n" + line
	}
	_, err = f.WriteString(line)
	return cmp.Or(err, f.Close())
}

// lastNumber is the highest number that begins one of a file's last lines, 0 if
// there is no such file.
func lastNumber(name string) (highest int, err error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	tail := make([]byte, min(st.Size(), 4<<10))
	if _, err := f.ReadAt(tail, st.Size()-int64(len(tail))); err != nil {
		return 0, err
	}
	if st.Size() > int64(len(tail)) { // the first line may be cut
		_, tail, _ = bytes.Cut(tail, []byte("\n"))
	}
	for line := range strings.Lines(string(tail)) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.Atoi(word); err == nil {
			highest = max(highest, n)
		}
	}
	return highest, nil
}
