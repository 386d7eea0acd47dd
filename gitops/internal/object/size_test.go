package object

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

// Lengths are those that git tells: loose, whole in a pack, as deltas of both
// kinds, in an alternate. No program is asked.
func TestSize(t *testing.T) {
	r := gittest.New(t)
	for i := range 15 {
		r.Write("f", strings.Repeat("line of text\n", 300)+strings.Repeat("x", i))
		r.Write(fmt.Sprint("g", i), strings.Repeat("y", 100*i))
		r.Commit()
	}
	r.Git("repack", "-adfq", "--depth=20")
	other := r.In(t.TempDir())
	other.Git("clone", "-q", "-s", "--no-checkout", r.Dir, ".")
	other.GitIn("loose", "hash-object", "-w", "--stdin")
	open := func() *DB {
		db, err := Open(other.GitDir(), Options{Command: func(...string) *exec.Cmd { panic("git was asked") }})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	listing := strings.Split(other.Git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objectsize) %(deltabase)"), "\n")
	check := func() {
		t.Helper()
		checkMapped(t, false, listing, open)
		checkMapped(t, true, listing, open)
	}
	check()
	deltas := 0
	for _, line := range listing {
		if !strings.HasSuffix(line, strings.Repeat("0", 40)) {
			deltas++
		}
	}
	if deltas < 5 {
		t.Fatalf("%d deltas", deltas)
	}
	// Deltas that name their base, as git writes them for old readers.
	r.Git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=20")
	check()
	id, _ := ParseID(r.Git("rev-parse", "HEAD:f"))
	// What is cut away has no length.
	packs, _ := filepath.Glob(r.GitDir() + "/objects/pack/*.pack")
	os.Chmod(packs[0], 0o666)
	if err := os.Truncate(packs[0], 20); err != nil {
		t.Fatal(err)
	}
	db := open()
	defer db.Close()
	at, ok, err := db.list(false)[0].find(id)
	if err != nil || !ok {
		t.Fatal(err)
	}
	if size, ok := db.Size(id); ok && at >= 20 {
		t.Errorf("an object behind the end of its pack has the size %d", size)
	}
}

func BenchmarkSize(b *testing.B) {
	r := large(b, 100_000)
	var ids []ID
	for _, name := range strings.Fields(r.Git("ls-tree", "-r", "--format=%(objectname)", "HEAD")) {
		id, _ := ParseID(name)
		ids = append(ids, id)
	}
	for b.Loop() {
		db, err := Open(r.GitDir(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, id := range ids {
			if _, ok := db.Size(id); !ok {
				b.Fatal("absent")
			}
		}
		db.Close()
	}
}

// checkMapped looks at all objects of a listing, in a mapped pack or in one that
// is read.
func checkMapped(t *testing.T, mapped bool, listing []string, open func() *DB) {
	t.Helper()
	if mapped {
		defer func(n int) { manySizes = n }(manySizes)
		manySizes = 0
	}
	db := open()
	defer db.Close()
	for _, line := range listing {
		f := strings.Fields(line)
		id, _ := ParseID(f[0])
		if size, ok := db.Size(id); !ok || fmt.Sprint(size) != f[1] {
			t.Errorf("%s: %d, %v", line, size, ok)
		}
	}
	if _, ok := db.Size(SHA1.Hash(Blob, []byte("nowhere"))); ok {
		t.Error("a missing object has a size")
	}
}
