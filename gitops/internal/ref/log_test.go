package ref

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

const (
	idA = "1111111111111111111111111111111111111111"
	idB = "2222222222222222222222222222222222222222"
	idC = "3333333333333333333333333333333333333333"
	who = " A U Thor <a@example.com> 1796007100 +0000\t"
)

func logLine(was, is, message string) string { return was + " " + is + who + message + "\n" }

func parsed(t *testing.T, s string) object.ID {
	t.Helper()
	id, ok := object.ParseID(s)
	if !ok {
		t.Fatalf("%s is no id", s)
	}
	return id
}

func TestReadLogFromMark(t *testing.T) {
	file := filepath.Join(t.TempDir(), "HEAD")
	first := logLine(strings.Repeat("0", 40), idA, "commit (initial): one") + logLine(idA, idB, "commit: two")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(from LogMark) ([]LogEntry, bool) {
		t.Helper()
		entries, ok, err := ReadLog(file, from)
		if err != nil {
			t.Fatal(err)
		}
		return entries, ok
	}
	if entries, ok := read(LogMark{}); len(entries) != 0 || !ok {
		t.Fatalf("absent: %v %v", entries, ok)
	}
	write(first)
	mark, err := MarkLog(file)
	if err != nil {
		t.Fatal(err)
	}
	if entries, ok := read(mark); len(entries) != 0 || !ok {
		t.Fatalf("nothing new: %v %v", entries, ok)
	}
	added := logLine(idB, idC, "checkout: moving from main to o")
	want := []LogEntry{{Old: parsed(t, idB), New: parsed(t, idC), Message: "checkout: moving from main to o"}}
	write(first + added)
	if entries, ok := read(mark); !ok || !reflect.DeepEqual(entries, want) {
		t.Fatalf("appended: %v %v", entries, ok)
	}
	// An expiry takes lines away at the front.
	write(logLine(idA, idB, "commit: two") + added)
	if entries, ok := read(mark); !ok || !reflect.DeepEqual(entries, want) {
		t.Fatalf("expired in part: %v %v", entries, ok)
	}
	write(added)
	if entries, ok := read(mark); ok || len(entries) != 1 {
		t.Fatalf("expired past the mark: %v %v", entries, ok)
	}
	write(first + "no entry\n" + added)
	if entries, _ := read(mark); !reflect.DeepEqual(entries, want) {
		t.Fatalf("a line that is no entry: %v", entries)
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte(logLine(idA, idB, "commit: x")+logLine(idB, idC, "pull: y")), 1)
	f.Add([]byte("x\n\n\t\n"), 0)
	f.Add([]byte(logLine(idA, idB, "")+idA), 2)
	f.Fuzz(func(t *testing.T, data []byte, lines int) {
		if n := len(parseLog(data)); n > strings.Count(string(data), "\n")+1 {
			t.Fatalf("%d entries", n)
		}
		// A mark at the end of any line is found again, also without what was
		// before its line.
		at, line := 0, 0
		for range max(lines, 0) % 100 {
			n := strings.IndexByte(string(data[at:]), '\n')
			if n < 0 {
				break
			}
			line, at = at, at+n+1
		}
		mark := markOf(data[:at])
		if rest, ok := behind(data, mark); !ok || string(rest) != string(data[at:]) {
			t.Fatalf("behind %d: %q %v", at, rest, ok)
		}
		if at > 0 && !strings.Contains(string(data[at:]), string(data[line:at])) {
			if rest, ok := behind(data[line:], mark); !ok || string(rest) != string(data[at:]) {
				t.Fatalf("behind %d of %d: %q %v", at, line, rest, ok)
			}
		}
	})
}
